"""The device on which an encoder or a predictor computes."""

import torch

from polyprobe.errors import BadValue

_TOKEN_BUDGET = {"cpu": 512, "cuda": 16384}  # positions of a batch


def device_of(name: str | None, group: str) -> torch.device:
    """Returns the device of that name; None chooses a GPU if there is one.

    Args:
        name: "cpu", "cuda", "cuda:1".

    Raises:
        BadValue: it is neither the CPU nor a GPU of this machine.
    """
    expected = "cpu, cuda or the number of a GPU that is here (cuda:1), or null"
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except (RuntimeError, TypeError) as error:
        raise BadValue(f"{group}.device", name, expected) from error
    is_here = device.type == "cpu" or (device.type == "cuda" and (device.index or 0) < torch.cuda.device_count())
    if not is_here:
        raise BadValue(f"{group}.device", name, expected)
    return device


def token_budget_of(token_budget: int | None, device: torch.device) -> int:
    """Returns the positions of a batch; None chooses what suits the device."""
    return _TOKEN_BUDGET[device.type] if token_budget is None else token_budget
