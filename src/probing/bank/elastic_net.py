"""The elastic net: a penalty on the weights of a linear probe."""

from dataclasses import dataclass

from src.errors import check_at_least_zero, check_choice

PENALTIES = ("squared", "released")


@dataclass(frozen=True, slots=True)
class ElasticNet:
    """What the loss of a mini-batch grows by, whatever its size; biases are free.

    Attributes:
        l1: times the sum of the absolute weights.
        l2: times the sum of the squared weights, or its root, as `penalty` says.
        penalty: "squared": l1 sum|w| + l2 sum w². "released": l1 sum|w| + l2 sqrt(sum w²), the norm and not its square,
            as the code of NeuroX has it (Dalvi et al. 2019).
    """

    l1: float
    l2: float
    penalty: str

    def __post_init__(self):
        check_choice("probe.penalty", self.penalty, PENALTIES)
        for key in ("l1", "l2"):
            check_at_least_zero(f"probe.{key}", getattr(self, key))
