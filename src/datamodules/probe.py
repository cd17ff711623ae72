"""The data of one probe: the vectors of one test and layer, their labels, and the three splits."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler, SequentialSampler

from polyprobe.models.layers.probe_loss import label_weights
from polyprobe.models.layers.probe_random import ProbeRandom
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.mlp_probe import ProbeBatch
from polyprobe.splits import SPLITS

SCORED_ROWS = 500  # in a batch of dev and test, which changes no number


@dataclass(frozen=True)
class Examples(Dataset):
    """A split; a list of places gives a batch."""

    vectors: Tensor
    labels: Tensor
    weights: Tensor
    """What an example of each label weighs in the loss: float32 `[labels]`."""

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, places: list[int]) -> ProbeBatch:
        labels = self.labels[places]
        return ProbeBatch(self.vectors[places].float(), labels, self.weights[labels])


@dataclass(frozen=True)
class EpochOrder(Sampler):
    """The places of train in the order of an epoch; drawn anew for each, unless that of the file counts."""

    n_examples: int
    spec: ProbeSpec
    random: ProbeRandom

    def __len__(self) -> int:
        return self.n_examples

    def __iter__(self) -> Iterator[int]:
        is_shuffled = self.spec.order == "shuffled"
        return iter(self.random.order(self.n_examples).tolist() if is_shuffled else range(self.n_examples))


class ProbeDataModule(pl.LightningDataModule):
    """Vectors and labels of one test on one layer, in the batches and the order in which the probe bank trains on them.

    Args:
        train, dev, test: vectors `[examples, width]` and labels int64 `[examples]` of each split.
        n_labels: distinct labels over all splits.
        spec: of the probe: size of batches, order of the examples, weights of the labels.
        seed, key: of the order; see `ProbeRandom`.
    """

    def __init__(
        self,
        train: tuple[Tensor, Tensor],
        dev: tuple[Tensor, Tensor],
        test: tuple[Tensor, Tensor],
        n_labels: int,
        spec: ProbeSpec,
        seed: int = 1,
        key: str = "probe",
    ):
        super().__init__()
        weights = label_weights(train[1], n_labels, spec.loss_weights)
        self.splits = {name: Examples(*split, weights) for name, split in zip(SPLITS, (train, dev, test), strict=True)}
        self.order = EpochOrder(len(train[1]), spec, ProbeRandom(seed, key))
        self.n_labels, self.spec = n_labels, spec

    @property
    def input_width(self) -> int:
        """Numbers of a vector."""
        return self.splits["train"].vectors.shape[1]

    def train_dataloader(self) -> DataLoader:
        """Returns batches of `spec.batch_size`, the last one perhaps smaller, in a new order for each epoch."""
        return self._batches("train", self.order, self.spec.batch_size)

    def val_dataloader(self) -> DataLoader:
        """Returns dev, in the order of the file."""
        return self._batches("dev", SequentialSampler(self.splits["dev"]), SCORED_ROWS)

    def test_dataloader(self) -> DataLoader:
        """Returns test, in the order of the file."""
        return self._batches("test", SequentialSampler(self.splits["test"]), SCORED_ROWS)

    def _batches(self, split: str, order: Sampler, size: int) -> DataLoader:
        sampler = BatchSampler(order, size, drop_last=False)
        own = torch.Generator()  # of the seed that a loader draws for its workers
        return DataLoader(self.splits[split], sampler=sampler, batch_size=None, generator=own)
