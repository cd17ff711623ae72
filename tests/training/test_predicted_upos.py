"""A parser that reads the tags of a tagger, and is scored by those of the treebank."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
import yaml

from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import build_model, load_model, write_digest
from polyprobe.runs.command.script import CONF
from polyprobe.training.door import training_settings
from polyprobe.training.predicted_upos import with_predicted_upos
from polyprobe.training.run import run_directory
from tests.commands.forked import run_script
from tests.commands.scripts import only_run, small_training
from tests.models.entity_corpus import entities
from tests.models.tagged_corpus import tagging
from tests.models.treebank import EIGHT, datamodule
from tests.training.five_tasks import composed


def write_run(run: Path, model: str, inputs: dict, seed: int = 1) -> Path:
    """Writes what is looked at of a finished run, with a model that has learned nothing."""
    settings = yaml.safe_load((CONF / f"model/{model}.yaml").read_text(encoding="utf-8"))
    settings |= {"hidden_size": 5, "seed": seed}
    state = build_model(settings, inputs).state_dict()
    path = run / "epochs/03.ckpt"
    path.parent.mkdir(parents=True)
    torch.save({"polyprobe": {"model": settings, "inputs": inputs}, "state_dict": state}, path)
    write_digest(path, file_digest(path))
    (run / "run.json").write_text(json.dumps({"status": "finished", "best_epoch": 3}), encoding="utf-8")
    (run / "results.jsonl").touch()
    return run


@pytest.fixture
def tagger_run(tmp_path):
    return write_run(tmp_path / "pos", "tagger", tagging().model_inputs())


def corpus(sentences: Sequence) -> Corpus:
    return Corpus("c", sentences, sentences, sentences, {"more": sentences}, (), ())


def test_every_split_has_the_tags_of_the_tagger_and_keeps_those_of_the_treebank(tagger_run, tmp_path):
    found = with_predicted_upos(corpus(EIGHT), str(tagger_run), tmp_path)
    tags = load_model(tagger_run / "epochs/03.ckpt").tags([one.words for one in EIGHT])
    for split in (found.train, found.dev, found.test, found.beside["more"]):
        assert [list(one.upos) for one in split] == tags
        assert [one.gold_upos for one in split] == [one.upos for one in EIGHT]
        assert [one.heads for one in split] == [one.heads for one in EIGHT]


def test_counts_say_how_many_tags_are_wrong_in_each_split(tagger_run, tmp_path):
    found = with_predicted_upos(corpus(EIGHT), str(tagger_run), tmp_path)
    n_wrong = sum(tag != gold for one in found.dev for tag, gold in zip(one.upos, one.gold_upos, strict=True))
    counts = datamodule(found.train, found.dev, found.test, upos="predicted").counts()
    assert counts["dev words with a wrong tag"] == counts["train words with a wrong tag"] == n_wrong > 0
    assert "gold tags that are read" not in counts


def test_tags_that_are_not_asked_for_or_not_there_are_refused(tagger_run, tmp_path):
    found = with_predicted_upos(corpus(EIGHT), str(tagger_run), tmp_path)
    with pytest.raises(PolyprobeError, match=r"data\.upos_run is given, and task\.datamodule\.upos=gold"):
        datamodule(found.train, found.dev)
    with pytest.raises(PolyprobeError, match=r"upos=predicted needs data\.upos_run"):
        datamodule(upos="predicted")


def test_a_run_that_is_not_finished_or_of_another_task_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match="nowhere is not a finished run"):
        with_predicted_upos(corpus(EIGHT), "nowhere", tmp_path)
    other = write_run(tmp_path / "ner", "entity_tagger", entities().model_inputs())
    with pytest.raises(PolyprobeError, match="has a EntityTagger"):
        with_predicted_upos(corpus(EIGHT), str(other), tmp_path)


def name_of_parser(tagger_run: str) -> str:
    settings = training_settings(
        composed("task=dep", "lang=tr", "task.datamodule.upos=predicted", f"data.upos_run={tagger_run}")
    )
    return run_directory(settings, settings.inputs.learned_identity).name


def test_a_tagger_is_part_of_the_run_by_its_weights_and_not_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inputs = tagging().model_inputs()
    write_run(Path("runs/x"), "tagger", inputs)
    name = name_of_parser("runs/x")
    shutil.copytree("runs/x", "moved")
    assert {name_of_parser(path) for path in ("./runs/x", str(tmp_path / "runs/x"), "moved")} == {name}
    shutil.rmtree("runs/x")
    write_run(Path("runs/x"), "tagger", inputs, seed=2)
    assert name_of_parser("runs/x") != name


def test_a_run_is_not_named_by_a_tagger_that_is_not_finished():
    with pytest.raises(PolyprobeError, match="nowhere is not a finished run"):
        name_of_parser("nowhere")


def test_rows_say_whose_tags_were_read_and_how_many_of_them_are_right(tagger_run, small_data, tmp_path):
    predicted = ["task.datamodule.upos=predicted", f"data.upos_run={tagger_run}", "trainer.max_epochs=1"]
    done = run_script("train", *small_training(small_data, tmp_path / "work", *predicted, task="dep"))
    assert done.returncode == 0, done.stderr
    assert "dev words with a wrong tag: " in done.stdout
    text = (only_run(tmp_path / "work", "train") / "results.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    (upos,) = [row for row in rows if (row["stage"], row["split"], row["metric"]) == ("test", "test", "upos")]
    assert 0 <= upos["value"] < 1
    assert {row["note"] for row in rows} == {"UPOS: predicted"}
