"""Which published files a run read."""

import pytest

from polyprobe.resources import pinned_files
from polyprobe.resources.pinned_files import keep_first_fetch
from polyprobe.resources.revisions import revision, sources
from polyprobe.runs.directory import RunDirectory
from tests.resources.server import blob_of

ONE, TWO, FIRST = b"a\tb\n", b"c\td\n", b"e f\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data folder with two pinned files, one that no one knows the digest of, and one of the user's own."""
    rows = [
        ("sets", "owner/sets", "c0ffee", name, blob_of(content), "4", f"sets/{name}", "MIT")
        for name, content in (("train.txt", ONE), ("test.txt", TWO))
    ]
    (tmp_path / "files.tsv").write_text("header\n" + "".join("\t".join(row) + "\n" for row in rows))
    (tmp_path / "first.tsv").write_text("header\ntext\texample.org/1\ttext.txt\ttext.txt\tunknown\n")
    monkeypatch.setattr(pinned_files, "TABLE", tmp_path / "files.tsv")
    monkeypatch.setattr(pinned_files, "FIRST_FETCHED", tmp_path / "first.tsv")
    (tmp_path / "data/sets").mkdir(parents=True)
    for name, content in (("sets/train.txt", ONE), ("sets/test.txt", TWO), ("text.txt", FIRST), ("own.txt", ONE)):
        (tmp_path / "data" / name).write_bytes(content)
    return tmp_path / "data"


def test_files_of_a_repository_are_of_its_revision(root):
    assert revision([root / "sets/train.txt", root / "sets/test.txt"], root) == "owner/sets c0ffee"


def test_one_changed_byte_makes_a_test_another(root):
    (root / "sets/test.txt").write_bytes(b"c\tD\n")
    assert revision([root / "sets/train.txt", root / "sets/test.txt"], root) == ""


def test_a_file_without_a_published_digest_is_known_by_its_first_download(root):
    assert revision([root / "text.txt"], root) == ""
    keep_first_fetch(root, "text.txt", blob_of(FIRST), len(FIRST))
    assert revision([root / "text.txt"], root) == "example.org/1"


def test_sources_name_vectors_and_data(root):
    data = {"Case": [root / "sets/train.txt"], "own.txt": [root / "own.txt"]}
    assert sources({"vocabulary": 10}, "vectors/fi.vec", data, root) == {
        "vectors": {"model": "vectors/fi.vec", "vocabulary": 10},
        "data": {"Case": "owner/sets c0ffee", "own.txt": ""},
    }
    assert sources({}, None, {}, root) == {"vectors": {}, "data": {}}


@pytest.mark.parametrize("place", ["sets/Case/train.txt", "sets/Case.txt", "sets/about/Case/train.txt"])
def test_made_tests_bring_the_digests_of_what_they_were_made_from(root, tmp_path, place):
    run = RunDirectory(tmp_path / "linspector_type-fi-s1-1a2b3c4d")
    with run.opened("seed: 1\n"):
        run.begin({"fin.txt": "12" * 32})
        run.finish([], {})
    file = run.path / place
    file.parent.mkdir(parents=True)
    file.write_bytes(ONE)
    found = sources({}, None, {"Case": [file, file], "own.txt": [root / "own.txt"]}, root)
    assert found["made"] == {"linspector_type-fi-s1-1a2b3c4d": {"fin.txt": "12" * 32}}
