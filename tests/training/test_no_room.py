"""A disk without room: one clear error, and nothing half-written."""

import errno
import os
import resource
from contextlib import contextmanager

import pytest
import torch

from polyprobe.formats.files.atomic import NoRoom, write_text, written_atomically
from polyprobe.training.callbacks.checkpoints import DigestedCheckpoints

LIMIT = 4096  # bytes of a file


@contextmanager
def limited_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_text_that_does_not_fit_is_told_with_file_and_free_bytes_and_leaves_the_old_one(tmp_path):
    write_text(tmp_path / "rows", "old")
    with (
        limited_files(),
        pytest.raises(NoRoom, match=r"rows cannot be written: File too large, after 4,096 bytes; [\d,]+"),
    ):
        write_text(tmp_path / "rows", "x" * 2 * LIMIT)
    assert (tmp_path / "rows").read_text() == "old"
    assert files_below(tmp_path) == [tmp_path / "rows"]


def test_a_checkpoint_that_does_not_fit_leaves_no_file_of_its_name(tmp_path):
    checkpoint = {"state_dict": {"weight": torch.zeros(LIMIT)}, "optimizer_states": []}
    with limited_files(), pytest.raises(NoRoom, match=r"epochs/03\.ckpt cannot be written: torch could not write all"):
        DigestedCheckpoints().save_checkpoint(checkpoint, tmp_path / "epochs/03.ckpt")
    assert [path.name for path in files_below(tmp_path / "epochs")] == []


def test_other_failures_stay_what_they_are(tmp_path):
    with pytest.raises(PermissionError), written_atomically(tmp_path / "rows"):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
