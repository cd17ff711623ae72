"""What one probe is: its network, its optimisation, when it stops."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Lt, MaxLen, MinLen

from polyprobe.errors import BadValue
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.section import AboveZero, AtLeastZero, Count, Expected, Number, Section

AdamBetas = Annotated[
    Sequence[Annotated[Number, Ge(0), Lt(1)]],
    MinLen(2),
    MaxLen(2),
    Expected("two numbers >= 0 and < 1", of_parts=True),
]


class ElasticNet(Section, key="probe"):
    """What the loss of a mini-batch grows by, whatever its size; biases are free."""

    l1: AtLeastZero
    """Times the sum of the absolute weights."""
    l2: AtLeastZero
    """Times the sum of the squared weights, or its root, as `penalty` says."""
    penalty: Literal["squared", "released"]
    """squared: l1 sum|w| + l2 sum w²; released: l1 sum|w| + l2 sqrt(sum w²), the norm and not its square, as the code
    of NeuroX has it (Dalvi et al. 2019)."""


class ProbeSpec(Section, key="probe"):
    """A small classifier over frozen vectors and how it is trained.

    The network is Linear, activation, dropout, Linear; or one Linear alone. The loss is the cross-entropy, the
    optimiser Adam. After every `epochs_per_evaluation` epochs, and after the last, the probe is scored on dev.
    """

    hidden_size: Count | None
    """Width of the hidden layer; null: no hidden layer (linear probe)."""
    activation: Literal["relu", "sigmoid", "tanh"]
    """Activation of the hidden layer."""
    dropout: Annotated[Number, Ge(0), Lt(1)]
    """Dropout on the hidden layer; 0 for a linear probe."""
    dropout_place: Literal["after_activation", "before_activation"]
    """Dropout after_activation, or before_activation as in the released code of SentEval and RuSentEval."""
    learning_rate: AboveZero
    """Learning rate of Adam."""
    adam_betas: AdamBetas
    """Adam's beta1 and beta2."""
    adam_epsilon: AboveZero
    """Epsilon of Adam."""
    weight_decay: AtLeastZero
    """L2 on weights and biases, added to the clamped gradient, as in torch.optim.Adam."""
    gradient_clamp: AboveZero | None
    """Maximum absolute value of each component of the gradient; null: no clamping."""
    loss_reduction: Literal["mean", "sum"]
    """Loss over a batch: mean, or sum as in the PyTorch of SentEval's time."""
    loss_weights: Literal["none", "inverse_frequency"]
    """Class weights: none, or inverse_frequency: train examples / (number of labels x examples of the label), with a
    weighted mean.
    """
    batch_size: Count
    """Batch size; the last batch of an epoch may be smaller."""
    max_epochs: Count
    """Maximum number of epochs."""
    epochs_per_evaluation: Count
    """Epochs between two evaluations on dev."""
    stopping: Literal["patience", "patience_of_dev_loss", "tenacity_never_reset", "first_rise_of_dev_loss", "none"]
    """Stopping criterion.

    patience: after `patience` evaluations in a row without a strictly higher dev accuracy. patience_of_dev_loss:
    likewise, without a strictly lower dev loss. tenacity_never_reset: after more than `patience` such evaluations in
    all (SentEval's released counter). first_rise_of_dev_loss: at the first evaluation whose dev loss, rounded to 3
    decimals, is not below the lowest (RuSentEval's released code). none: never before `max_epochs`. The dev loss is the
    mean of the batches' means, weighted as that of train."""
    patience: Count
    """Number of evaluations for `stopping`; no effect where it counts none."""
    dev_batch_size: Count
    """Batch size of the dev loss; no effect where `stopping` does not use it."""
    kept_weights: Literal["best_dev", "lowest_dev_loss", "last", "last_as_it_is"]
    """Which weights are evaluated.

    best_dev: of the evaluation with the best dev accuracy (the first, if several). lowest_dev_loss: of the one with the
    lowest dev loss. last: of the last epoch, credited with the best dev accuracy of all (RuSentEval's released code).
    last_as_it_is: of the last epoch, with its own dev accuracy."""
    order: Literal["shuffled", "file"] = "shuffled"
    """Order of the examples in an epoch; file: as in the test file, in each epoch."""
    scale: Literal["none", "standard"] = "none"
    """Scale of the vectors: none: as the encoder returns them; standard: each column minus its mean, divided by its
    standard deviation, both over the train items of the test, layer by layer. Counts stay as they are."""
    elastic_net: ElasticNet | None = None
    """The penalty on the weights of a linear probe; None for none."""

    def __post_init__(self):
        super().__post_init__()
        size, dropout = self.hidden_size, self.dropout
        if size is None and dropout > 0:
            raise BadValue("probe.dropout", dropout, "0 where there is no hidden layer (probe.hidden_size null)")
        if size is not None and self.elastic_net is not None:
            raise BadValue("probe.hidden_size", size, "null where there is an elastic net")
        object.__setattr__(self, "adam_betas", tuple(self.adam_betas))

    @classmethod
    def chosen(cls, choice: str = "mlp", **changes: Any) -> Self:
        """Returns the settings of conf/probe/<choice>.yaml, mlp or linear, with changes."""
        known = [one.name for one in fields(cls)]
        settings = {key: one for key, one in choice_settings("probe", choice).items() if key in known}
        return cls(**{**settings, **changes})

    @property
    def needs_dev_loss(self) -> bool:
        rules = ("first_rise_of_dev_loss", "patience_of_dev_loss")
        return self.stopping in rules or self.kept_weights == "lowest_dev_loss"
