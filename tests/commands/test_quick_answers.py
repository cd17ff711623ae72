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


def answered(script, *arguments, code=0) -> str:
    """Runs a script in a Python of its own; checks what it imports, and returns what it prints."""
    line = [sys.executable, "-X", "importtime", str(ROOT / f"{script}.py"), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == code, done.stderr
    imported = set(_IMPORTED.findall(done.stderr))
    assert "hydra" in imported  # the list of imports is there
    assert not imported & HEAVY
    return done.stdout + done.stderr


@pytest.mark.parametrize("script", ["train", "probe"])
def test_a_finished_run_is_shown_again(script, work, small_data):
    said = answered(script, *commands(small_data, work)[script])
    assert "is finished; its results" in said
    assert "picture   " in said


def test_similarities_that_were_found_are_shown_again(work, small_data):
    run = only_run(work, "train").name
    arguments = [f"paths.work={work}", f"paths.data={small_data}", f"similarity={run}", "of_similarity.sample=20"]
    done = run_script("analyze", *arguments)
    assert done.returncode == 0, done.stderr
    said = answered("analyze", *arguments)
    assert "is finished; its results" in said
    assert "picture   " in said


@pytest.mark.parametrize("script", ["train", "probe"])
def test_a_run_on_which_another_process_works_is_refused(script, work, small_data):
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


def test_a_finished_run_over_frozen_vectors_is_shown_again(work, small_data, tmp_path):
    over = ["encoder=char_ngrams", "encoder.width=8"]
    arguments = small_training(small_data, tmp_path, "trainer.max_epochs=1", "model.hidden_size=12", task="pos")
    arguments = [one for one in arguments if one != "encoder.word_size=12"]
    done = run_script("train", *arguments, *over)
    assert done.returncode == 0, done.stderr
    assert "is finished; its results" in answered("train", *arguments, *over)


def test_what_a_language_can_be_asked_is_listed(small_data, work):
    assert "Case" in answered("probe", *on_small_data(small_data, work), "list=true")


def test_misspelt_tests_are_refused(small_data, work):
    assert "Did you mean Case?" in answered("probe", *on_small_data(small_data, work), "tests=[Cas]", code=1)


@pytest.mark.parametrize(
    ("script", "argument", "words"),
    [
        ("train", "task=lm model=tagger", "is not a model of task=lm"),
        ("train", "trainer.max_epochs=0", "trainer.max_epochs must be an integer of at least 1, got 0"),
        ("probe", "baselines=alll", 'baselines "alll" is unknown'),
    ],
)
def test_values_that_cannot_be_are_refused(script, argument, words, small_data, work):
    assert words in answered(script, *on_small_data(small_data, work), *argument.split(), code=1)


# Commands that a Python with what is light does one after the other, each in a fork, and says what each imports.
IN_FORKS = """
import json, os, runpy, sys
import rich.console
from polyprobe.runs.command.overrides import check_overrides
check_overrides("train", [])
check_overrides("probe", [])
for number, (script, *arguments) in enumerate(json.loads(sys.argv[1])):
    print(f"command {number}", file=sys.stderr, flush=True)
    if not os.fork():
        sys.argv = [f"{script}.py", *arguments]
        runpy.run_path(sys.argv[0], run_name="__main__")
    os.wait()
"""


@pytest.fixture(scope="module")
def refused(mini_folder, small_data, tmp_path_factory) -> dict[str, str]:
    """What each command that is refused has said, by its last argument; none has imported what is heavy."""
    work = with_mini(mini_folder, tmp_path_factory.mktemp("refused"))
    rows = work / "rows.txt"
    rows.write_text("tr\ta\tone\nva\tb\ttwo\nte\ta\n", encoding="utf-8")
    own, on_mini = ["suite=own", f"suite.path={rows}", "lang=en"], on_small_data(small_data, work)
    checkpoint, transformer = ["encoder=checkpoint", "encoder.run=foo"], ["encoder=transformer"]
    for folder in ("folder", "own"):
        (work / folder).mkdir()
    (work / "own" / "config.json").write_text("{}", encoding="utf-8")
    commands = [
        ["probe", *own],
        ["probe", *own, *transformer, f"encoder.model={work}/own"],
        ["probe", *on_mini, *transformer, "encoder.model=/nowhere/bert"],
        ["train", *on_mini, "task=pos", *transformer, "encoder.model=/nowhere/pos"],
        ["probe", *on_mini, *transformer, f"encoder.model={work}", "encoder.layers=6"],
        ["probe", *on_mini, *checkpoint],
        ["probe", *on_mini, "encoder=checkpoint", f"encoder.run={work}/folder", "encoder.layers=7"],
        ["probe", *on_mini, "trainer.threads=two"],
        ["train", *on_mini, "task=pos", "trainer.threads=three"],
        ["probe", *on_mini, "encoder=char_ngrams", "tests=[Cas]"],
        ["probe", "suite=clams", f"paths.work={work}", "predictor=lstm", "predictor.run=bar"],
    ]
    line = [sys.executable, "-X", "importtime", "-c", IN_FORKS, json.dumps(commands)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=True)
    before_them, *of_commands = re.split(r"^command \d+$", done.stderr, flags=re.MULTILINE)
    for command, text in zip([["their Python"], *commands], [before_them, *of_commands], strict=True):
        assert not set(_IMPORTED.findall(text)) & HEAVY, command
    return {command[-1]: text for command, text in zip(commands, of_commands, strict=True)}


@pytest.mark.parametrize(
    ("last_argument", "words"),
    [
        ("lang=en", "rows.txt, line 3: the row has 2 columns"),
        ("/own", "rows.txt, line 3: the row has 2 columns"),
        ("encoder.model=/nowhere/bert", "there is no folder /nowhere/bert"),
        ("encoder.model=/nowhere/pos", "there is no folder /nowhere/pos"),
        ("encoder.layers=6", "encoder.layers must be a list of layers from 0 (the embedding layer), such as [6]"),
        ("encoder.run=foo", "encoder.run: there is no folder foo. Expected the directory of a run of train.py"),
        ("encoder.layers=7", "encoder.layers must be a list of names"),
        ("trainer.threads=two", "trainer.threads must be an integer of at least 1"),
        ("trainer.threads=three", "trainer.threads must be an integer of at least 1"),
        ("tests=[Cas]", "Did you mean Case?"),
        ("predictor.run=bar", "predictor.run: there is no folder bar"),
    ],
)
def test_what_needs_no_network_is_refused_before_one_is_imported(last_argument, words, refused):
    (said,) = [text for argument, text in refused.items() if argument.endswith(last_argument)]
    assert words in said


def test_all_runs_are_summarised(work):
    assert "char_ngrams" in answered("analyze", f"paths.work={work}")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["encoder=transformer", "encoder.model=gpt2", "+encoder.power=1"], "power"),
        (["suite=clams", "predictor=lstm", "predictor.run=run", "+predictor.reader=os.system"], "reader"),
    ],
)
def test_an_option_that_there_is_not_is_refused(arguments, option, mini_folder, tmp_path):
    said = answered("probe", *arguments, f"paths.work={with_mini(mini_folder, tmp_path)}", code=1)
    assert f'option "{option}" is unknown. Known: ' in said
