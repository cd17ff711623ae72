"""Hydra's own flags, settings and callbacks do in a command what they do in a program of ten lines."""

import pytest

from polyprobe.runs.names.conf_folders import CONF
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run

PROBING = ["encoder=length", "tests=[Case]", "trainer.threads=1"]
OF_WORK = """# @package _global_
paths: {work: "${hydra:runtime.cwd}/here"}
"""
WITH_CALLBACK = """# @package _global_
hydra: {callbacks: {own: {_target_: tests.commands.test_of_hydra.Callback}}, job: {env_set: {OWN_NAME: own}}}
"""

CHANGING_FOLDER = """# @package _global_
hydra: {job: {chdir: true}, run: {dir: "${paths.work}/of_hydra"}, output_subdir: settings}
"""
PLAIN = f"""
import json
import hydra
from omegaconf import OmegaConf
from polyprobe.runs.command.own_choices import search_own_folder

search_own_folder()

@hydra.main(version_base="1.3", config_path="{CONF}", config_name="train")
def main(config):
    print(json.dumps(OmegaConf.to_container(config, resolve=True), sort_keys=True))

main()
"""
FRAMED = """
import json
from polyprobe.runs.command.script import command

@command("train", lambda folder: 0)
def main(config):
    del config["choices"]
    print(json.dumps(config, sort_keys=True))

main()
"""
FILES = {"of_work": OF_WORK, "with_callback": WITH_CALLBACK, "changing_folder": CHANGING_FOLDER}


class Callback:
    """Says when a job begins, and what the environment has."""

    def on_job_start(self, **_):
        import os

        print("callback", os.environ["OWN_NAME"])


@pytest.fixture
def own_folder(tmp_path):
    folder = tmp_path / "conf" / "experiment"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return ["--config-dir", str(folder.parent)]


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("task=pos lang=fi +trainer.profiler=simple ++seed=5 ~logger", 0),
        ("experiment=mine --config-dir CONF", 0),
        ("-cd CONF -cn my_train", 0),
        ("task=pos,ner seed=1,2 -m", 0),
        ("seed=2 --cfg job --package trainer", 0),
        ("--cfg hydra --package hydra.launcher", 0),
        ("--info defaults-tree", 0),
        ("--info plugins", 0),
        ("-sc uninstall=bash", 0),
        ("hydra.run.dir=out hydra.output_subdir=.hydra", 0),
        ("hydra.job.chdir=true hydra.run.dir=out", 0),
        ("--info --cfg job", 2),
        ("sed=2", 2),
        ("--nope", 2),
        ("hydra.run.dir=out", 2),
        ("-cp CONF", 2),
        ("-sc install=tcsh", 2),
        ("task=pos lang=mini ~seed", 2),
    ],
)
def test_a_command_behaves_as_a_program_of_ten_lines_or_says_why_not(typed, code, tmp_path):
    files = {
        "conf/experiment/mine.yaml": "# @package _global_\ndefaults: [override /task: pos]\nseed: 7\n",
        "conf/my_train.yaml": "defaults: [train, _self_]\nseed: 8\n",
        "plain/train.py": PLAIN,
        "framed/train.py": FRAMED,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    arguments = typed.replace("CONF", str(tmp_path / "conf")).split()
    framed = run_script(str(tmp_path / "framed/train"), *arguments, cwd=tmp_path / "framed")
    assert framed.returncode == code, framed.stderr
    if code:
        assert "Traceback" not in framed.stderr
        return
    plain = run_script(str(tmp_path / "plain/train"), *arguments, cwd=tmp_path / "plain")
    of_jobs = [line for line in framed.stdout.splitlines() if line.startswith('{"')]
    assert ("\n".join(of_jobs) or framed.stdout).rstrip() == plain.stdout.rstrip()
    left = [sorted(one.name for one in (tmp_path / folder).glob("out/.hydra/*")) for folder in ("framed", "plain")]
    assert left[0] == left[1]


@pytest.mark.parametrize("more", [["hydra.verbose=[no_such_logger]"], ["hydra/job_logging=none"], ["--run"]])
def test_its_flags_and_settings_end_with_the_same_run(small_data, tmp_path, more):
    plain, with_more = tmp_path / "plain", tmp_path / "more"
    for work, further in ((plain, []), (with_more, more)):
        done = run_script("probe", *on_small_data(small_data, work), *PROBING, *further)
        assert done.returncode == 0, done.stderr
    runs = [only_run(work, "probe") for work in (plain, with_more)]
    assert runs[0].name == runs[1].name
    assert len({(run / "results.jsonl").read_bytes() for run in runs}) == 1


def test_own_files_may_refer_to_it(small_data, tmp_path, own_folder):
    data = [one for one in on_small_data(small_data, tmp_path) if "paths.work" not in one]
    done = run_script("probe", *own_folder, *data, *PROBING, "experiment=of_work", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert only_run(tmp_path / "here", "probe").is_dir()


def test_callbacks_and_the_environment_of_own_files_are_heard(small_data, work, own_folder):
    done = run_script("probe", *own_folder, *on_small_data(small_data, work), *PROBING, "experiment=with_callback")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("callback own\n")


def test_the_folder_that_own_files_ask_hydra_for_is_made(small_data, work, own_folder):
    done = run_script("probe", *own_folder, *on_small_data(small_data, work), *PROBING, "experiment=changing_folder")
    assert done.returncode == 0, done.stderr
    assert (work / "of_hydra/settings/overrides.yaml").is_file()
