from pathlib import Path

from polyprobe.runs.workspace import Workspace

PATHS = {"data": "/corpora", "work": "work", "mirror": "https://mirror.example", "conf": "elsewhere"}


def test_runs_and_caches_lie_below_the_work_folder():
    workspace = Workspace.of(PATHS)
    assert workspace.runs("train") == Path("work/runs/train")
    assert [workspace.encodings, workspace.probes, workspace.scores] == [
        Path("work/cache/encodings"),
        Path("work/cache/probes"),
        Path("work/cache/scores"),
    ]


def test_data_and_their_mirror_are_those_of_the_configuration():
    workspace = Workspace.of(PATHS)
    assert (workspace.data, workspace.mirror) == (Path("/corpora"), "https://mirror.example")
