"""Span F1, counted as conlleval counts it."""

from collections.abc import Iterable, Mapping
from operator import attrgetter

from polyprobe.formats.entities.span_tags import Span
from polyprobe.metrics.tallies import Tally, of_all, tallies_of
from polyprobe.metrics.task_score import TaskScore

SCORER = "conlleval"
"""The program whose counting all these scores equal."""


def count_spans(gold: Iterable[Span], predicted: Iterable[Span]) -> dict[str, Tally]:
    """Counts the spans of one sentence by type; a span is right with both edges and the type of gold."""
    return tallies_of(frozenset(gold), frozenset(predicted), attrgetter("type"))


def span_scores(tallies: Mapping[str, Tally]) -> list[TaskScore]:
    """Returns span F1 over all types together (micro), then that of each type that gold or system have."""
    parts = {"": of_all(tallies), **tallies}
    return [tally.score("span_f1", SCORER, part) for part, tally in parts.items()]
