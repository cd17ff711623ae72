"""What an installation without any extra does."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from tests.commands.scripts import ROOT, only_run

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HIDDEN_AND_MAIN = """
import sys
sys.modules.update(dict.fromkeys({hidden!r}))
import polyprobe
from polyprobe.__main__ import main
main()
"""

WORDS = ["encoder.word_size=8"]


def name_of(requirement: str) -> str:
    return re.split(r"[<>=]", requirement)[0].lower().replace("_", "-")


def modules_of_extras() -> list[str]:
    """Lists the modules that extras install, but for those of developers."""
    extras = {extra: names for extra, names in PROJECT["optional-dependencies"].items() if extra not in ("dev", "docs")}
    names = {name_of(one) for requirements in extras.values() for one in requirements}
    base = {name_of(one) for one in PROJECT["dependencies"]}
    found = {module: {name_of(one) for one in owners} for module, owners in packages_distributions().items()}
    return sorted(module for module, owners in found.items() if owners & names and not owners & base)


def run(folder, *arguments, also_hidden=()):
    code = HIDDEN_AND_MAIN.format(hidden=[*modules_of_extras(), *also_hidden])
    command = [sys.executable, "-c", code, *arguments, f"paths.work={folder}", f"paths.data={folder / 'data'}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_it_has_at_most_20_packages():
    assert len(PROJECT["dependencies"]) <= 20


@pytest.mark.parametrize(
    ("command", "arguments", "also_hidden"),
    [
        (
            "probe",
            ["data=docs/case.csv", "encoder=char_ngrams", "probe.max_epochs=2"],
            ["pytorch_lightning", "lightning_fabric", "torchmetrics"],  # seconds that the bank does not pay
        ),
        ("train", ["-m", "task=pos", "lang=mini", "seed=1", "trainer.max_epochs=1", "model.hidden_size=8", *WORDS], []),
    ],
    ids=["probe", "train"],
)
def test_probing_and_training_need_no_extra(tmp_path, command, arguments, also_hidden):
    assert {"sacrebleu", "sentencepiece", "rapidfuzz", "h5py", "hydra_plugins"} & {*modules_of_extras()}
    ended = run(tmp_path, command, *arguments, "trainer.threads=1", also_hidden=also_hidden)
    assert ended.returncode == 0, ended.stderr
    assert (only_run(tmp_path, command) / "results.jsonl").is_file()


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["generate", "suite=pseudowords", "lang=mini"], "pseudowords"),
        (["train", "-m", "task=pos", "seed=1,2", "hydra/launcher=joblib"], "cluster"),
    ],
)
def test_what_an_extra_brings_is_named_where_it_is_missing(tmp_path, arguments, extra):
    ended = run(tmp_path, *arguments)
    assert ended.returncode != 0
    assert f"`pip install 'polyprobe[{extra}]'`" in ended.stderr
    assert "Traceback" not in ended.stderr
