"""Sets the threads and the rounding of torch, and finds its device; without Lightning."""

from typing import Any

import torch

from polyprobe.errors import BadValue, PolyprobeError, check_at_least

_DEFAULT_THREADS = torch.get_num_threads()


def device_of(accelerator: str) -> torch.device:
    """Returns the device of this process; of several processes that share work each has a GPU of its own.

    Args:
        accelerator: as Lightning names it: "cpu", "gpu", "auto".

    Raises:
        BadValue: it is none of them.
        PolyprobeError: torch finds no GPU.
    """
    if accelerator not in ("cpu", "gpu", "cuda", "auto"):
        raise BadValue("trainer.accelerator", accelerator, "cpu, gpu or auto")
    if accelerator == "cpu" or (accelerator == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise PolyprobeError(f"trainer.accelerator={accelerator}: torch finds no GPU on this machine. Use trainer=cpu.")
    return torch.device("cuda", torch.cuda.current_device())


def flush_denormals() -> None:
    """Lets torch round numbers below the smallest normal one to zero, in every command, so that all compute alike.

    Saturated gates leave such gradients, which a CPU multiplies some ten times slower. To be called before torch starts
    its threads, which take the mode over.
    """
    torch.set_flush_denormal(True)


def set_threads(threads: int | None) -> None:
    """Sets how many threads torch's operations use; None leaves torch's choice.

    Raises:
        BadValue: below 1, or not an integer.
    """
    if threads is not None:
        check_at_least("trainer.threads", threads, 1)
        torch.set_num_threads(threads)


def restore_defaults() -> None:
    """Sets back what a job of a sweep has changed of torch: the next one in this process begins as the first did."""
    torch.set_num_threads(_DEFAULT_THREADS)
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.benchmark = False


def circumstances(accelerator: str, devices: int = 1) -> dict[str, Any]:
    """Returns what run.json records of a start besides versions: threads, devices, and the name of the accelerator.

    Args:
        accelerator: as Lightning names it: "cpu", "gpu", "auto".
        devices: how many processes share the work.
    """
    is_on_gpu = accelerator != "cpu" and torch.cuda.is_available()
    name = torch.cuda.get_device_name() if is_on_gpu else "cpu" if accelerator == "auto" else accelerator
    return {"threads": torch.get_num_threads(), "devices": devices, "accelerator": name}
