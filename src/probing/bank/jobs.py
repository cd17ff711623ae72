"""What goes into the probe bank and what comes out."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.cell_search import SearchedCell
from polyprobe.probing.bank.inputs import SparseRows
from polyprobe.probing.bank.scaling import Scaling
from polyprobe.runs.array_records import SEARCHED
from polyprobe.splits import SPLITS


@dataclass(frozen=True, eq=False)
class ProbeData:
    """One probing test on one layer, without names."""

    vectors: Tensor | SparseRows
    """float32 or float16 `[items, width]`, one row per distinct item; tests of one layer may share it. Rows become
    float32 as they are gathered. Counts are sparse, with one part for each example."""
    train_rows: Tensor
    dev_rows: Tensor
    test_rows: Tensor
    """int64 `[examples, parts]`, rows of `vectors`. Parts is 1, or 2 where an example is a pair; the vectors of its
    parts are concatenated in this order."""
    train_labels: Tensor
    dev_labels: Tensor
    test_labels: Tensor
    """int64 `[examples]`, from 0 to `n_labels` - 1."""
    n_labels: int
    """Distinct labels over train, dev and test, as the released code of LINSPECTOR counts them."""
    scale_rows: Tensor | None = None
    """int64, rows whose vectors say at which scale all are; None: those of train."""
    scaling: Scaling | None = None
    """Of the vectors, before they were standardised if they are; None: not measured yet, or counts."""

    def __post_init__(self):
        for split in SPLITS:
            rows, labels = getattr(self, f"{split}_rows"), getattr(self, f"{split}_labels")
            assert len(labels) > 0, f"{split} has no example"
            assert rows.shape == (len(labels), self.train_rows.shape[1]), f"{split}: {rows.shape} rows"
            assert _all_within(labels, self.n_labels), f"{split}: a label out of range"
            assert _all_within(rows, len(self.vectors)), f"{split}: a row out of range"
        assert not self.is_sparse or self.train_rows.shape[1] == 1, "sparse vectors are of whole examples"

    @property
    def is_sparse(self) -> bool:
        return isinstance(self.vectors, SparseRows)

    @property
    def input_width(self) -> int:
        """Numbers that a probe sees per example: the vectors of all parts."""
        return self.vectors.shape[1] * self.train_rows.shape[1]

    @property
    def n_train(self) -> int:
        return len(self.train_labels)

    def measured(self) -> "ProbeData":
        """Returns the same test with the scaling of its vectors."""
        rows = self.train_rows if self.scale_rows is None else self.scale_rows
        return replace(self, scaling=Scaling.of(self.vectors, rows))

    def standardised(self) -> "ProbeData":
        """Returns the same test on a copy of the vectors of its own items, standardised by its scaling."""
        rows = [getattr(self, f"{split}_rows") for split in SPLITS]
        items, places = torch.unique(torch.cat(rows), return_inverse=True)
        of_splits = places.split([len(of_split) for of_split in rows])
        renumbered = {f"{split}_rows": of_split for split, of_split in zip(SPLITS, of_splits, strict=True)}
        return replace(self, vectors=self.scaling.standardised(self.vectors, items), **renumbered)


def _all_within(codes: Tensor, count: int) -> bool:
    return 0 <= int(codes.min()) <= int(codes.max()) < count


@dataclass(frozen=True, eq=False)
class ProbeJob:
    """Everything that one probe depends on."""

    data: ProbeData
    spec: ProbeSpec
    seed: int
    """With `key` it fixes initialisation, order of examples and dropout, in any company."""
    key: str
    """Names test, layer and epoch ("Case/encoding/8"); also names the probe in messages."""
    cell: SearchedCell | None = None
    """What asks for the weights of this probe when its training is over; None: nothing does."""
    is_kept: bool = False
    """Whether its outcome has its parameters."""

    @property
    def is_standardised(self) -> bool:
        """Whether its vectors are standardised; counts never are."""
        return self.spec.scale == "standard" and not self.data.is_sparse

    @property
    def n_copied(self) -> int:
        """How many numbers a standardised copy of its vectors has at most; 0 where there is none."""
        n_examples = sum(len(getattr(self.data, f"{split}_labels")) for split in SPLITS)
        return n_examples * self.data.input_width if self.is_standardised else 0


@dataclass(frozen=True, eq=False)
class ProbeOutcome:
    """What became of one probe."""

    epochs: int
    """Epochs trained, the patient ones at the end included."""
    best_epoch: int
    """The epoch (from 1) whose weights made the predictions; 0 for a failed probe."""
    dev_accuracy: float
    """Of that epoch, 0 to 1 (with `kept_weights` last: the best of all epochs); not a number for a failed probe."""
    train_losses: tuple[float, ...]
    """Mean cross-entropy in nats of each epoch's batches, dropout included, without weights."""
    dev_predictions: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))
    test_predictions: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))
    """int64 `[examples]`; empty for a failed probe."""
    test_losses: np.ndarray = field(default_factory=partial(np.empty, 0))
    """float64 `[examples]`, cross-entropy in nats; empty for a failed probe."""
    failed: str | None = None
    """Why there is no result, or None."""
    cell: str | None = None
    """The cell of a grid that dev chose ("hidden_size=50 weight_decay=0.001"); None where there was no choice."""
    codelength: float | None = None
    """Of the train labels by online coding, in bits; None without it."""
    compression: float | None = None
    """The uniform code's length over the codelength; None without it."""
    prior_codelength: float | None = None
    """Of the same labels by their shares in train alone, in bits; None without online coding."""
    online_prior_codelength: float | None = None
    """Of the same labels in the same portions, each by the shares in those before it, in bits; likewise."""
    weights: np.ndarray = field(default_factory=partial(np.empty, (0, 0), np.float32))
    """float32 `[labels, inputs]` of a probe of neurons; `[0, 0]` of any other."""
    biases: np.ndarray = field(default_factory=partial(np.empty, 0, np.float32))
    """float32 `[labels]` of a probe of neurons; empty of any other."""
    searched: np.ndarray = field(default_factory=partial(np.empty, (0, len(SEARCHED))))
    """How each cell of the grid of a probe of neurons did, in the columns `SEARCHED`: float64 `[cells, 6]`; `[0, 6]` of
    any other."""
    parameters: tuple[np.ndarray, ...] = ()
    """Of each layer of a kept probe, the first first: float32 weights `[inputs, outputs]`, biases `[outputs]`; of any
    other none."""
    scale: tuple[float, ...] | None = None
    """Of the vectors before they are standardised, as `Scaling.in_a_row` has it; None of counts."""
    scaling: Scaling | None = None
    """By which a kept probe's vectors are standardised; None where they are not, and of any other probe."""
