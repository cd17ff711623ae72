"""What is asked of the machine is checked before the libraries that use it are imported."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.runs import trainer_settings
from polyprobe.runs.trainer_settings import check_machine


def installed(monkeypatch, version: str) -> None:
    monkeypatch.setattr(trainer_settings, "version", lambda name: version)


def trainer(**settings) -> dict:
    return {"accelerator": "cpu", "devices": 1, "threads": None, **settings}


@pytest.mark.parametrize("version", ["2.13.0", "2.13.0+cu130", "2.13.0+cpu"])
@pytest.mark.parametrize("accelerator", ["gpu", "cuda", "cpu", "auto"])
def test_a_gpu_is_refused_under_a_torch_that_knows_none_and_nothing_else_is(accelerator, version, monkeypatch):
    installed(monkeypatch, version)
    refused = None
    try:
        check_machine(trainer(accelerator=accelerator))
    except PolyprobeError as error:
        refused = str(error)
    if accelerator in ("gpu", "cuda") and version.endswith("+cpu"):
        assert "torch 2.13.0+cpu is the build without GPUs" in refused
    else:
        assert refused is None


@pytest.mark.parametrize("threads", ["two", 0, 1.5])
def test_threads_are_a_number_from_one_on(threads):
    with pytest.raises(PolyprobeError, match=r"trainer\.threads must be an integer of at least 1"):
        check_machine(trainer(threads=threads))


@pytest.mark.parametrize("devices", ["x", 0, -2, [0, "a"], "0;1", True, 1.5, [], None])
@pytest.mark.parametrize("accelerator", ["cpu", "auto"])
def test_devices_are_a_number_or_a_list(accelerator, devices):
    with pytest.raises(PolyprobeError, match=r"trainer\.devices must be a number of devices such as 2"):
        check_machine(trainer(accelerator=accelerator, devices=devices))


@pytest.mark.parametrize("devices", ["auto", 1, 2, "2", -1, [0], [0, 1], "0,1"])
def test_what_lightning_reads_as_devices_passes(devices):
    assert check_machine(trainer(accelerator="auto", devices=devices)) is None


def test_processors_have_a_number_and_no_names():
    with pytest.raises(PolyprobeError, match=r"such as 2, got \[0, 1\]\."):
        check_machine(trainer(devices=[0, 1]))
