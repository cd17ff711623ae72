"""Outcomes are kept whole, and stay behind when anything changes that they depend on."""

import numpy as np
import pytest
import sklearn
import torch

from polyprobe.probing.downstream import task_outcomes as kept_outcomes
from polyprobe.probing.downstream.task_outcomes import ROOMS, KeptTaskOutcomes, TaskOutcome

CPU = torch.device("cpu")
OUTCOME = TaskOutcome(np.array([0, 1, 1]), (0.5, 1.0), 0.75, "weight_decay=0.001")


def kept(folder, device=CPU) -> KeptTaskOutcomes:
    return KeptTaskOutcomes(folder, device)


def test_an_outcome_comes_back_as_it_was_and_under_no_other_name(tmp_path):
    kept(tmp_path).write("MR 1", OUTCOME)
    found = kept(tmp_path).read("MR 1")
    np.testing.assert_array_equal(found.predictions, [0, 1, 1])
    assert (found.fold_accuracies, found.dev, found.cell) == ((0.5, 1.0), 0.75, "weight_decay=0.001")
    assert kept(tmp_path).read("MR 2") is None


def test_another_device_has_its_own(tmp_path):
    kept(tmp_path).write("MR 1", OUTCOME)
    assert kept(tmp_path, torch.device("cuda")).read("MR 1") is None


@pytest.mark.parametrize("library", [torch, np, sklearn])
def test_another_version_of_a_library_has_its_own(library, tmp_path, monkeypatch):
    kept(tmp_path).write("MR 1", OUTCOME)
    monkeypatch.setattr(library, "__version__", "0.0")
    assert kept(tmp_path).read("MR 1") is None


@pytest.mark.parametrize("name", ["fits.py", "bank.py", "grid.py", "downstream_tasks.py", "cross_validation.py"])
def test_a_changed_source_has_its_own(name, tmp_path, monkeypatch):
    rooms = []
    for place, room in enumerate(ROOMS):
        copy = tmp_path / f"{place}"
        copy.mkdir()
        for path in room.glob("*.py"):
            (copy / path.name).write_bytes(path.read_bytes())
        rooms.append(copy)
    monkeypatch.setattr(kept_outcomes, "ROOMS", rooms)
    kept(tmp_path / "kept").write("MR 1", OUTCOME)
    assert kept(tmp_path / "kept").read("MR 1") is not None
    (changed,) = (room / name for room in rooms if (room / name).exists())
    changed.write_bytes(changed.read_bytes() + b"\n")
    assert kept(tmp_path / "kept").read("MR 1") is None
