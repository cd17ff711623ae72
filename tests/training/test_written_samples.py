"""Samples of a run that translates: one file, whether it was cut off or not, and the dashboard's copy."""

import json
from pathlib import Path

import pytest

from polyprobe.training.run import train_sentence_encoder
from tests.training.five_tasks import composed
from tests.training.same_runs import assert_same, unfinished_copy

READER = "polyprobe.formats.texts.sentence_lines.parallel_sentences"
CORPUS = f"{{objective: nmt, reader: {READER}, reader_options: {{tokenised_by: blanks, languages: [en, fr]}}, "
CORPUS += "further_files: {target: {replace: .en, by: .fr}}, train: train.en, dev: dev.en, test: dev.en}"
WIDTHS = ("model.encoder.hidden_size=6", "model.head.hidden_size=8", "model.head.unit_size=6", "encoder.word_size=6")
DEV = [("the dog sleeps", "le chien dort"), ("a cat sleeps", "un chat dort"), ("the cat", "le chat")]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("parallel")
    for split, pairs in {"train": DEV * 4, "dev": DEV}.items():
        for language, side in {"en": 0, "fr": 1}.items():
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
    return folder


def trained(data: Path, work: Path, *more: str) -> Path:
    task = ("task=sentence", "objective=nmt", "model=bilstm_max", "lang=en", "data.target=fr", "encoder=learned")
    small = (*WIDTHS, "task.datamodule.merges=5", "model.objective.longest=6", "trainer.max_epochs=2", "samples=2")
    places = (f"paths.data={data}", f"paths.work={work}", "trainer.threads=1")
    return train_sentence_encoder(
        composed(*task, "data.corpus=own", f"+data.corpora.own={CORPUS}", *small, *places, *more)
    ).path


@pytest.fixture(scope="module")
def whole(data, tmp_path_factory) -> Path:
    return trained(data, tmp_path_factory.mktemp("whole"))


def test_every_epoch_has_its_samples(whole):
    header, *rows = [line.split("\t") for line in (whole / "samples.tsv").read_text(encoding="utf-8").splitlines()]
    assert header == ["epoch", "sentence", "target", "answer"]
    assert [row[:3] for row in rows] == [[str(epoch), *DEV[place]] for epoch in range(3) for place in (0, 1)]


def test_a_run_that_was_cut_off_has_the_samples_of_one_that_was_not(data, whole, tmp_path):
    copy = unfinished_copy(whole, tmp_path)
    for path in [*copy.glob("epochs/02*"), *copy.glob("resume/02*"), copy / "samples.tsv"]:
        path.unlink()
    assert trained(data, tmp_path) == copy
    assert_same(copy, whole)
    assert (copy / "samples.tsv").read_bytes() == (whole / "samples.tsv").read_bytes()


def test_the_number_of_samples_is_no_part_of_a_runs_name_and_null_keeps_none(data, whole, tmp_path):
    run = trained(data, tmp_path, "samples=null")
    assert run.name == whole.name
    assert_same(run, whole)
    assert not (run / "samples.tsv").exists()


def test_a_dashboard_has_a_table_of_each_epoch(data, whole, tmp_path):
    run = trained(data, tmp_path, "logger=wandb_offline")
    tables = [json.loads(path.read_text(encoding="utf-8")) for path in run.rglob("samples*.table.json")]
    rows = sorted((row for table in tables for row in table["data"]), key=lambda row: row[0])
    written = [line.split("\t") for line in (whole / "samples.tsv").read_text(encoding="utf-8").splitlines()]
    assert [list(map(str, row)) for row in rows] == written[1:]
    assert all(table["columns"] == written[0] for table in tables)
