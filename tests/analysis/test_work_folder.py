from pathlib import Path

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.work_folder import disk_usage
from polyprobe.errors import BadValue, PolyprobeError

FILES = {
    "runs/train/pos-mini/run.json": 1_000_000,
    "runs/train/pos-mini/epochs/00.ckpt": 2_000_000,
    "runs/train/pos-mini/resume/00.ckpt": 3_000_000,
    "runs/probe/mini/.lock": 0,
    "runs/sweeps/train-seed/sweep.json": 400_000,
    "cache/encodings/abc/1.block": 7_000_000,
    "cache/other/file": 9_000_000,
    "runs/train/notes/text": 9_000_000,
}


@pytest.fixture
def work(tmp_path) -> Path:
    """Runs, a sweep and a cache beside folders that are none."""
    for name, size in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    (tmp_path / "runs/train/pos-mini/last").symlink_to("epochs/00.ckpt")
    return tmp_path


def test_runs_and_caches_stand_by_size_and_links_count_nothing(work, capsys):
    show(disk_usage(work, True))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[4:8] == [
        ["cache", "encodings", "7.0", "0.0"],
        ["train", "pos-mini", "6.0", "5.0"],
        ["sweeps", "train-seed", "0.4", "0.0"],
        ["probe", "mini", "0.0", "0.0"],
    ]
    assert "13.4" in lines[0]


def test_a_folder_without_runs_and_another_value_are_refused(tmp_path):
    with pytest.raises(PolyprobeError, match="Neither runs nor caches below"):
        show(disk_usage(tmp_path, True))
    with pytest.raises(BadValue, match="disk must be true or null"):
        show(disk_usage(tmp_path, "all"))
