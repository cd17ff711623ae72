"""Sentences as running texts: a prompt before each, cut where the model ends, pooled in one or several ways.

What sentence-transformers has after the pooling, the modules Dense, LayerNorm and Normalize, is read or drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from polyprobe.encoders.transformer.config_checks import reason
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.pieces import WordPieces
from polyprobe.encoders.transformer.sentence_modules import HeadModule
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
    """Of pooling, see `pooled`; the vectors of several are joined."""
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
        n_left_out = self._prompt_length(pieces, limit)
        read = pieces.whole_texts([self.prompt + text for text in texts], limit)
        for row, (ids, is_special, is_cut) in enumerate(read):
            counts = np.arange(len(ids)) >= n_left_out
            if not self.counts_special:
                counts &= ~is_special
            if not counts.any():
                raise nothing_read(texts[row])
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


def nothing_read(text: str) -> PolyprobeError:
    """Returns the error of a text of which the tokenizer keeps nothing that counts."""
    return PolyprobeError(f"transformer: its tokenizer returns nothing for the sentence {text[:200]!r}.")


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


_BYTES_PER_NUMBER = 8  # at most
_MORE_BYTES = 1 << 16  # for what else a file holds


class _Normalize(nn.Module):
    def forward(self, vectors: Tensor) -> Tensor:
        return nn.functional.normalize(vectors, p=2, dim=-1)


def sentence_head(modules: Sequence[HeadModule], device: torch.device, seed: int | None) -> nn.Module:
    """Returns the modules in evaluation mode, in float32: `[sentences, n_in of the first]` to `[sentences, n_out]`.

    Args:
        modules: in their order; none returns what it is given.
        seed: None for the weights of the folder; else fresh ones are drawn by it. Global generators are as before.
    """
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(derived_seed(seed, "random sentence head"))
        built = [_module(module, is_read=seed is None) for module in modules]
    return nn.Sequential(*built).to(device).eval().requires_grad_(False)


def _module(module: HeadModule, is_read: bool) -> nn.Module:
    if module.kind == "Normalize":
        return _Normalize()
    if module.kind == "LayerNorm":
        return _with_weights(nn.LayerNorm(module.n_in), "norm.", module, is_read)
    linear = _with_weights(nn.Linear(module.n_in, module.n_out, module.has_bias), "linear.", module, is_read)
    return nn.Sequential(linear, getattr(nn, module.activation)())


def _with_weights(layer: nn.Module, prefix: str, module: HeadModule, is_read: bool) -> nn.Module:
    if not is_read:
        return layer
    expected = {f"{prefix}{name}": tensor.shape for name, tensor in layer.state_dict().items()}
    most = _BYTES_PER_NUMBER * sum(shape.numel() for shape in expected.values()) + _MORE_BYTES
    if module.weights.stat().st_size > most:
        raise NotATransformer(module.weights, f"it has {module.weights.stat().st_size:,} bytes", f"at most {most:,}")
    found = _read(module.weights)
    shapes = {name: tensor.shape for name, tensor in found.items()}
    if shapes != expected:
        told = {name: list(shape) for name, shape in shapes.items()}
        wanted = {name: list(shape) for name, shape in expected.items()}
        raise NotATransformer(module.weights, f"its tensors are {told}", f"{wanted}, as its config.json says")
    layer.load_state_dict({name.removeprefix(prefix): tensor.float() for name, tensor in found.items()})
    return layer


def _read(path: Path) -> Mapping[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        found = torch.load(path, map_location="cpu", weights_only=True)  # a pickle may hold nothing but tensors
        return {str(name): tensor.detach() for name, tensor in found.items()}
    except Exception as error:  # damaged weights can end in any exception
        raise NotATransformer(path, f"its weights cannot be loaded ({reason(error)})", "tensors") from error
