"""The trivial baseline of entity recognition: the entities of train, looked up."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from src.formats.entities.span_tags import Span, spans_of
from src.formats.treebanks.labelled_words import LabelledWords
from src.frequency import most_frequent
from src.metrics.span_f1 import count_spans, summed, task_scores
from src.metrics.task_score import TaskScore


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Marks every sequence of words that is an entity in train, from left to right, the longest first.

    Args:
        type_of: the type of an entity by its words, as written.
        longest: words of the longest entity.
    """

    name: ClassVar[str] = "gazetteer"

    type_of: Mapping[tuple[str, ...], str]
    longest: int

    @classmethod
    def counted(cls, sentences: Iterable[LabelledWords]) -> "Gazetteer":
        """Counts the types of every entity; of equally frequent ones the first in the alphabet wins."""
        counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for span in spans_of(sentence.labels):
                counts[sentence.words[span.start : span.end]][span.type] += 1
        type_of = {words: most_frequent(types) for words, types in counts.items()}
        return cls(type_of, max(map(len, type_of), default=0))

    def spans(self, words: Sequence[str]) -> list[Span]:
        """Returns the entities of a sentence; they do not overlap."""
        return list(self._found(tuple(words)))

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns span F1 and that of each type."""
        return task_scores(summed(count_spans(spans_of(one.labels), self.spans(one.words)) for one in sentences))

    def _found(self, words: tuple[str, ...]) -> Iterator[Span]:
        start = 0
        while start < len(words):
            ends = range(min(start + self.longest, len(words)), start, -1)
            end = next((end for end in ends if words[start:end] in self.type_of), None)
            if end is not None:
                yield Span(start, end, self.type_of[words[start:end]])
            start = end or start + 1
