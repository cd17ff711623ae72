"""Role F1 as a metric of the training loop: summed counts that several processes can add up."""

from collections.abc import Sequence

from polyprobe.formats.roles.propositions import Proposition
from polyprobe.metrics.roles import RoleCounts, RoleScores, Tally, count_roles, role_scores
from polyprobe.metrics.span_f1 import LabelledF1

_PREDICATES = ""


class RoleF1(LabelledF1):
    """Counts arguments by their roles, and predicates; equals `role_scores` of the summed counts."""

    def __init__(self, roles: Sequence[str]):
        super().__init__((*roles, _PREDICATES))

    def update(self, gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> None:
        """Adds the propositions of one sentence."""
        counts = count_roles(gold, predicted)
        self.add(_PREDICATES, counts.predicates)
        for role in counts.roles():
            self.add(role, counts.of(role))

    def compute(self) -> RoleScores:
        """Returns the scores of everything added so far."""
        tallies = dict(zip(self.slots, self.tallies.tolist(), strict=True))
        predicates = Tally(*tallies.pop(_PREDICATES))
        columns = ({role: row[column] for role, row in tallies.items() if row[column]} for column in range(3))
        return role_scores(RoleCounts(*columns, predicates))
