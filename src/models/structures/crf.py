"""A linear-chain conditional random field over packed sentences (Lafferty, McCallum and Pereira 2001).

Its forward and backward algorithm are one node of the autograd graph. States are kept as probabilities in float64,
divided by their sum at every step: a step is one product with the exponentials of the transitions, whose largest is
taken out. Scores of a sentence may lie some 700 nats apart before anything vanishes. The gradient needs no second pass
through the graph: it is the result of the backward algorithm, the marginals and the expected transitions (one product
after the loop), minus those of gold.

Rows are those of the packing's forward direction: time after time, the longest sentence first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from polyprobe.models.layers.packing import Packing


class LinearChainCrf(nn.Module):
    """Scores a path of labels as the sum of its emissions and transitions; starts and ends have no scores.

    As in the released code of LINSPECTOR, decoding alone restricts which label may follow which: the loss is that of a
    chain in which every label may follow every other.

    Args:
        labels: at least one.
        may_follow: whether its first label may come directly before its second.
        may_start, may_end: whether a label may start or end a sentence.
    """

    def __init__(
        self,
        labels: Sequence[str],
        may_follow: Callable[[str, str], bool],
        may_start: Callable[[str], bool],
        may_end: Callable[[str], bool],
    ):
        super().__init__()
        self.transitions = nn.Parameter(torch.zeros(len(labels), len(labels)))
        pairs = [[may_follow(before, after) for before in labels] for after in labels]
        self.register_buffer("barriers", _barriers(pairs), persistent=False)
        self.register_buffer("start_barriers", _barriers([*map(may_start, labels)]), persistent=False)
        self.register_buffer("end_barriers", _barriers([*map(may_end, labels)]), persistent=False)

    def loss(self, emissions: Tensor, label_ids: Tensor, packing: Packing) -> Tensor:
        """Negative log-likelihood of given paths, in nats.

        Args:
            emissions: `[cells, labels]`; cells are ordered sentence after sentence.
            label_ids: `[cells]`. A sentence with a negative one has no loss.
            packing: of the sentences over their words.

        Returns:
            `[sentences]`, float64.
        """
        losses = ChainLoss.apply(emissions, self.transitions, label_ids.clamp(min=0), packing)
        is_unknown = (label_ids < 0)[packing.cell_of_row[: len(emissions)]]
        return losses.index_fill(0, sentence_of_row(packing)[is_unknown], 0.0)

    @torch.no_grad()
    def decode(self, emissions: Tensor, packing: Packing) -> Tensor:
        """Returns the labels of the best allowed path of every sentence: `[cells]`.

        Arguments: see `loss`. Labels before the best last one are looked up on the way back, each for one row of
        scores, not for all that might have been.
        """
        transposed = self.transitions.t() + self.barriers
        rows = emissions.float()[packing.cell_of_row[: len(emissions)]]
        rows[: packing.sizes[0]] += self.start_barriers
        for now, before in steps(packing.sizes):
            if before:
                rows[now] += (rows[before].unsqueeze(1) + transposed).amax(2)
        last_rows = packing.last_rows[:, 0]
        best = torch.empty(len(rows), dtype=torch.int64, device=rows.device)
        best[last_rows] = (rows[last_rows] + self.end_barriers).argmax(1)
        for now, before in reversed(list(steps(packing.sizes))):
            if before:
                torch.argmax(rows[before] + transposed[best[now]], 1, out=best[before])
        return best[packing.rows_of_cell[:, 0]]


def _barriers(is_allowed: Sequence) -> Tensor:
    """Returns 0 where something is allowed and minus infinity elsewhere."""
    return torch.zeros(torch.tensor(is_allowed).shape).masked_fill(~torch.tensor(is_allowed), -torch.inf)


@dataclass(frozen=True, slots=True)
class Chain:
    """The result of the forward algorithm."""

    factors: Tensor
    """`[rows, labels]`, exponentials of the emissions, the largest of a row being 1."""
    weights: Tensor
    """`[labels, labels]`, exponentials of the transitions, the largest being 1."""
    forward: Tensor
    """`[rows, labels]`, probability of a label given all words up to this one."""
    scales: Tensor
    """`[rows, 1]`, the divisor of each row."""
    sizes: Sequence[int]
    """Rows at each time step."""


class ChainLoss(torch.autograd.Function):
    """Negative log-likelihood of one path for every sentence, over all paths, in nats."""

    @staticmethod
    def forward(ctx: Any, emissions: Tensor, transitions: Tensor, label_ids: Tensor, packing: Packing) -> Tensor:
        """Runs the forward algorithm and scores the path.

        Args:
            emissions: `[cells, labels]`.
            transitions: `[label, next label]`.
            label_ids: `[cells]`, the path.
            packing: of the sentences over their words.

        Returns:
            `[sentences]`, float64.
        """
        cells = packing.cell_of_row[: len(emissions)]
        rows, gold = emissions.double()[cells], label_ids[cells]
        chain, losses = run_forward(rows, transitions.double(), packing.sizes)
        before, n_first = rows_before(packing.sizes, rows.device), packing.sizes[0]
        losses -= rows.gather(1, gold.unsqueeze(1)).squeeze(1)
        losses[n_first:] -= transitions[gold[before], gold[n_first:]]
        ctx.chain, ctx.gold, ctx.before, ctx.packing = chain, gold, before, packing
        ctx.types = emissions.dtype, transitions.dtype
        ctx.sentence_of_row = sentence_of_row(packing)
        return losses.new_zeros(len(packing.order)).index_add_(0, ctx.sentence_of_row, losses)

    @staticmethod
    def backward(ctx: Any, gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """Returns the gradients of emissions and transitions."""
        chain, gold, n_first = ctx.chain, ctx.gold, ctx.packing.sizes[0]
        backward, arriving = run_backward(chain)
        of_row = gradients[ctx.sentence_of_row].unsqueeze(1)
        by_emission = (chain.forward * backward).mul_(of_row)
        by_emission.scatter_add_(1, gold.unsqueeze(1), -of_row)
        arrivals = arriving[n_first:] * of_row[n_first:]
        by_transition = chain.weights * (chain.forward[ctx.before].t() @ arrivals)
        steps_of_gold = gold[ctx.before] * len(chain.weights) + gold[n_first:]
        by_transition.view(-1).index_add_(0, steps_of_gold, of_row[n_first:, 0], alpha=-1)
        in_cells = by_emission[ctx.packing.rows_of_cell[:, 0]]
        return in_cells.to(ctx.types[0]), by_transition.to(ctx.types[1]), None, None


def run_forward(rows: Tensor, transitions: Tensor, sizes: Sequence[int]) -> tuple[Chain, Tensor]:
    """Runs over all steps.

    Args:
        rows: `[rows, labels]`, emissions in float64.
        transitions: `[label, next label]`, float64.
        sizes: rows at each time step.

    Returns:
        The chain, and `[rows]`: what each row adds to the logarithm of the sum over all paths of its sentence.
    """
    highest, top = rows.amax(1, keepdim=True), transitions.amax()
    factors, weights = (rows - highest).exp_(), (transitions - top).exp_()
    forward, scales = factors.clone(), torch.empty_like(highest)
    for now, before in steps(sizes):
        if before:
            forward[now].mul_(forward[before] @ weights)
        torch.sum(forward[now], 1, keepdim=True, out=scales[now])
        forward[now].div_(scales[now])
    logs = scales.log().add_(highest).squeeze(1)
    logs[sizes[0] :] += top
    return Chain(factors, weights, forward, scales, sizes), logs


def run_backward(chain: Chain) -> tuple[Tensor, Tensor]:
    """Runs back over all steps.

    Returns:
        `[rows, labels]`, the evidence of the words after a row about its label: times `forward`, the marginals.
        `[rows, labels]`, the same with the row's own word, for the transitions that arrive there.
    """
    backward = torch.ones_like(chain.forward)
    arriving = chain.factors / chain.scales
    transposed = chain.weights.t()
    for now, before in reversed(list(steps(chain.sizes))):
        arriving[now].mul_(backward[now])
        if before:
            torch.mm(arriving[now], transposed, out=backward[before])
    return backward, arriving


def steps(sizes: Sequence[int]) -> Iterator[tuple[slice, slice | None]]:
    """Yields the rows of each step and, but for the first, the rows that the same sentences had one step before."""
    start, before = 0, None
    for size in sizes:
        yield slice(start, start + size), before and slice(before.start, before.start + size)
        before = slice(start, start + size)
        start += size


def sentence_of_row(packing: Packing) -> Tensor:
    """Returns `[rows]`, the number of the sentence that a row belongs to."""
    return torch.cat([packing.order[:size] for size in packing.sizes])


def rows_before(sizes: Sequence[int], device: torch.device) -> Tensor:
    """Returns `[rows after the first step]`, the row of the same sentence one step before."""
    lengths = torch.tensor(sizes)
    earlier = lengths[:-1].repeat_interleave(lengths[1:])
    return (torch.arange(sizes[0], sum(sizes)) - earlier).to(device)
