"""A linear-chain conditional random field over packed sentences (Lafferty, McCallum and Pereira 2001)."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from src.models.layers.packing import Packing
from src.models.structures.crf_steps import ChainLoss, run_backward, run_forward, sentence_of_row, steps


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

    @torch.no_grad()
    def marginals(self, emissions: Tensor, packing: Packing) -> Tensor:
        """Returns the probability of every label at every cell, over all paths: `[cells, labels]`. See `loss`."""
        rows = emissions.double()[packing.cell_of_row[: len(emissions)]]
        chain, _ = run_forward(rows, self.transitions.double(), packing.sizes)
        backward, _ = run_backward(chain)
        return (chain.forward * backward)[packing.rows_of_cell[:, 0]].to(emissions.dtype)


def _barriers(is_allowed: Sequence) -> Tensor:
    """Returns 0 where something is allowed and minus infinity elsewhere."""
    return torch.zeros(torch.tensor(is_allowed).shape).masked_fill(~torch.tensor(is_allowed), -torch.inf)
