"""Role F1 as a metric of the training loop: summed counts that several processes can add up."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.formats.roles.propositions import Proposition
from polyprobe.metrics.roles import RoleCounts, RoleScores, Tally, count_roles, role_scores

OTHER = "other"
"""Stands in the scores for all roles that are not among the known ones."""


class RoleF1(Metric):
    """Counts arguments over sentences and processes; equals `role_scores` of the summed counts.

    Args:
        roles: those of the model. Gold arguments of any other role count as missed, under "other".
    """

    full_state_update = False
    higher_is_better = True
    correct: Tensor
    system: Tensor
    gold: Tensor
    predicates: Tensor

    def __init__(self, roles: Sequence[str]):
        super().__init__()
        self.slots = (*roles, OTHER)
        for name in ("correct", "system", "gold"):
            self.add_state(name, torch.zeros(len(self.slots), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("predicates", torch.zeros(3, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> None:
        """Adds the propositions of one sentence."""
        counts = count_roles(gold, predicted)
        self.correct += self._by_slot(counts.correct)
        self.system += self._by_slot(counts.system)
        self.gold += self._by_slot(counts.gold)
        tally = counts.predicates
        self.predicates += torch.tensor([tally.correct, tally.system, tally.gold], device=self.device)

    def compute(self) -> RoleScores:
        """Returns the scores of everything added so far."""
        by_role = [
            {role: count for role, count in zip(self.slots, tensor.tolist(), strict=True) if count}
            for tensor in (self.correct, self.system, self.gold)
        ]
        return role_scores(RoleCounts(*by_role, Tally(*self.predicates.tolist())))

    def _by_slot(self, counts: dict[str, int]) -> Tensor:
        """Returns `[roles + 1]`, int64; the last number is that of all unknown roles."""
        known = [counts.get(role, 0) for role in self.slots[:-1]]
        return torch.tensor([*known, sum(counts.values()) - sum(known)], dtype=torch.int64, device=self.device)
