"""What Hydra's own flags, settings and callbacks do in a command that is composed once."""

import pytest

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
