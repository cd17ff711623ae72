"""Exported vectors: probes of them score as those of the encoder, from the cache or not; bad folders are refused."""

import json
from string import ascii_lowercase

import pytest
from safetensors import SafetensorError

import polyprobe as pp
from polyprobe.errors import PolyprobeError

NOUNS = "".join(f"{letter}at\tSing\n{letter}ats\tPlur\n" for letter in ascii_lowercase)
BY_NAME = ("run", "encoder", "model", "options", "sources")  # what differs in rows
QUICK = {"threads": 1, "overrides": ["probe.max_epochs=3"], "quiet": True}


@pytest.fixture
def own(tmp_path):
    (tmp_path / "nouns.tsv").write_text(NOUNS)
    return {"data": tmp_path / "nouns.tsv", "work": tmp_path / "work"}


def scores(run):
    return [{key: value for key, value in row.items() if key not in BY_NAME} for row in run.rows]


def test_probes_of_exported_vectors_score_as_those_of_the_encoder(own, tmp_path):
    encoder = pp.encoder("char_ngrams", width=7)
    folder = pp.export_vectors(encoder, tmp_path / "there", **own, threads=1)
    assert folder == tmp_path / "there"
    assert {"form": "cats"} in [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    again = pp.probe(pp.encoder("vectors", path=str(folder)), **own, **QUICK)
    assert scores(again) == scores(pp.probe(encoder, **own, **QUICK))
    assert not (tmp_path / "work/runs/train").exists()


@pytest.mark.parametrize(
    ("encoder", "more", "words"),
    [
        ("tfidf", (), "encoder=tfidf counts, and has no vectors"),
        ("char_ngrams", ("folder=7",), "folder must be the name of a file or folder"),
        ("vectors", ("encoder.path=absent",), "absent has no vectors"),
    ],
)
def test_what_cannot_be_exported_is_refused(own, tmp_path, encoder, more, words):
    with pytest.raises(PolyprobeError, match=words):
        pp.export_vectors(encoder, tmp_path / "there", **own, overrides=list(more))
    assert not (tmp_path / "there").exists()


def test_a_folder_with_files_is_not_written_over(own, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").touch()
    with pytest.raises(PolyprobeError, match="there: it is there and not empty"):
        pp.export_vectors("char_ngrams", tmp_path / "there", **own)


def test_the_same_command_goes_on_after_one_that_had_no_room(own, tmp_path, monkeypatch):
    def no_room(tensors, file):
        raise SafetensorError("No space left on device")

    monkeypatch.setattr("polyprobe.formats.vectors.vectors_folder.save_file", no_room)
    with pytest.raises(PolyprobeError, match=r"folder=.*there: it cannot be written \(No space left on device\)"):
        pp.export_vectors("char_ngrams", tmp_path / "there", **own)
    assert {file.name for file in tmp_path.iterdir()} == {"nouns.tsv", "work"}
    monkeypatch.undo()
    folder = pp.export_vectors("char_ngrams", tmp_path / "there", **own)
    assert sorted(file.name for file in folder.iterdir()) == ["0-char_ngrams.safetensors", "items.jsonl"]


def test_a_place_that_cannot_be_written_is_told_before_anything_is_encoded(own, tmp_path):
    with pytest.raises(PolyprobeError, match=r"^folder=.*nouns\.tsv/there: it cannot be written \(Not a directory\)"):
        pp.export_vectors("char_ngrams", own["data"] / "there", **own)
    assert not (tmp_path / "work").exists()


def test_missing_items_end_the_command_before_there_is_a_run(own, tmp_path):
    folder = pp.export_vectors("char_ngrams", tmp_path / "there", **own)
    own["data"].write_text(NOUNS + "sea\tSing\nseas\tPlur\n")
    with pytest.raises(PolyprobeError, match=r'lacks 2 of 54 items: {"form": "sea.*\. All are listed'):
        pp.probe(pp.encoder("vectors", path=str(folder)), **own, **QUICK)
    listed = (folder / "missing.jsonl").read_text().splitlines()
    assert sorted(listed) == ['{"form": "sea"}', '{"form": "seas"}']
    assert not (tmp_path / "work/runs").exists()


def test_a_folder_that_cannot_be_made_is_said(own, tmp_path):
    with pytest.raises(PolyprobeError, match=r"items\.jsonl: there is no such file\. Expected a folder with"):
        pp.probe(pp.encoder("vectors", path=str(tmp_path / "no" / "folder")), **own, **QUICK)
