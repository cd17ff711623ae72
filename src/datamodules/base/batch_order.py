"""The order of batches, and how their examples are split across processes and accumulation steps."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils.data import Dataset, Sampler

from polyprobe.seeds import derived_seed


def batches_of_like_length(lengths: Sequence[float], sizes: Sequence[int], batch_size: int) -> list[list[int]]:
    """Sorts items by length and cuts them in order; the last batch is kept, full or not.

    Args:
        lengths: of each item; equal lengths stay in their order.
        sizes: of each item. An item larger than `batch_size` is a batch by itself.
        batch_size: the largest sum of the sizes in a batch.

    Returns:
        The numbers of the items, batch by batch; each item once.
    """
    batches: list[list[int]] = []
    filled = 0
    for item in sorted(range(len(lengths)), key=lambda item: lengths[item]):
        if not batches or filled + sizes[item] > batch_size:
            batches.append([])
            filled = 0
        batches[-1].append(item)
        filled += sizes[item]
    return batches


def noisy_lengths(lengths: Sequence[int], padding_noise: float, seed: int, epoch: int) -> list[float]:
    """Moves each length up or down by a random part of itself, a function of (seed, epoch) alone.

    Batches of items sorted by such lengths are others in each epoch, of nearly like length (AllenNLP's
    `BucketIterator`, which draws from a generator of the process).

    Args:
        padding_noise: the largest part of a length that is added or taken away; 0 leaves all as they are.
    """
    generator = torch.Generator().manual_seed(derived_seed(seed, "padding noise", epoch))
    parts = torch.rand(len(lengths), generator=generator, dtype=torch.float64) * 2 - 1
    return (torch.tensor(lengths, dtype=torch.float64) * (1 + padding_noise * parts)).tolist()


class ShuffledBatches(Sampler[list[int]]):
    """Yields the batches of an epoch in an order that is a function of (seed, epoch) alone.

    Lightning sets the epoch at `loader.batch_sampler.sampler`: that is this object itself. In a resumed run it does so
    after it has requested an iterator, so the order is drawn when the first batch is due, not before.

    Args:
        batches_of: the batches of an epoch, from its number; there are as many in each.
    """

    def __init__(self, batches_of: Callable[[int], Sequence[list[int]]], seed: int):
        self.batches_of, self.seed, self.epoch = batches_of, seed, 0
        self.n_batches = len(batches_of(0))
        self.sampler = self

    def set_epoch(self, epoch: int) -> None:
        """Chooses the order of the next pass."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        generator = torch.Generator().manual_seed(derived_seed(self.seed, "batches", self.epoch))
        batches = self.batches_of(self.epoch)
        for number in torch.randperm(len(batches), generator=generator).tolist():
            yield batches[number]

    def __len__(self) -> int:
        return self.n_batches


class BatchesInPieces(Sampler[list[tuple[int, int]]]):
    """Yields every batch as often as it has pieces, one after the other: its items, each with the number of the piece.

    Args:
        sampler: of the batches; Lightning sets its epoch.
    """

    def __init__(self, sampler: ShuffledBatches, n_pieces: int):
        self.sampler, self.n_pieces = sampler, n_pieces

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        for batch in self.sampler:
            for piece in range(self.n_pieces):
                yield [(item, piece) for item in batch]

    def __len__(self) -> int:
        return len(self.sampler) * self.n_pieces


class ItemsOfPieces(Dataset[tuple[Any, int]]):
    """Returns an item with the number of the piece for which it is requested."""

    def __init__(self, items: Sequence[Any]):
        self.items = items

    def __getitem__(self, place: tuple[int, int]) -> tuple[Any, int]:
        return self.items[place[0]], place[1]
