"""What the section `trainer` asks of the machine, checked before torch is imported."""

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from polyprobe.errors import BadValue, PolyprobeError, check_at_least

_NUMBER = "auto|[1-9][0-9]*"
_WHICH = "-1|([0-9]+,)+[0-9]*"  # all; "0,1"
_WITHOUT_GPU = "+cpu"  # ends the version of torch's build for processors


def check_machine(trainer: Mapping[str, Any]) -> None:
    """Checks threads and devices, and that no GPU is asked for where the installed torch cannot use any.

    Whether another build of torch finds a GPU, it says itself.

    Raises:
        BadValue: `trainer.threads` is below 1, or not an integer; `trainer.devices` is not what Lightning reads.
        PolyprobeError: the installed torch is its build for processors.
    """
    if trainer["threads"] is not None:
        check_at_least("trainer.threads", trainer["threads"], 1)
    _check_devices(trainer["accelerator"], trainer["devices"])
    if trainer["accelerator"] in ("gpu", "cuda") and (installed := _torch()).endswith(_WITHOUT_GPU):
        raise PolyprobeError(
            f"trainer.accelerator={trainer['accelerator']}: torch {installed} is the build without GPUs. Leave out "
            "trainer=gpu, or install the CUDA build of the same version."
        )


def _check_devices(accelerator: str, devices: object) -> None:
    written = "".join(f"{one}," for one in devices) if isinstance(devices, list) else str(devices)
    if not re.fullmatch(_NUMBER if accelerator == "cpu" else f"{_NUMBER}|{_WHICH}", written):
        which = "" if accelerator == "cpu" else ", or a list of GPUs such as [0,1]"
        raise BadValue("trainer.devices", devices, f"a number of devices such as 2{which}")


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:  # it was built elsewhere
        return ""
