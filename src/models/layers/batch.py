"""What all batches have: everything in them that a network reads moves to a device together."""

from dataclasses import fields, replace
from typing import Self

import torch


class Batch:
    """The base of data classes of tensors and of parts that hold tensors; plain values stay as they are."""

    __slots__ = ()

    def to(self, device: torch.device) -> Self:
        """Returns the batch with all that moves on this device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: value.to(device) for name, value in values.items() if hasattr(value, "to")})
