"""What one probe is: its network, its optimisation, when it stops."""

from collections.abc import Sequence
from dataclasses import dataclass

from src.formats.errors import BadValue, UnknownChoice

CHOICES = {
    "activation": ("relu", "sigmoid", "tanh"),
    "dropout_place": ("after_activation", "before_activation"),
    "loss_reduction": ("mean", "sum"),
    "loss_weights": ("none", "inverse_frequency"),
    "stopping": ("patience", "tenacity_never_reset", "first_rise_of_dev_loss"),
    "kept_weights": ("best_dev", "last"),
}


@dataclass(frozen=True, slots=True)
class ProbeSpec:
    """A small classifier over frozen vectors and how it is trained.

    The network is Linear, activation, dropout, Linear; or one Linear alone. The loss is the cross-entropy, the
    optimiser Adam. After every `epochs_per_evaluation` epochs, and after the last, the probe is scored on dev.

    Attributes:
        hidden_size: width of the hidden layer; None for a linear probe.
        activation: of the hidden layer: "relu", "sigmoid" or "tanh".
        dropout: share of hidden components that a training step drops; 0 for a linear probe.
        dropout_place: "after_activation", or "before_activation" as in the released code of SentEval and RuSentEval.
        learning_rate, adam_betas, adam_epsilon: of Adam.
        weight_decay: this times the weights (biases too) is added to the clamped gradient: L2 as torch.optim.Adam has it.
        gradient_clamp: each component of the gradient is clamped to plus or minus this; None for no clamp.
        loss_reduction: over a batch: "mean", or "sum" as in the PyTorch of SentEval's time.
        loss_weights: "none", or "inverse_frequency": an example weighs train examples / (labels in train x examples of
            its label); the mean is then the weighted one.
        batch_size: examples a step; the last batch of an epoch may be shorter.
        max_epochs: passes over train at most.
        epochs_per_evaluation: passes between two scores on dev.
        stopping: "patience": after `patience` evaluations in a row without a strictly higher dev accuracy.
            "tenacity_never_reset": after more than `patience` such evaluations in all (SentEval's released counter).
            "first_rise_of_dev_loss": at the first evaluation whose dev loss is not below the best; the loss is the mean
            of the batches' means, rounded to 3 decimals (RuSentEval's released code).
        patience: evaluations; None where `stopping` counts none.
        kept_weights: "best_dev": of the evaluation with the best dev accuracy (the first, if several). "last": of the
            last epoch, credited with the best dev accuracy of all (RuSentEval's released code).
    """

    hidden_size: int | None
    activation: str
    dropout: float
    dropout_place: str
    learning_rate: float
    adam_betas: Sequence[float]
    adam_epsilon: float
    weight_decay: float
    gradient_clamp: float | None
    loss_reduction: str
    loss_weights: str
    batch_size: int
    max_epochs: int
    epochs_per_evaluation: int
    stopping: str
    patience: int | None
    kept_weights: str

    def __post_init__(self):
        for key, known in CHOICES.items():
            if getattr(self, key) not in known:
                raise UnknownChoice(f"probe.{key}", str(getattr(self, key)), known)
        for key in ("batch_size", "max_epochs", "epochs_per_evaluation"):
            _check(key, getattr(self, key), getattr(self, key) >= 1, "at least 1")
        for key in ("learning_rate", "adam_epsilon"):
            _check(key, getattr(self, key), getattr(self, key) > 0, "above 0")
        _check("weight_decay", self.weight_decay, self.weight_decay >= 0, "at least 0")
        self._check_what_may_be_null()
        _check("dropout", self.dropout, 0 <= self.dropout < 1, "at least 0 and below 1")
        has_no_idle_dropout = self.hidden_size is not None or self.dropout == 0
        _check(
            "dropout", self.dropout, has_no_idle_dropout, "0 where there is no hidden layer (probe.hidden_size null)"
        )
        is_pair = len(self.adam_betas) == 2 and all(0 <= beta < 1 for beta in self.adam_betas)
        _check("adam_betas", self.adam_betas, is_pair, "two numbers of at least 0 and below 1")
        object.__setattr__(self, "adam_betas", tuple(self.adam_betas))

    def _check_what_may_be_null(self) -> None:
        _check("hidden_size", self.hidden_size, self.hidden_size is None or self.hidden_size >= 1, "null or at least 1")
        clamp, patience = self.gradient_clamp, self.patience
        _check("gradient_clamp", clamp, clamp is None or clamp > 0, "null or above 0")
        if self.stopping == "first_rise_of_dev_loss":
            _check("patience", patience, patience is None, f"null where probe.stopping is {self.stopping}")
        else:
            _check("patience", patience, patience is not None and patience >= 1, "at least 1")


def _check(key: str, value: object, is_good: bool, expected: str) -> None:
    if not is_good:
        raise BadValue(f"probe.{key}", value, expected)
