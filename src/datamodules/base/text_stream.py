"""Shuffled sentences as one stream of text, cut into columns and stretches for truncated back-propagation."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

from src.models.batches.text_vocabulary import END_ID
from src.models.inputs.word_batch import NO_LOSS
from src.models.language_model import TextBatch
from src.seeds import derived_seed

Stretch = tuple[int, int]
"""Epoch and number of a stretch in it."""


class TextStream(Dataset):
    """The stream of an epoch: its sentences in an order that only seed and epoch decide, `<eos>` between them.

        <eos> the dog sleeps <eos> Mary laughs <eos>        in two columns and stretches of two steps:

        stretch 0    <eos> -> the     sleeps -> <eos>
                     the   -> dog     <eos>  -> Mary
        stretch 1    dog   -> sleeps  Mary   -> laughs
                                      laughs -> <eos>

    Every word and every end is predicted once in an epoch. Columns differ by at most one step.

    Args:
        sentences: ids of the words of each and of its end, `[words + 1]`.
        columns: how many pieces of the stream are read side by side.
        steps: of a stretch, over which gradients go back.
        seed: of the order.
        process, n_processes: this process reads columns `process`, `process + n_processes`, ….
    """

    def __init__(
        self, sentences: Sequence[np.ndarray], columns: int, steps: int, seed: int, process: int, n_processes: int
    ):
        self.ids = np.concatenate(sentences)
        self.lengths = np.array([len(ids) for ids in sentences])
        self.columns, self.steps, self.seed = columns, steps, seed
        self.process, self.n_processes = process, n_processes
        self._epoch, self._stream = -1, self.ids

    def __len__(self) -> int:
        """Returns the stretches of an epoch."""
        return math.ceil(math.ceil(len(self.ids) / self.columns) / self.steps)

    def __getitem__(self, stretch: Stretch) -> TextBatch:
        """Returns this process's columns of a stretch; the loss is divided by what makes a mean over all processes."""
        epoch, number = stretch
        stream = self._of_epoch(epoch)
        bounds = np.arange(self.columns + 1) * len(self.ids) // self.columns
        places = np.arange(self.steps)[:, None] + number * self.steps + bounds[:-1]
        is_real = places < bounds[1:]
        rows = is_real.any(1)
        places, is_real = np.where(is_real, places, 0)[rows], is_real[rows]
        ours = slice(self.process, None, self.n_processes)
        word_ids = torch.from_numpy(stream[places[:, ours]].astype(np.int64))
        next_ids = torch.from_numpy(np.where(is_real, stream[places + 1], NO_LOSS)[:, ours].astype(np.int64))
        return TextBatch(word_ids, next_ids, is_real.sum() / self.n_processes, begins=number == 0)

    def _of_epoch(self, epoch: int) -> np.ndarray:
        if epoch != self._epoch:
            generator = np.random.default_rng(derived_seed(self.seed, "sentences", epoch))
            self._stream, self._epoch = self._shuffled(generator.permutation(len(self.lengths))), epoch
        return self._stream

    def _shuffled(self, order: np.ndarray) -> np.ndarray:
        """Returns `[1 + ids]`: an end without a sentence before it, then the sentences in their order."""
        lengths = self.lengths[order]
        starts = (np.cumsum(self.lengths) - self.lengths)[order] - (np.cumsum(lengths) - lengths)
        places = np.repeat(starts, lengths)
        places += np.arange(len(places))
        return np.concatenate([np.array([END_ID], self.ids.dtype), self.ids[places]])


class StretchOrder(Sampler[Stretch]):
    """Yields the stretches of an epoch in their order, since each continues the one before.

    Lightning calls `set_epoch`, in a resumed run after it has requested an iterator.
    """

    def __init__(self, n_stretches: int):
        self.n_stretches, self.epoch = n_stretches, 0

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch of the next pass."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Stretch]:
        for number in range(self.n_stretches):
            yield self.epoch, number

    def __len__(self) -> int:
        return self.n_stretches
