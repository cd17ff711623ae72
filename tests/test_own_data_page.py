"""docs/own_data.md: its commands are typed on the example files, whose first lines it shows."""

import re
import shutil

import pytest

from tests.commands.scripts import ROOT, only_run
from tests.encoders.tiny_transformers import write_transformer
from tests.pages import Page
from tests.predictors.tiny_causal import write_causal

PAGE = Page("own_data.md")
EXAMPLES = ROOT / "docs/examples"
_TRAINED = ["trainer.threads=1", "trainer.max_epochs=1"]
SMALL = {
    "probe": ["trainer.threads=1", "probe.max_epochs=1"],
    "check=true": [],
    "predictor": ["trainer.threads=1"],
    "task=ner": [*_TRAINED, "model.hidden_size=6"],
    "task=pos": [*_TRAINED, "model.hidden_size=6"],
    "task=nli": [*_TRAINED, "model.hidden_size=6"],
    "task=lm": [*_TRAINED, "model.word_size=6", "model.hidden_size=6", "task.datamodule.columns=2"],
    "task=word_vectors": ["model.width=6", "model.epochs=1", "model.bucket=200"],
    "task=sentence": [
        *_TRAINED,
        "model.encoder.hidden_size=6",
        "model.head.hidden_size=6",
        "task.datamodule.merges=10",
    ],
}
"""By what a command has: keys that make it small, the last that it has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mine")
    shutil.copytree(EXAMPLES, folder / "docs/examples")
    write_transformer(folder / "my_bert", "bert")
    write_causal(folder, "gpt2").rename(folder / "my_gpt2")
    return folder


@pytest.mark.parametrize("number", range(len(PAGE.commands)), ids=[" ".join(words) for words in PAGE.commands])
def test_a_command_of_the_page_succeeds(number, folder, small_data, tmp_path):
    command, arguments = PAGE.commands[number]
    (small,) = [SMALL[one] for one in SMALL if one in f"{command} {arguments}"][-1:]
    if "<run>" in arguments:
        of_model = next(n for n, (_, typed) in enumerate(PAGE.commands) if typed.startswith("task=lm"))
        PAGE.type_command(of_model, folder, small_data, *SMALL["task=lm"], work=tmp_path)
    done = PAGE.type_command(number, folder, small_data, *small, work=tmp_path)
    if "check=true" in arguments:
        assert "train: 10 items; 2 labels" in done.stdout
    else:
        assert only_run(tmp_path, command).is_dir()


def test_the_page_shows_and_uses_every_example():
    starts = re.findall(r"^```text\n(.*?)^```", PAGE.text, re.DOTALL | re.MULTILINE)
    files = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir()}
    assert all(any(content.startswith(start) for content in files.values()) for start in starts)
    typed = " ".join(arguments for _, arguments in PAGE.commands)
    assert [name for name in files if name not in typed] == ["parallel.fr"]
