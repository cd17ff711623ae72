"""Sentences as running texts: a prompt before each, cut where the model ends, pooled in one or several ways."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.encoders.transformer.pieces import WordPieces
from polyprobe.encoders.transformer.sequences import NO_ROW, PieceSequence
from polyprobe.errors import PolyprobeError
from polyprobe.seeds import derived_seed

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
    """How sentences are read as texts."""

    modes: tuple[str, ...]
    """Of pooling: one of `pooled`, or those of the module Pooling, the vectors of several joined."""
    counts_special: bool
    prompt: str
    counts_prompt: bool
    limit: int | None
    """Pieces of a text, special tokens included, as the model's folder says; None where it says nothing."""

    def identity(self) -> list[object]:
        """Returns plain values that tell it from others."""
        return [list(self.modes), self.counts_special, self.prompt, self.counts_prompt, self.limit]

    def sequences(self, pieces: WordPieces, texts: Sequence[str], limit: int | None) -> Iterator[tuple]:
        """Yields the sequence of each text, and whether it was cut.

        Args:
            texts: without prompts; their places are the rows of the sequences.
        """
        n_left_out = self.n_left_out(pieces, limit)
        read = pieces.whole_texts([self.prompt + text for text in texts], limit)
        for row, (ids, is_special, is_cut) in enumerate(read):
            counts = np.arange(len(ids)) >= n_left_out
            if not self.counts_special:
                counts &= ~is_special
            if not counts.any():
                raise nothing_read(texts[row])
            rows = np.where(counts, row, NO_ROW)
            yield PieceSequence(ids, np.full(len(ids), NO_ROW), rows), is_cut

    def n_left_out(self, pieces: WordPieces, limit: int | None) -> int:
        """Returns how many pieces at the beginning do not count."""
        if not self.prompt:
            return 0
        n_pieces = pieces.prompt_length(self.prompt)
        if limit is not None and n_pieces + len(pieces.suffix) >= limit:
            found = f"{self.prompt[:200]!r} has {n_pieces} pieces, and a sequence of the model takes {limit}"
            raise PolyprobeError(f"encoder.prompt: {found}: it leaves no room for a sentence.")
        return 0 if self.counts_prompt else n_pieces


def nothing_read(text: str) -> PolyprobeError:
    """Returns the error of a text of which the tokenizer keeps nothing that counts."""
    return PolyprobeError(f"transformer: its tokenizer returns nothing for the sentence {text[:200]!r}.")


def pooled(states: Tensor, counts: Tensor, mode: str) -> Tensor:
    """Pools the pieces of sentences.

    Args:
        states: `[sentences, pieces, width]`, padded on the right.
        counts: `[sentences, pieces]`, True at pieces that count: at least one in each sentence.
        mode: "cls" the first of these, "lasttoken" the last, "max" and "mean" over them.

    Returns:
        `[sentences, width]`, float32.
    """
    states, counted = states.float(), counts.int()
    if mode == "max":
        return states.masked_fill(~counts[:, :, None], -torch.inf).amax(1)
    if mode == "mean":
        return (states * counts.float()[:, :, None]).sum(1) / counts.sum(1, keepdim=True)
    places = counted.argmax(1) if mode == "cls" else counts.shape[1] - 1 - counted.flip(1).argmax(1)
    return states[torch.arange(len(states), device=states.device), places]


def sentence_modules(modules: Sequence[nn.Module], device: torch.device, seed: int | None) -> nn.Sequential:
    """Returns modules of sentence-transformers in evaluation mode, in float32: from features to features.

    Args:
        modules: in their order, with the weights of their folder.
        seed: None for these weights; else fresh ones are drawn by it. Global generators are as before.
    """
    whole = copy.deepcopy(nn.Sequential(*modules)).float()
    if seed is not None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(derived_seed(seed, "random sentence head"))
            for layer in whole.modules():
                if isinstance(layer, nn.Linear | nn.LayerNorm):
                    layer.reset_parameters()
    return whole.to(device).eval().requires_grad_(False)
