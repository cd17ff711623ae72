"""What the section `trainer` asks of the machine, checked before torch is imported."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from polyprobe.errors import PolyprobeError, check_at_least

_WITHOUT_GPU = "+cpu"  # ends the version of torch's build for processors


def check_machine(trainer: Mapping[str, Any]) -> None:
    """Checks threads, and that no GPU is asked for where the installed torch cannot use any.

    Whether another build of torch finds a GPU, it says itself.

    Raises:
        BadValue: `trainer.threads` is below 1, or not an integer.
        PolyprobeError: the installed torch is its build for processors.
    """
    if trainer["threads"] is not None:
        check_at_least("trainer.threads", trainer["threads"], 1)
    if trainer["accelerator"] in ("gpu", "cuda") and (installed := _torch()).endswith(_WITHOUT_GPU):
        raise PolyprobeError(
            f"trainer.accelerator={trainer['accelerator']}: torch {installed} is the build without GPUs. Leave out "
            "trainer=gpu, or install the CUDA build of the same version."
        )


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:  # it was built elsewhere
        return ""
