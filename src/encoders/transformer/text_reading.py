"""Sentences as running texts: a prompt before each, cut where the model ends, pooled in one or several ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from src.encoders.transformer.batches import NO_ROW, PieceSequence
from src.encoders.transformer.pieces import WordPieces
from src.errors import PolyprobeError

# The poolings that users name, as modes of `pooled`, and whether special tokens count.
TYPED = {
    "mean": ("mean", False),
    "mean_with_special_tokens": ("mean", True),
    "max": ("max", False),
    "cls": ("cls", True),
    "last": ("lasttoken", True),
}


@dataclass(frozen=True, slots=True)
class TextReading:
    """How sentences are read as texts.

    Attributes:
        modes: of pooling, see `pooled`; the vectors of several are joined.
        counts_special: whether special tokens count.
        prompt: the text before each sentence.
        counts_prompt: whether its pieces count.
        limit: pieces of a text, special tokens included, as the model's folder says; None where it says nothing.
    """

    modes: tuple[str, ...]
    counts_special: bool
    prompt: str
    counts_prompt: bool
    limit: int | None

    def identity(self) -> list[object]:
        """Returns plain values that tell it from others."""
        return [list(self.modes), self.counts_special, self.prompt, self.counts_prompt, self.limit]

    def sequences(self, pieces: WordPieces, texts: Sequence[str], limit: int | None) -> Iterator[tuple]:
        """Yields the sequence of each text, and whether it was cut.

        Args:
            pieces: of the model.
            texts: without prompts; their places are the rows of the sequences.
            limit: of the model.

        Raises:
            PolyprobeError: no piece of a text counts, or the prompt is as long as a text may be.
        """
        n_left_out = self._prompt_length(pieces, limit)
        read = pieces.of_texts([self.prompt + text for text in texts], limit)
        for row, (ids, is_special, is_cut) in enumerate(read):
            counts = np.arange(len(ids)) >= n_left_out
            if not self.counts_special:
                counts &= ~is_special
            if not counts.any():
                raise PolyprobeError(f"transformer: its tokenizer makes nothing of the sentence {texts[row][:200]!r}.")
            rows = np.where(counts, row, NO_ROW)
            yield PieceSequence(ids, np.full(len(ids), NO_ROW), rows), is_cut

    def _prompt_length(self, pieces: WordPieces, limit: int | None) -> int:
        """Returns how many pieces at the beginning do not count."""
        if not self.prompt:
            return 0
        n_pieces = pieces.prompt_length(self.prompt)
        if limit is not None and n_pieces + len(pieces.suffix) >= limit:
            found = f"{self.prompt[:200]!r} has {n_pieces} pieces, and a sequence of the model takes {limit}"
            raise PolyprobeError(f"encoder.prompt: {found}: it leaves no room for a sentence.")
        return 0 if self.counts_prompt else n_pieces


def pooled(states: Tensor, counts: Tensor, modes: Sequence[str]) -> Tensor:
    """Pools the pieces of sentences as the module Pooling of sentence-transformers does.

    Args:
        states: `[sentences, pieces, width]`, padded on the right.
        counts: `[sentences, pieces]`, True at pieces that count: at least one in each sentence.
        modes: "cls" the first of these, "lasttoken" the last, "max" and "mean" over them, "mean_sqrt_len_tokens" their
            sum over the root of their number, "weightedmean" their mean weighted by their places from 1.

    Returns:
        `[sentences, modes x width]`, float32.
    """
    states = states.float()
    return torch.cat([_POOLED[mode](states, counts) for mode in modes], dim=-1)


def _first(states: Tensor, counts: Tensor) -> Tensor:
    return states[torch.arange(len(states), device=states.device), counts.int().argmax(1)]


def _last(states: Tensor, counts: Tensor) -> Tensor:
    places = counts.shape[1] - 1 - counts.int().flip(1).argmax(1)
    return states[torch.arange(len(states), device=states.device), places]


def _highest(states: Tensor, counts: Tensor) -> Tensor:
    return states.masked_fill(~counts[:, :, None], -torch.inf).amax(1)


def _sum(states: Tensor, weights: Tensor) -> Tensor:
    return (states * weights[:, :, None]).sum(1)


def _mean(states: Tensor, counts: Tensor) -> Tensor:
    return _sum(states, counts.float()) / counts.sum(1, keepdim=True)


def _sum_over_root(states: Tensor, counts: Tensor) -> Tensor:
    return _sum(states, counts.float()) / counts.sum(1, keepdim=True).float().sqrt()


def _weighted_mean(states: Tensor, counts: Tensor) -> Tensor:
    weights = counts.float() * torch.arange(1, counts.shape[1] + 1, device=counts.device)
    return _sum(states, weights) / weights.sum(1, keepdim=True)


_POOLED = {
    "cls": _first,
    "lasttoken": _last,
    "max": _highest,
    "mean": _mean,
    "mean_sqrt_len_tokens": _sum_over_root,
    "weightedmean": _weighted_mean,
}
