"""A linear layer over a large vocabulary and its loss in one: the logits of few rows at once, and never twice."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

BYTES_AT_ONCE = 1 << 28
"""Of logits, in float32: 700 rows of 50,000 words fit. More rows at a time are faster: each block reads all weights."""

CACHE_BYTES = 1 << 20
"""What stays near a processor core between passes."""


def summed_cross_entropy(states: Tensor, weight: Tensor, bias: Tensor, word_ids: Tensor, divisor: float) -> Tensor:
    """Returns minus the log-probabilities of words, in nats, summed and divided.

    The gradients are computed with the loss, block by block, in the memory of the logits. Plain layers hold logits,
    log-probabilities and their gradients of all rows at a time.

    Args:
        states: `[rows, width]`; there may be no row.
        weight: `[words, width]`.
        bias: `[words]`.
        word_ids: `[rows]`.
    """
    return _SummedCrossEntropy.apply(states, weight, bias, word_ids, divisor)


@torch.no_grad()
def log_probabilities(states: Tensor, weight: Tensor, bias: Tensor, row_of_word: Tensor, word_ids: Tensor) -> Tensor:
    """Returns the log-probability of words in nats, float32: `[requested words]`. Log-softmax is in float32.

    Args:
        states: `[rows, width]`; the normaliser of a row is computed once, however many words are requested.
        weight, bias: see `summed_cross_entropy`.
        row_of_word: `[requested words]`, rising: the row that a word is to follow.
        word_ids: `[requested words]`.
    """
    found = []
    for start, rows, cast_weight in _blocks(states, weight):
        first, end = torch.searchsorted(row_of_word, torch.tensor([start, start + len(rows)], device=rows.device))
        logits, asked = _logits(rows, cast_weight, bias), row_of_word[first:end] - start
        of_words = logits[asked, word_ids[first:end]]
        highest, sums = _exponentiate(logits)
        found.append(of_words - (highest + sums.log())[asked])
    return torch.cat(found) if found else states.new_empty(0, dtype=torch.float32)


def surprisals_and_best(states: Tensor, weight: Tensor, bias: Tensor, word_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the surprisal of the word after each row in nats, float32, and the most probable word: `[rows]` each.

    Args:
        states: `[rows, width]`.
        weight, bias: see `summed_cross_entropy`.
        word_ids: `[rows]`.
    """
    surprisals, best = [states.new_empty(0, dtype=torch.float32)], [word_ids.new_empty(0)]
    for start, rows, cast_weight in _blocks(states, weight):
        logits = _logits(rows, cast_weight, bias)
        of_words = logits.gather(1, word_ids[start : start + len(rows), None])[:, 0]
        best.append(logits.argmax(1))
        highest, sums = _exponentiate(logits)
        surprisals.append(highest + sums.log() - of_words)
    return torch.cat(surprisals), torch.cat(best)


class _SummedCrossEntropy(torch.autograd.Function):
    """The slope of a row by its logits is softmax minus one at the word that follows. The softmax is never stored: its
    numerators replace the logits, its denominators go into their factors."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, word_ids: Tensor, divisor: float) -> Tensor:
        loss = torch.zeros((), device=states.device)
        of_states, of_bias = torch.empty_like(states), torch.zeros_like(bias)
        of_weight: Tensor | None = None
        for start, rows, cast_weight in _blocks(states, weight):
            logits, block = _logits(rows, cast_weight, bias), slice(start, start + len(rows))
            ids = word_ids[block]
            of_words = logits.gather(1, ids[:, None])[:, 0]
            highest, sums = _exponentiate(logits)
            loss += (highest + sums.log() - of_words).sum()
            share = (sums * divisor).reciprocal_()
            of_bias += share @ logits
            numerators, scaled = logits.to(rows.dtype), (rows * share[:, None]).to(rows.dtype)
            of_states[block] = (numerators @ cast_weight) * share[:, None] - weight.detach()[ids] / divisor
            of_weight = _plus_product(of_weight, numerators.t(), scaled, weight)
            of_weight.index_add_(0, ids, rows.to(weight.dtype), alpha=-1 / divisor)
            of_bias.index_add_(0, ids, torch.full_like(sums, -1 / divisor))
        ctx.gradients = of_states, torch.zeros_like(weight) if of_weight is None else of_weight, of_bias
        return loss / divisor

    @staticmethod
    def backward(ctx: Any, by_loss: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        gradients, ctx.gradients = ctx.gradients, None  # no other object holds them, so they need not be copied
        if by_loss.is_cpu and by_loss == 1:  # spares a pass over all weights
            return *gradients, None, None
        return *(one.mul_(by_loss) for one in gradients), None, None


def _exponentiate(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Turns `[rows, words]` into powers of e over that of the row's highest, in place; returns `[rows]`: highest, sums.

    On a CPU few rows at a time: they are still in the processor's cache when they are read again.
    """
    highest, sums = torch.empty_like(logits[:, 0]), torch.empty_like(logits[:, 0])
    n_rows = max(1, CACHE_BYTES // (4 * logits.shape[1])) if logits.is_cpu else max(1, len(logits))
    for start in range(0, len(logits), n_rows):
        rows = slice(start, start + n_rows)
        torch.amax(logits[rows], 1, out=highest[rows])
        torch.sum(logits[rows].sub_(highest[rows, None]).exp_(), 1, out=sums[rows])
    return highest, sums


def _blocks(states: Tensor, weight: Tensor) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yields blocks of rows, each with the number of its first, and the weights, both in the precision of products."""
    kind = states.device.type
    precision = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight.dtype
    weight = weight.detach().to(precision)
    n_rows = max(1, BYTES_AT_ONCE // (4 * len(weight)))
    with torch.autocast(kind, enabled=False):
        for start in range(0, len(states), n_rows):
            yield start, states[start : start + n_rows].detach().to(precision), weight


def _logits(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Returns float32 `[rows, words]`, not shared with anything: it may be overwritten."""
    if rows.dtype == torch.float32:
        return F.linear(rows, weight, bias)
    return F.linear(rows, weight).float().add_(bias)


def _plus_product(total: Tensor | None, left: Tensor, right: Tensor, like: Tensor) -> Tensor:
    product = (left @ right).to(like.dtype) if total is None or left.dtype != like.dtype else None
    if total is None:
        return product
    return total.addmm_(left, right) if product is None else total.add_(product)
