"""What needs no network of weights is answered without the libraries that make one."""

import json
import re
import subprocess
import sys

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, on_small_data, small_training, with_mini

HEAVY = {"gensim", "lightning_fabric", "pytorch_lightning", "scipy", "sklearn", "tokenizers", "torch",
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
from polyprobe.runs.command.compose import composed, composing
from polyprobe.runs.command.overrides import COMMANDS
with composing():
    for script in COMMANDS:
        composed(script, [])
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


@pytest.fixture(scope="module")
def refused(mini_folder, small_data, tmp_path_factory):
    """A work folder with what is refused, and where a command finds lang=mini."""
    work = with_mini(mini_folder, tmp_path_factory.mktemp("refused"))
    (work / "rows.txt").write_text("tr\ta\tone\nva\tb\ttwo\nte\ta\n", encoding="utf-8")
    return work


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("probe suite=own suite.path=WORK/rows.txt lang=en", "rows.txt, line 3: the row has 2 columns"),
        ("probe MINI encoder=char_ngrams tests=[Cas]", "Did you mean Case?"),
        ("probe MINI baselines=alll", 'baselines "alll" is unknown'),
        ("train MINI task=pos trainer.threads=three", "trainer.threads must be an integer of at least 1"),
        ("train MINI task=pos data.corpus=minni", 'data.corpus "minni" is unknown. Did you mean mini?'),
        ("train MINI task=lm model=tagger", "is not a model of task=lm"),
    ],
)
def test_what_needs_no_network_is_refused_before_one_is_imported(answered, command, words, refused, small_data):
    on_mini = " ".join(on_small_data(small_data, refused))
    said = answered(*command.replace("MINI", on_mini).replace("WORK", str(refused)).split(), code=1)
    assert words.replace("WORK", str(refused)) in said
