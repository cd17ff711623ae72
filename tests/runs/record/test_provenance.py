"""What a run says of the files behind it: their names."""

import subprocess
from pathlib import Path

import pytest

from polyprobe.runs.record import provenance
from polyprobe.runs.record.provenance import digests, name_of


@pytest.mark.parametrize(
    ("path", "root", "name"),
    [
        ("/data/ud/x.conllu", "/data", "ud/x.conllu"),
        ("/here/data/ud/x.conllu", "data", "ud/x.conllu"),
        ("/elsewhere/x.conllu", "/data", "/elsewhere/x.conllu"),
        ("/database/x.conllu", "/data", "/database/x.conllu"),
        ("x.conllu", "data", "/here/x.conllu"),
    ],
)
def test_a_file_is_named_by_its_path_below_the_data_folder_or_by_its_whole_path(path, root, name, monkeypatch):
    monkeypatch.setattr("os.getcwd", lambda: "/here")
    assert name_of(path, root) == name


def test_a_file_outside_the_data_folder_has_a_digest(tmp_path):
    (tmp_path / "x").write_text("x", encoding="utf-8")
    assert list(digests([tmp_path / "x"], tmp_path / "data")) == [str(tmp_path / "x")]


def test_inside_of_somebody_elses_repository_there_is_no_commit_of_polyprobe(tmp_path, monkeypatch):
    theirs, ours = repository(tmp_path / "theirs"), tmp_path / "theirs" / "polyprobe"
    ours.mkdir()
    monkeypatch.setattr(provenance, "ROOT", ours)
    assert code_state() == {"commit": None, "clean": None}
    monkeypatch.setattr(provenance, "ROOT", theirs)
    assert len(code_state()["commit"]) == 40


def test_the_commit_is_that_of_polyprobe_even_in_a_hook_of_another_repository(tmp_path, monkeypatch):
    ours, theirs = repository(tmp_path / "ours"), repository(tmp_path / "theirs", "two")
    monkeypatch.setattr(provenance, "ROOT", ours)
    expected = code_state()
    monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))
    assert code_state() == expected


def test_files_that_git_does_not_know_are_no_change_of_the_code(tmp_path, monkeypatch):
    ours = repository(tmp_path / "ours")
    monkeypatch.setattr(provenance, "ROOT", ours)
    (ours / "x").write_text("x", encoding="utf-8")
    assert code_state()["clean"] is True
    subprocess.run(["git", "-C", str(ours), "add", "x"], check=True)
    assert code_state()["clean"] is False


def code_state():
    found = provenance.provenance()["polyprobe"]
    return {key: found[key] for key in ("commit", "clean")}


def repository(folder: Path, message: str = "one") -> Path:
    folder.mkdir()
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", message]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
    return folder
