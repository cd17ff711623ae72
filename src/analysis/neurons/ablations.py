"""What is left of a probe's accuracy when it sees some neurons alone."""

from dataclasses import dataclass

import numpy as np

ZEROED, RETRAINED = "zeroed", "retrained"
TOP, BOTTOM, RANDOM = "top", "bottom", "random"


@dataclass(frozen=True, eq=False)
class AblationPoint:
    """The accuracy of a probe that sees some neurons alone.

    Attributes:
        test: name of the test.
        epoch: of the encoder; None where it has none.
        ranking: the ranking's name.
        manner: "zeroed": the run's own probe, the other columns set to 0; "retrained": a new probe of the kept columns.
        kept: which neurons of the ranking: "top", "bottom", or "random": as many drawn from all.
        n_neurons: how many are kept.
        accuracy: on test items, 0 to 1, the mean over seeds.
        dev_accuracy: likewise on dev.
        correct: for each test item the share of seeds whose probe is right: float64 `[items]`.
    """

    test: str
    epoch: int | None
    ranking: str
    manner: str
    kept: str
    n_neurons: int
    accuracy: float
    dev_accuracy: float
    correct: np.ndarray
