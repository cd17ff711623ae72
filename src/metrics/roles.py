"""Role F1: arguments found under given predicates, counted as the CoNLL-2009 scorer counts them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from polyprobe.formats.roles.propositions import Proposition
from polyprobe.metrics.tallies import Tally, of_all, tallies_of
from polyprobe.metrics.task_score import TaskScore

SCORER = "CoNLL-2009"
"""The program whose counting all these scores equal."""

PREDICATES = "\t"
"""Stands for the predicates among the counts by role: no role has a tab."""

Place = tuple[int, int]
"""The word of a predicate (0-based) and its rank among the predicates of that word."""


def count_roles(gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> dict[str, Tally]:
    """Counts the arguments of one sentence by role, and under `PREDICATES` the predicates, right with gold's sense.

    Predicates are matched by the position of their word (several on one word: in their order), arguments by word and
    role under matched predicates, with any senses. Of equal arguments of a predicate one counts.
    """
    gold_by_place, predicted_by_place = dict(_by_place(gold)), dict(_by_place(predicted))
    matched = gold_by_place.keys() & predicted_by_place.keys()
    right_senses = sum(gold_by_place[place].sense == predicted_by_place[place].sense for place in matched)
    predicates = Tally(right_senses, len(predicted), len(gold))
    arguments = tallies_of(_arguments(gold_by_place), _arguments(predicted_by_place), itemgetter(2))
    return {PREDICATES: predicates, **arguments}


def role_scores(counts: Mapping[str, Tally]) -> list[TaskScore]:
    """Returns role F1 and semantic F1 over all roles, then the role F1 of each role.

    Semantic F1 is the scorer's labelled F1, where every predicate counts as one more item, right when its sense is:
    with gold senses all of them are. Its number is that of role F1: arguments in gold.
    """
    arguments = _of_arguments(counts)
    whole, semantic = of_all(arguments), of_all(counts)
    return [
        whole.score("role_f1", SCORER),
        TaskScore("semantic_f1", semantic.f1, whole.gold, SCORER),
        *(tally.score("role_f1", SCORER, role) for role, tally in sorted(arguments.items())),
    ]


def role_ratios(sentences: Sequence[Mapping[str, Tally]]) -> dict[str, list[tuple[int, int]]]:
    """Returns each sentence's part of numerator and denominator of the F1s over all roles; see `with_intervals`."""
    return {
        "role_f1": [of_all(_of_arguments(one)).f1_parts for one in sentences],
        "semantic_f1": [of_all(one).f1_parts for one in sentences],
    }


def _of_arguments(counts: Mapping[str, Tally]) -> dict[str, Tally]:
    return {role: tally for role, tally in counts.items() if role != PREDICATES}


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
