"""Role F1: arguments found under given predicates, counted as the CoNLL-2009 scorer counts them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from polyprobe.formats.roles.propositions import Proposition
from polyprobe.metrics.task_score import TaskScore


@dataclass(frozen=True, slots=True)
class Tally:
    """Correct, predicted and gold counts; the three numbers behind every precision and recall."""

    correct: int = 0
    system: int = 0
    gold: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.correct + other.correct, self.system + other.system, self.gold + other.gold)

    @property
    def precision(self) -> float:
        """Correct per predicted, 0 to 1; 0 where nothing was predicted."""
        return _ratio(self.correct, self.system)

    @property
    def recall(self) -> float:
        """Correct per gold, 0 to 1; 0 where gold has nothing."""
        return _ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1; 0/0 is 0."""
        return _ratio(*self.f1_parts)

    @property
    def f1_parts(self) -> tuple[int, int]:
        """Numerator and denominator of F1; each adds up over sentences."""
        return 2 * self.correct, self.system + self.gold


L = TypeVar("L", str, bytes)


@dataclass(slots=True)
class LabelCounts(Generic[L]):
    """How often each label (tag, relation, type of span) was right, predicted and gold: counts to be added to."""

    correct: Counter[L] = field(default_factory=Counter)
    system: Counter[L] = field(default_factory=Counter)
    gold: Counter[L] = field(default_factory=Counter)

    def of(self, label: L) -> Tally:
        """Returns the counts of one label."""
        return Tally(self.correct[label], self.system[label], self.gold[label])


@dataclass(frozen=True)
class RoleCounts:
    """Counts that add up over sentences; unused roles are absent."""

    correct: Mapping[str, int] = field(default_factory=dict)
    """Arguments with the right predicate, word and role, by role."""
    system: Mapping[str, int] = field(default_factory=dict)
    """Arguments that the system predicted, by role."""
    gold: Mapping[str, int] = field(default_factory=dict)
    """Arguments in gold, by role."""
    predicates: Tally = Tally()
    """Predicates; correct are those with the sense of gold."""

    def __add__(self, other: "RoleCounts") -> "RoleCounts":
        return RoleCounts(
            _summed(self.correct, other.correct),
            _summed(self.system, other.system),
            _summed(self.gold, other.gold),
            self.predicates + other.predicates,
        )

    def of(self, role: str) -> Tally:
        """Returns the counts of one role."""
        return Tally(self.correct.get(role, 0), self.system.get(role, 0), self.gold.get(role, 0))

    @property
    def arguments(self) -> Tally:
        """The counts of all roles together."""
        return Tally(*(sum(counts.values()) for counts in (self.correct, self.system, self.gold)))

    def roles(self) -> tuple[str, ...]:
        """Returns the roles that gold or system use, sorted."""
        return tuple(sorted(self.gold.keys() | self.system.keys()))


class RoleScore(NamedTuple):
    """Precision, recall and F1 of one role, 0 to 1, and `n`, how often gold has it."""

    precision: float
    recall: float
    f1: float
    n: int


class RoleScores(NamedTuple):
    """The scores of a system, as fractions (0 to 1); a named tuple, since torchmetrics takes no frozen data class."""

    precision: float
    recall: float
    f1: float
    """All three over arguments only, all roles together (micro): "role F1"."""
    semantic_f1: float
    """The scorer's labelled F1, where every predicate counts as one more item, right when its sense is; with gold
    senses all of them are."""
    n: int
    """Arguments in gold."""
    by_role: Mapping[str, RoleScore]
    """The scores of each role that gold or system use, sorted by role."""


def count_roles(gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> RoleCounts:
    """Counts the arguments of one sentence.

    Predicates are matched by the position of their word (several on one word: in their order), arguments by word and
    role under matched predicates, with any senses. Of equal arguments of a predicate one counts.
    """
    gold_by_place, predicted_by_place = dict(_by_place(gold)), dict(_by_place(predicted))
    matched = gold_by_place.keys() & predicted_by_place.keys()
    right_senses = sum(gold_by_place[place].sense == predicted_by_place[place].sense for place in matched)
    gold_arguments, predicted_arguments = _arguments(gold_by_place), _arguments(predicted_by_place)
    return RoleCounts(
        _count_by_role(gold_arguments & predicted_arguments),
        _count_by_role(predicted_arguments),
        _count_by_role(gold_arguments),
        Tally(right_senses, len(predicted), len(gold)),
    )


def role_scores(counts: RoleCounts) -> RoleScores:
    """Turns counts into precision, recall and F1; 0/0 is 0."""
    by_role = {role: counts.of(role) for role in counts.roles()}
    total = counts.arguments
    return RoleScores(
        total.precision,
        total.recall,
        total.f1,
        (total + counts.predicates).f1,
        total.gold,
        {role: RoleScore(tally.precision, tally.recall, tally.f1, tally.gold) for role, tally in by_role.items()},
    )


def role_ratios(sentences: Sequence[RoleCounts]) -> dict[str, list[tuple[int, int]]]:
    """Returns each sentence's part of numerator and denominator of the F1s over all roles; see `with_intervals`."""
    return {
        "role_f1": [one.arguments.f1_parts for one in sentences],
        "semantic_f1": [(one.arguments + one.predicates).f1_parts for one in sentences],
    }


def task_scores(scores: RoleScores) -> list[TaskScore]:
    """Returns role F1 and semantic F1 over all roles, then the role F1 of each role."""
    whole = TaskScore("role_f1", scores.f1, scores.n, SCORER, "", scores.precision, scores.recall)
    semantic = TaskScore("semantic_f1", scores.semantic_f1, scores.n, SCORER)
    by_role = [
        TaskScore("role_f1", one.f1, one.n, SCORER, role, one.precision, one.recall)
        for role, one in scores.by_role.items()
    ]
    return [whole, semantic, *by_role]


SCORER = "CoNLL-2009"
"""The program whose counting all these scores equal."""

Place = tuple[int, int]
"""The word of a predicate (0-based) and its rank among the predicates of that word."""


def _by_place(propositions: Sequence[Proposition]) -> Iterator[tuple[Place, Proposition]]:
    seen: Counter[int] = Counter()
    for proposition in propositions:
        yield (proposition.predicate, seen[proposition.predicate]), proposition
        seen[proposition.predicate] += 1


def _arguments(propositions: Mapping[Place, Proposition]) -> set[tuple[Place, int, str]]:
    return {
        (place, argument.word, argument.role)
        for place, proposition in propositions.items()
        for argument in proposition.arguments
    }


def _count_by_role(arguments: set[tuple[Place, int, str]]) -> dict[str, int]:
    return dict(Counter(role for _, _, role in arguments))


def _summed(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {role: first.get(role, 0) + second.get(role, 0) for role in [*first, *(second.keys() - first.keys())]}


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
