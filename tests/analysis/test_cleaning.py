import os
import pty
import sys
from pathlib import Path

import filelock
import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.work_folder import NotConfirmed, clean
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.held_folder import RunIsBusy

RUN, OTHER = "pos-mini-learned-s1-12345678", "pos-mini-learned-s2-12345678"


@pytest.fixture
def work(tmp_path) -> Path:
    """Two runs with their locks, and caches of three kinds."""
    work = tmp_path / "work"
    for name in (RUN, OTHER):
        run = RunDirectory(work / "runs/train" / name)
        run.open("seed: 1\n")
        run.close()
        (run.path / "epochs").mkdir()
        (run.path / "epochs/00.ckpt").write_bytes(bytes(1000))
        (run.path / "last").symlink_to("epochs/00.ckpt")
        (run.path / "run.json").write_text("{}", encoding="utf-8")
    for name in ("encodings/abc/lock", "encodings/abc/1.block", "scores/abc/1.lock", "mini-1/x", "theirs/x"):
        (work / "cache" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "cache" / name).touch()
    return work


def below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("by_folder", [False, True])
def test_a_run_is_removed_and_nothing_else(work, by_folder):
    everything, run = below(work), work / "runs/train" / RUN
    of_run = {f"runs/train/{RUN}", *(f"runs/train/{RUN}/{name}" for name in below(run))}
    show(clean(work, str(run) if by_folder else RUN, RUN))
    assert below(work) == everything - of_run


def test_all_caches_are_removed_and_folders_that_are_none_stay(work):
    show(clean(work, "caches", "caches"))
    assert below(work / "cache") == {"theirs", "theirs/x"}
    with pytest.raises(PolyprobeError, match="There are no caches"):
        show(clean(work, "caches", "caches"))


@pytest.mark.parametrize("name", [RUN, "caches"])
def test_without_the_very_name_nothing_is_removed(work, name, monkeypatch):
    everything = below(work)
    for confirmation in ("yes", "", OTHER):
        with pytest.raises(NotConfirmed, match="nothing is removed"):
            show(clean(work, name, confirmation))
    with open(os.devnull, encoding="utf-8") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        with pytest.raises(NotConfirmed, match=f"confirm={name}"):
            show(clean(work, name, None))
    assert below(work) == everything


def test_on_a_terminal_the_name_is_asked_for(work, monkeypatch, capsys):
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", buffering=0) as typing, os.fdopen(theirs, encoding="utf-8") as terminal:
        typing.write(f"y\n{RUN}\n".encode())
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(NotConfirmed, match='"y" is not'):
            show(clean(work, RUN, None))
        show(clean(work, RUN, None))
    assert f"Type its name, {RUN}: " in capsys.readouterr().out
    assert not (work / "runs/train" / RUN).exists()


@pytest.mark.parametrize(
    ("name", "lock"),
    [
        (RUN, f"runs/train/{RUN}/.lock"),
        ("caches", f"runs/train/{RUN}/.lock"),
        ("caches", "cache/encodings/abc/lock"),
        ("caches", "cache/scores/abc/1.lock"),
    ],
)
def test_what_is_in_use_stays(work, name, lock):
    everything = below(work)
    with filelock.FileLock(work / lock), pytest.raises(RunIsBusy, match="in use"):
        show(clean(work, name, name))
    assert below(work) == everything
    show(clean(work, name, name))


def test_no_link_is_followed(work, tmp_path):
    outside, run = tmp_path / "outside", work / "runs/train" / RUN
    (outside / "scratch").mkdir(parents=True)
    for name in ("run.json", "kept.lock", "scratch/file"):
        (outside / name).write_text("theirs", encoding="utf-8")
    (run / "epochs/scratch").symlink_to(outside)
    (run / "kept.lock").symlink_to(outside / "kept.lock")
    (work / "runs/train/linked").symlink_to(outside)
    (work / "cache/probes").symlink_to(outside)
    for name in ("linked", "caches"):
        with pytest.raises(PolyprobeError, match="Links are not followed"):
            show(clean(work, name, name))
    show(clean(work, RUN, RUN))
    assert below(outside) == {"run.json", "kept.lock", "scratch", "scratch/file"}
    assert (outside / "kept.lock").read_text(encoding="utf-8") == "theirs"


@pytest.mark.parametrize("name", [f"{RUN[:-1]}9", "..", ".", "/", f"../train/{RUN}/..", "epochs", ""])
def test_a_name_of_no_run_is_refused(work, name):
    everything = below(work)
    with pytest.raises(UnknownChoice):
        show(clean(work, name, name))
    assert below(work) == everything
