"""What a probe is: its size, its optimisation, when it stops."""

from collections.abc import Sequence
from dataclasses import dataclass

from src.formats.errors import BadValue


@dataclass(frozen=True, slots=True)
class ProbeSpec:
    """A small classifier over frozen vectors and how it is trained.

    The network is Linear, ReLU, dropout, Linear; or one Linear alone. The loss is the mean cross-entropy, the optimiser
    Adam without weight decay. The weights of the epoch with the best dev accuracy (the first, if several) stay.

    Attributes:
        hidden_size: width of the hidden layer; None for a linear probe.
        dropout: share of hidden components that a training step drops; 0 for a linear probe.
        learning_rate, adam_betas, adam_epsilon: of Adam.
        batch_size: examples a step; the last batch of an epoch may be shorter.
        max_epochs: passes over train at most.
        patience: the probe stops after so many epochs without a strictly higher dev accuracy.
        gradient_clamp: each component of the gradient is clamped to plus or minus this.
    """

    hidden_size: int | None
    dropout: float
    learning_rate: float
    adam_betas: Sequence[float]
    adam_epsilon: float
    batch_size: int
    max_epochs: int
    patience: int
    gradient_clamp: float

    def __post_init__(self):
        for key in ("batch_size", "max_epochs", "patience"):
            _check(key, getattr(self, key), getattr(self, key) >= 1, "at least 1")
        for key in ("learning_rate", "adam_epsilon", "gradient_clamp"):
            _check(key, getattr(self, key), getattr(self, key) > 0, "above 0")
        _check("hidden_size", self.hidden_size, self.hidden_size is None or self.hidden_size >= 1, "null or at least 1")
        _check("dropout", self.dropout, 0 <= self.dropout < 1, "at least 0 and below 1")
        is_pair = len(self.adam_betas) == 2 and all(0 <= beta < 1 for beta in self.adam_betas)
        _check("adam_betas", self.adam_betas, is_pair, "two numbers of at least 0 and below 1")
        has_no_idle_dropout = self.hidden_size is not None or self.dropout == 0
        _check(
            "dropout", self.dropout, has_no_idle_dropout, "0 where there is no hidden layer (probe.hidden_size null)"
        )


def _check(key: str, value: object, is_good: bool, expected: str) -> None:
    if not is_good:
        raise BadValue(f"probe.{key}", value, expected)
