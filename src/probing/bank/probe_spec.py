"""What one probe is: its network, its optimisation, when it stops."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyprobe.errors import BadValue, check_at_least_zero, check_choice

PENALTIES = ("squared", "released")


@dataclass(frozen=True, slots=True)
class ElasticNet:
    """What the loss of a mini-batch grows by, whatever its size; biases are free."""

    l1: float
    """Times the sum of the absolute weights."""
    l2: float
    """Times the sum of the squared weights, or its root, as `penalty` says."""
    penalty: str
    """"squared": l1 sum|w| + l2 sum w². "released": l1 sum|w| + l2 sqrt(sum w²), the norm and not its square, as the
    code of NeuroX has it (Dalvi et al. 2019)."""

    def __post_init__(self):
        check_choice("probe.penalty", self.penalty, PENALTIES)
        for key in ("l1", "l2"):
            check_at_least_zero(f"probe.{key}", getattr(self, key))


CHOICES = {
    "activation": ("relu", "sigmoid", "tanh"),
    "dropout_place": ("after_activation", "before_activation"),
    "loss_reduction": ("mean", "sum"),
    "loss_weights": ("none", "inverse_frequency"),
    "stopping": ("patience", "patience_of_dev_loss", "tenacity_never_reset", "first_rise_of_dev_loss", "none"),
    "kept_weights": ("best_dev", "lowest_dev_loss", "last", "last_as_it_is"),
    "order": ("shuffled", "file"),
}
NUMBERS = ("hidden_size", "dropout", "learning_rate", "adam_epsilon", "weight_decay", "gradient_clamp", "batch_size")
NUMBERS += ("max_epochs", "epochs_per_evaluation", "patience", "dev_batch_size")
NULLABLE = ("hidden_size", "gradient_clamp")


@dataclass(frozen=True, slots=True)
class ProbeSpec:
    """A small classifier over frozen vectors and how it is trained.

    The network is Linear, activation, dropout, Linear; or one Linear alone. The loss is the cross-entropy, the
    optimiser Adam. After every `epochs_per_evaluation` epochs, and after the last, the probe is scored on dev.
    """

    hidden_size: int | None
    """Width of the hidden layer; None for a linear probe."""
    activation: str
    """Of the hidden layer: "relu", "sigmoid" or "tanh"."""
    dropout: float
    """Share of hidden components that a training step drops; 0 for a linear probe."""
    dropout_place: str
    """"after_activation", or "before_activation" as in the released code of SentEval and RuSentEval."""
    learning_rate: float
    adam_betas: Sequence[float]
    adam_epsilon: float
    """Of Adam."""
    weight_decay: float
    """This times the parameters, biases too, is added to the clamped gradient, as in torch.optim.Adam."""
    gradient_clamp: float | None
    """Each component of the gradient is clamped to plus or minus this; None for no clamp."""
    loss_reduction: str
    """Over a batch: "mean", or "sum" as in the PyTorch of SentEval's time."""
    loss_weights: str
    """"none", or "inverse_frequency": an example weighs train examples / (labels in train x examples of its label); the
    mean is then the weighted one."""
    batch_size: int
    """Examples a step; the last batch of an epoch may be shorter."""
    max_epochs: int
    """Passes over train at most."""
    epochs_per_evaluation: int
    """Passes between two scores on dev."""
    stopping: str
    """"patience": after `patience` evaluations in a row without a strictly higher dev accuracy. "patience_of_dev_loss":
    likewise, without a strictly lower dev loss. "tenacity_never_reset": after more than `patience` such evaluations in
    all (SentEval's released counter). "first_rise_of_dev_loss": at the first evaluation whose dev loss, rounded to 3
    decimals, is not below the lowest (RuSentEval's released code). "none": never before `max_epochs`. The dev loss is
    the mean of the batches' means, weighted as that of train."""
    patience: int
    """Evaluations; idle where `stopping` counts none."""
    dev_batch_size: int
    """Examples a batch of the dev loss; idle where `stopping` asks for none."""
    kept_weights: str
    """"best_dev": of the evaluation with the best dev accuracy (the first, if several). "lowest_dev_loss": of the one
    with the lowest dev loss. "last": of the last epoch, credited with the best dev accuracy of all (RuSentEval's
    released code). "last_as_it_is": of the last epoch, with its own dev accuracy."""
    order: str = "shuffled"
    """Of the examples in an epoch: "shuffled", or "file": as the test has them, in each epoch."""
    elastic_net: ElasticNet | None = None
    """The penalty on the weights of a linear probe; None for none."""

    def __post_init__(self):
        for key, known in CHOICES.items():
            check_choice(f"probe.{key}", getattr(self, key), known)
        for key in NUMBERS:
            is_null = key in NULLABLE and getattr(self, key) is None
            _check(key, getattr(self, key), is_null or isinstance(getattr(self, key), int | float), "a single number")
        self._check_ranges()
        is_pair = len(self.adam_betas) == 2 and all(0 <= beta < 1 for beta in self.adam_betas)
        _check("adam_betas", self.adam_betas, is_pair, "two numbers of at least 0 and below 1")
        object.__setattr__(self, "adam_betas", tuple(self.adam_betas))

    def _check_ranges(self) -> None:
        for key in ("batch_size", "max_epochs", "epochs_per_evaluation", "patience", "dev_batch_size"):
            _check(key, getattr(self, key), getattr(self, key) >= 1, "at least 1")
        for key in ("learning_rate", "adam_epsilon"):
            _check(key, getattr(self, key), getattr(self, key) > 0, "above 0")
        size, clamp, dropout = self.hidden_size, self.gradient_clamp, self.dropout
        _check("hidden_size", size, size is None or size >= 1, "null or at least 1")
        _check("gradient_clamp", clamp, clamp is None or clamp > 0, "null or above 0")
        _check("weight_decay", self.weight_decay, self.weight_decay >= 0, "at least 0")
        _check("dropout", dropout, 0 <= dropout < 1, "at least 0 and below 1")
        is_idle = size is None and dropout > 0
        _check("dropout", dropout, not is_idle, "0 where there is no hidden layer (probe.hidden_size null)")
        _check("hidden_size", size, size is None or self.elastic_net is None, "null where there is an elastic net")

    @property
    def needs_dev_loss(self) -> bool:
        rules = ("first_rise_of_dev_loss", "patience_of_dev_loss")
        return self.stopping in rules or self.kept_weights == "lowest_dev_loss"


def _check(key: str, value: object, is_good: bool, expected: str) -> None:
    if not is_good:
        raise BadValue(f"probe.{key}", value, expected)
