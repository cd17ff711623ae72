"""Commands that are refused before they work leave no folder."""

from pathlib import Path

import pytest

import polyprobe.probing.probing_run
import polyprobe.training.training_run  # noqa: F401  (loaded here, once for all that is forked)
from tests.commands.forked import ended
from tests.commands.scripts import on_small_data

PROBING = ["encoder=random", "tests=[Case]", "probe.max_epochs=2", "trainer.threads=1"]


def runs(work: Path) -> list[Path]:
    return [path for kind in ("train", "probe") for path in (work / "runs" / kind).glob("*")]


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ("train", ["seed=-1"]),
        ("train", ["monitor=dev/acuracy"]),
        ("train", ["probe_each_epoch=[Cse]"]),
        ("train", ["task=word_vectors", "model=fasttext", "model.workers=0"]),
        ("probe", ["cache.number=float8"]),
        ("probe", ["trainer.accelerator=tpu"]),
        ("probe", ["encoder=static_vectors", "encoder.path=nowhere.vec"]),
    ],
)
def test_a_start_that_is_refused_leaves_no_run_folder(script, wrong, small_data, tmp_path):
    common = on_small_data(small_data, tmp_path / "work")
    chosen = {"train": ["task=pos"], "probe": PROBING}[script]
    done = ended(script, [*common, *chosen, *wrong], tmp_path / "said")
    assert done.exitcode in (1, 2), done.said
    assert "Traceback" not in done.said
    assert runs(tmp_path / "work") == []
