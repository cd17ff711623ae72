"""Linear layers whose weights are laid out for the CPU once, not for every product."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class PackedLinear(nn.Module):
    """Computes the same as a linear layer, to rounding, on a CPU and in float32; it cannot be trained or saved.

    The operators are those of oneDNN that torch's own compiler calls.

    Args:
        layer: its weights are copied.
    """

    _ROWS = 256  # for which the layout is chosen; results are right for any number of rows

    def __init__(self, layer: nn.Linear):
        super().__init__()
        self._weights = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach().clone(), self._ROWS)
        self._bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, inputs: Tensor) -> Tensor:
        """Maps `[…, inputs]` to `[…, outputs]`."""
        return torch.ops.mkldnn._linear_pointwise(inputs, self._weights, self._bias, "none", [], "")


def pack_linear_layers(model: nn.Module) -> Callable[[], None]:
    """Replaces the linear layers of a model on the CPU; returns a function that restores them."""
    replaced = []
    if torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        for parent in list(model.modules()):
            for name, layer in list(parent.named_children()):
                if type(layer) is nn.Linear:
                    setattr(parent, name, PackedLinear(layer))
                    replaced.append((parent, name, layer))

    def put_back() -> None:
        for parent, name, layer in replaced:
            setattr(parent, name, layer)

    return put_back
