"""All layers of an encoder side by side, as one layer: what probes over neurons see."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.cache.encoding_blocks import release
from polyprobe.encoders.cache.store import EncodedItems

ALL = "all"


def layers_together(layers: Sequence[Layer]) -> dict[Layer, list[int]]:
    """Returns for each epoch a layer as wide as all of that epoch together, with their numbers, lowest first."""
    numbers: dict[int | None, list[int]] = {}
    for number, layer in enumerate(layers):
        numbers.setdefault(layer.epoch, []).append(number)
    return {
        Layer(ALL, sum(layers[one].width for one in of_epoch), epoch): of_epoch for epoch, of_epoch in numbers.items()
    }


def side_by_side(encoded: EncodedItems, numbers: Sequence[int]) -> Tensor:
    """Copies layers into the columns of one matrix, a block of the cache at a time.

    Returns:
        `[items, neurons]` in the cache's number type, float32 or float16.
    """
    widths = [encoded.layers[number].width for number in numbers]
    matrix = np.empty((len(encoded), sum(widths)), encoded.blocks[0].vectors[0].dtype.newbyteorder("="))
    for rows, block, places in encoded.parts():
        column = 0
        for number, width in zip(numbers, widths, strict=True):
            matrix[rows, column : column + width] = block.vectors[number][places]
            column += width
        release(block)
    return torch.from_numpy(matrix)
