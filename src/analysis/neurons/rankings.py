"""Orders of the neurons of a probed test, the best first."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Ranking:
    """Neurons in the order in which a method would keep them.

    Attributes:
        name: of the method: "weights", "probeless", "mean_select", "iou", "gaussian" or "random".
        order: int64 `[neurons]`, the best first, each once; fewer where the method selects only so many ("gaussian").
        by_label: for each label of the test its own neurons, the best first; None where the method has no labels.
    """

    name: str
    order: np.ndarray
    by_label: tuple[list[int], ...] | None
