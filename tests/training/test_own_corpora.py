"""Corpora that lie anywhere: named by absolute paths or from the current folder, in whatever line ends."""

import json
import re

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import malformed_handler
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.resources.download import MissingFile
from polyprobe.runs.command.compose import compose
from polyprobe.runs.command.overrides import CommandLineError
from polyprobe.training.run import train
from tests.models.treebank import EIGHT
from tests.training.five_tasks import composed

CORPUS = "".join(
    "".join(
        f"{n}\t{form}\t_\t{tag}" + "\t_" * 6 + "\n"
        for n, (form, tag) in enumerate(zip(one.words, one.upos, strict=True), 1)
    )
    + "\n"
    for one in EIGHT
)
SMALL = ["task=pos", "lang=mini", "lang.generator=null", "model.hidden_size=8", "encoder.word_size=8"]
SHORT = ["trainer.max_epochs=1", "trainer.threads=1"]


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A data folder, the current folder and a third one, with a corpus in each, named differently."""
    for name in ("data", "here", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.conllu").write_text(CORPUS, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def configured(folders, train, *more):
    corpus = f"train: {train}, dev: {folders}/elsewhere/elsewhere.conllu, test: data.conllu"
    own = f"+data.corpora.own={{reader: polyprobe.formats.treebanks.labelled_words.universal_pos_sentences, {corpus}}}"
    paths = [f"paths.data={folders}/data", f"paths.work={folders}/work"]
    return composed(*SMALL, *SHORT, own, "data.corpus=own", *paths, *more)


def record(run):
    return json.loads((run.path / "run.json").read_text(encoding="utf-8"))


def test_a_corpus_is_read_from_the_data_folder_the_current_one_and_any_other(folders):
    (folders / "here/here.conllu").write_bytes(b"\xef\xbb\xbf" + CORPUS.replace("\n", "\r\n").encode())
    config = configured(folders, "here.conllu")
    run = train(config)
    here, elsewhere = f"{folders}/here/here.conllu", f"{folders}/elsewhere/elsewhere.conllu"
    assert set(record(run)["data"]) == {here, elsewhere, "data.conllu"}
    assert train(config).path == run.path  # which compares the files with those of its start
    (folders / "here/here.conllu").write_text(CORPUS, encoding="utf-8")
    with pytest.raises(PolyprobeError, match=f"{here} changed since"):
        train(config)


def test_a_file_of_the_data_folder_comes_before_one_of_the_current_folder(folders):
    (folders / "here/data.conllu").write_text("nothing\n", encoding="utf-8")
    assert "data.conllu" in record(train(configured(folders, "data.conllu")))["data"]


def test_a_file_that_is_nowhere_names_both_places(folders):
    with pytest.raises(MissingFile) as raised:
        train(configured(folders, "absent.conllu"))
    assert f"no file {folders}/data/absent.conllu and none at {folders}/here/absent.conllu" in str(raised.value)
    with pytest.raises(MissingFile, match=f"{folders}/absent.conllu is missing: there is no such file"):
        train(configured(folders, f"{folders}/absent.conllu"))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("here.conllu", "data.corpora.own must be an entry such as {reader: …, train: …}, got 'here.conllu'"),
        ("{train: here.conllu}", "data.corpora.own has no reader. Expected reader, train"),
        (
            "{reader: universal_pos_sentences, train: here.conllu, test: ''}",
            "data.corpora.own has no dev, no test. Expected reader, train, ",
        ),
        (
            "{reader: dependency_sentences, train: here.conllu, dev: here.conllu, test: here.conllu}",
            "task=pos: reader dependency_sentences is for task=dep. Expected linspector_pos_sentences, universal_pos_",
        ),
        ("{reader: x, train: 3}", "data.corpora.own.train must be a file or a list of files, got 3"),
    ],
)
def test_an_entry_that_lacks_something_is_refused_with_its_key(entry, words, folders):
    paths = [f"paths.data={folders}/data", f"paths.work={folders}/work"]
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        train(composed(*SMALL, *SHORT, f"+data.corpora.own={entry}", "data.corpus=own", *paths))


def test_a_key_of_a_corpus_that_is_not_there_says_how_one_is_added():
    with pytest.raises(CommandLineError, match=r"Prefix keys of your own with \+: '\+data.corpora.mine"):
        compose("train", ["task=pos", "data.corpora.mine.train=x"])


def test_known_bad_places_are_those_of_the_file_that_is_read(folders):
    settings = {"train": "here.conllu", "known_malformed_lines": {"train": [3]}}
    handle = malformed_handler(None, settings, folders / "data")
    handle(MalformedLine(folders / "here/here.conllu", 3, "it is bad", "good"))
    with pytest.raises(MalformedLine):
        handle(MalformedLine(folders / "here/here.conllu", 4, "it is bad", "good"))
