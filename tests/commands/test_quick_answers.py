"""What needs no network of weights is answered without the libraries that make one."""

import json
import re
import subprocess
import sys

import pytest

from polyprobe.runs.record.held_folder import HeldFolder
from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, on_small_data, only_run, small_training, with_mini

HEAVY = {"gensim", "lightning_fabric", "matplotlib", "pytorch_lightning", "scipy", "sklearn", "tokenizers", "torch",
         "torchmetrics", "transformers", "wandb"}  # fmt: skip
PROBING = ["encoder=char_ngrams", "encoder.width=8", "tests=[Case]", "probe.max_epochs=2", "trainer.threads=1"]
_IMPORTED = re.compile(r"^import time: +\d+ \| +\d+ \| +(\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def work(small_data, tmp_path_factory):
    """A work folder with a finished training run and a finished probing run."""
    work = tmp_path_factory.mktemp("quick")
    for script, arguments in commands(small_data, work).items():
        done = run_script(script, *arguments)
        assert done.returncode == 0, done.stderr
    return work


def commands(data, work) -> dict[str, list[str]]:
    training = small_training(data, work, "trainer.max_epochs=1", task="pos")
    return {"train": training, "probe": [*on_small_data(data, work), *PROBING]}


# A Python with what is light, which does each command that it is told in a fork.
IN_FORKS = """
import json, os, runpy, sys
import rich.console
import polyprobe.analysis.door, polyprobe.probing.run, polyprobe.training.door
from polyprobe.runs.command.overrides import COMMANDS, check_overrides
for script in COMMANDS:
    check_overrides(script, [])
print("ready", flush=True)
for line in sys.stdin:
    said, script, *arguments = json.loads(line)
    if not os.fork():
        file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, 1)
        os.dup2(file, 2)
        sys.argv = [f"{script}.py", *arguments]
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@pytest.fixture(scope="module")
def light_python(tmp_path_factory):
    """A Python that has imported nothing heavy."""
    imports = tmp_path_factory.mktemp("light") / "imports"
    line = [sys.executable, "-X", "importtime", "-c", IN_FORKS]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with open(imports, "w") as errors, subprocess.Popen(line, **pipes, stderr=errors, text=True, cwd=ROOT) as python:
        assert python.stdout.readline() == "ready\n"
        imported = set(_IMPORTED.findall(imports.read_text(encoding="utf-8")))
        assert "hydra" in imported  # the list of imports is there
        assert not imported & HEAVY
        yield python
        python.stdin.close()


@pytest.fixture
def answered(light_python, tmp_path):
    """Does a command in a fork of a light Python; checks what it imports, and returns what it prints."""

    def answer(script, *arguments, code=0) -> str:
        file = tmp_path / "said"
        file.unlink(missing_ok=True)
        light_python.stdin.write(json.dumps([str(file), script, *map(str, arguments)]) + "\n")
        light_python.stdin.flush()
        found = int(light_python.stdout.readline())
        said = file.read_text(encoding="utf-8")
        assert found == code, said
        assert not set(_IMPORTED.findall(said)) & HEAVY
        return said

    return answer


@pytest.mark.parametrize("script", ["train", "probe"])
def test_a_finished_run_is_shown_again(answered, script, work, small_data):
    said = answered(script, *commands(small_data, work)[script])
    assert "is finished; its results" in said
    assert "picture   " in said


@pytest.mark.parametrize("script", ["train", "probe"])
def test_a_run_on_which_another_process_works_is_refused(answered, script, work, small_data):
    seed = "seed=2"
    folder = only_run(work, script)
    other = folder.with_name(re.sub("-s1-.*", "-s2-", folder.name))
    said = run_script(script, *commands(small_data, work)[script], seed)
    assert said.returncode == 0, said.stderr
    (other,) = folder.parent.glob(f"{other.name}*")
    (other / "run.json").unlink()
    held = HeldFolder(other)
    held.take()
    try:
        assert "is in use by process" in answered(script, *commands(small_data, work)[script], seed, code=1)
    finally:
        held.release()


def test_a_finished_run_over_frozen_vectors_is_shown_again(answered, work, small_data, tmp_path):
    over = ["encoder=char_ngrams", "encoder.width=8"]
    arguments = small_training(small_data, tmp_path, "trainer.max_epochs=1", "model.hidden_size=12", task="pos")
    arguments = [one for one in arguments if one != "encoder.word_size=12"]
    done = run_script("train", *arguments, *over)
    assert done.returncode == 0, done.stderr
    assert "is finished; its results" in answered("train", *arguments, *over)


def test_what_a_language_can_be_asked_is_listed(answered, small_data, work):
    assert "Case" in answered("probe", *on_small_data(small_data, work), "list=true")


def test_misspelt_tests_are_refused(answered, small_data, work):
    assert "Did you mean Case?" in answered("probe", *on_small_data(small_data, work), "tests=[Cas]", code=1)


@pytest.mark.parametrize(
    ("script", "argument", "words"),
    [
        ("train", "task=lm model=tagger", "is not a model of task=lm"),
        ("train", "trainer.max_epochs=0", "trainer.max_epochs must be an integer of at least 1, got 0"),
        ("probe", "baselines=alll", 'baselines "alll" is unknown'),
    ],
)
def test_values_that_cannot_be_are_refused(answered, script, argument, words, small_data, work):
    assert words in answered(script, *on_small_data(small_data, work), *argument.split(), code=1)


@pytest.fixture(scope="module")
def refused(mini_folder, small_data, tmp_path_factory):
    """A work folder with what is refused, and where a command finds lang=mini."""
    work = with_mini(mini_folder, tmp_path_factory.mktemp("refused"))
    (work / "rows.txt").write_text("tr\ta\tone\nva\tb\ttwo\nte\ta\n", encoding="utf-8")
    (work / "own").mkdir()
    (work / "own" / "config.json").write_text("{}", encoding="utf-8")
    return work


OWN = "suite=own suite.path=WORK/rows.txt lang=en"
THREADS = "trainer.threads must be an integer of at least 1"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f"probe {OWN}", "rows.txt, line 3: the row has 2 columns"),
        (f"probe {OWN} encoder=transformer encoder.model=WORK/own", "rows.txt, line 3: the row has 2 columns"),
        ("probe MINI trainer.threads=two", THREADS),
        ("train MINI task=pos trainer.threads=three", THREADS),
        ("probe MINI encoder=char_ngrams tests=[Cas]", "Did you mean Case?"),
    ],
)
def test_what_needs_no_network_is_refused_before_one_is_imported(answered, command, words, refused, small_data):
    on_mini = " ".join(on_small_data(small_data, refused))
    said = answered(*command.replace("MINI", on_mini).replace("WORK", str(refused)).split(), code=1)
    assert words.replace("WORK", str(refused)) in said


def test_all_runs_are_summarised(answered, work):
    assert "char_ngrams" in answered("analyze", f"paths.work={work}")
