"""The base of all task datamodules: batches cut by length, split across processes and accumulation steps.

Every example counts once in the loss, and once in the scores.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

from src.datamodules.base.batch_order import BatchesInPieces, ItemsOfPieces, ShuffledBatches, batches_of_like_length
from src.errors import PolyprobeError


class SharedOutDataModule(pl.LightningDataModule, ABC):
    """What the data of all tasks have in common once examples are coded.

    Attributes:
        test: examples that are coded when they are asked for; may be empty.
        seed: of the order of the training batches.
        batch_size: what the examples of a training batch count for together, at most.
        evaluation_batch_size: the same in evaluation, where it changes no number.
        coded_train, coded_dev: set by the subclass at the end of its start, dev first. Distinct words of a batch stand
            in the order in which a coder met them; met all at once, the order is fixed: else a resumed run, which asks
            for other batches first, would add its gradients up in another order.
    """

    test: Sequence[Any]
    seed: int
    batch_size: int
    evaluation_batch_size: int
    coded_train: Sequence[Any]
    coded_dev: Sequence[Any]

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and what is in no score."""

    @abstractmethod
    def coded(self, examples: Sequence[Any]) -> list[Any]:
        """Turns examples to integers."""

    @abstractmethod
    def length(self, one: Any) -> int:
        """Returns what makes coded examples alike: words."""

    @abstractmethod
    def weight(self, one: Any) -> int:
        """Returns how many items of a coded example the loss is a mean over."""

    @abstractmethod
    def batch(self, coded: Sequence[Any], n_items: float) -> Any:
        """Joins coded examples; the loss is divided by `n_items`."""

    @abstractmethod
    def uncounted(self, one: Any) -> Any:
        """Returns the example with nothing in it that is learnt from or counted."""

    def kept(self, examples: Sequence[Any]) -> Sequence[Any]:
        """Returns the examples of a split that scores rest on: all, unless an option leaves some out."""
        return examples

    @property
    @abstractmethod
    def n_scored(self) -> int:
        """How many items of dev the scores of each epoch rest on."""

    @property
    def is_learnable(self) -> bool:
        """Whether train has a label that a model can learn to give."""
        return bool(self.coded_train)

    @property
    def note(self) -> str | None:
        """What a reader of the model's rows must know."""
        return None

    @property
    def baseline_note(self) -> str | None:
        """What a reader of the baseline's rows must know."""
        return self.note

    def size(self, one: Any) -> int:
        """Returns what a coded example counts for in a batch."""
        return 1

    def check_examples(self) -> None:
        """Checks that there is something to learn from and something to choose the best epoch by.

        Raises:
            PolyprobeError: a split has sentences, but no word with a tag, no span, no role, or no pair with a label.
        """
        for split, verb, is_enough in (("train", "learnt", self.is_learnable), ("dev", "scored", self.n_scored > 0)):
            if not is_enough:
                counts = ", ".join(f"{name}: {count}" for name, count in self.counts().items() if split in name)
                raise PolyprobeError(
                    f"{split} has nothing that can be {verb} ({counts}). Expected at least one label that counts."
                )

    def train_dataloader(self) -> DataLoader:
        """Returns this process's share of every batch, in the order of the epoch.

        Where gradients are accumulated over k batches, batches are cut k times as large, and each comes in k pieces.
        """
        n_pieces = self.trainer.accumulate_grad_batches if self.trainer else 1
        batches = ShuffledBatches(self._cut(self.coded_train, self.batch_size * n_pieces), self.seed)
        share = partial(self._training_share, *self._process(), n_pieces)
        return self._loader(ItemsOfPieces(self.coded_train), BatchesInPieces(batches, n_pieces), share)

    def val_dataloader(self) -> DataLoader:
        """Returns this process's batches of dev."""
        return self._evaluation_loader(self.coded_dev)

    def test_dataloader(self) -> DataLoader:
        """Builds this process's batches of test."""
        return self._evaluation_loader(self.coded(self.test))

    def transfer_batch_to_device(self, batch: Any, device: torch.device, _: int) -> Any:
        """Moves a batch."""
        return batch.to(device)

    def _evaluation_loader(self, coded: Sequence[Any]) -> DataLoader:
        """Returns every w-th example, from the r-th on, to process r of w, in batches; none is counted twice.

        A process without an example still gets one, in which nothing is counted: without a batch it would miss the
        exchange of counts, for which the others wait.
        """
        process, n_processes = self._process()
        share = coded[process::n_processes] or [self.uncounted(one) for one in coded[:1]]
        return self._loader(share, self._cut(share, self.evaluation_batch_size), self._whole)

    def _training_share(self, process: int, n_processes: int, n_pieces: int, items: Sequence[tuple[Any, int]]) -> Any:
        """Joins the examples of one process in one piece of a batch.

        The loss of each share is divided by the items of the whole batch over the number of shares, so that the mean
        of the gradients equals the gradient of one process with the whole batch in one piece. A share without an
        example gets the first one with nothing in the loss: it takes part in every exchange of gradients and adds
        nothing.
        """
        coded, (piece, *_) = zip(*items, strict=True)
        share, n_shares = piece * n_processes + process, n_pieces * n_processes
        n_items = sum(map(self.weight, coded)) / n_shares
        return self.batch(coded[share::n_shares] or [self.uncounted(coded[0])], n_items)

    def _whole(self, coded: Sequence[Any]) -> Any:
        return self.batch(coded, float(sum(map(self.weight, coded))))

    def _loader(self, items: Any, batches: Any, collate: Any) -> DataLoader:
        return DataLoader(items, batch_sampler=batches, collate_fn=collate, generator=torch.Generator())

    def _cut(self, coded: Sequence[Any], batch_size: int) -> list[list[int]]:
        lengths, sizes = [self.length(one) for one in coded], [self.size(one) for one in coded]
        return batches_of_like_length(lengths, sizes, batch_size)

    def _process(self) -> tuple[int, int]:
        return (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)
