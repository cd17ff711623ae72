"""What is asked of the machine is checked before the libraries that use it are imported."""

import pytest

from src.errors import PolyprobeError
from src.runs import machine
from src.runs.machine import check_machine


def installed(monkeypatch, version: str) -> None:
    monkeypatch.setattr(machine, "version", lambda name: version)


def trainer(**settings) -> dict:
    return {"accelerator": "cpu", "threads": None, **settings}


@pytest.mark.parametrize("accelerator", ["gpu", "cuda"])
def test_a_gpu_is_refused_under_a_torch_that_knows_none(accelerator, monkeypatch):
    installed(monkeypatch, "2.13.0+cpu")
    with pytest.raises(PolyprobeError, match=r"torch 2\.13\.0\+cpu .* the CUDA build"):
        check_machine(trainer(accelerator=accelerator))


@pytest.mark.parametrize("version", ["2.13.0", "2.13.0+cu130"])
def test_under_another_torch_lightning_says_whether_there_is_a_gpu(version, monkeypatch):
    installed(monkeypatch, version)
    check_machine(trainer(accelerator="gpu"))


@pytest.mark.parametrize("accelerator", ["cpu", "auto"])
def test_what_needs_no_gpu_is_taken_under_any_torch(accelerator, monkeypatch):
    installed(monkeypatch, "2.13.0+cpu")
    check_machine(trainer(accelerator=accelerator))


@pytest.mark.parametrize("threads", ["two", 0, 1.5])
def test_threads_are_a_number_from_one_on(threads):
    with pytest.raises(PolyprobeError, match=r"trainer\.threads must be an integer of at least 1"):
        check_machine(trainer(threads=threads))
