"""The trivial baseline of role labelling: the most frequent label at this part of speech, side and distance."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from src.formats.roles.propositions import Argument, LabelledSentence, Proposition
from src.frequency import most_frequent
from src.metrics.roles import RoleCounts, count_roles, role_scores, task_scores
from src.metrics.task_score import TaskScore

NO_ROLE = "_"
LAST_OF_BUCKET = (0, 1, 2, 3, 5, 10)
"""Distances in words fall into 1, 2, 3, 4-5, 6-10 and 11 or more."""

Place = tuple[str, int]
"""The part of speech of a word and its bucket of distance to the predicate, negative before it, 0 on it."""


@dataclass(frozen=True, slots=True)
class FrequentRole:
    """Labels every word with the most frequent label of train at its place; "no role" is a label too.

    Args:
        label_of: the most frequent label by place. A place that is absent has no role.
    """

    name: ClassVar[str] = "frequent_role"

    label_of: Mapping[Place, str]

    @classmethod
    def counted(cls, sentences: Iterable[LabelledSentence]) -> "FrequentRole":
        """Counts the labels of all words of all propositions; of equally frequent ones the first in order wins."""
        counts: defaultdict[Place, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for proposition in sentence.propositions:
                for place, label in zip(_places(sentence, proposition), _labels(sentence, proposition), strict=True):
                    counts[place][label] += 1
        return cls({place: most_frequent(labels) for place, labels in counts.items()})

    def propositions(self, sentence: LabelledSentence) -> tuple[Proposition, ...]:
        """Returns the sentence's own predicates and senses with the arguments of this baseline."""
        return tuple(
            Proposition(proposition.predicate, proposition.sense, tuple(self._arguments(sentence, proposition)))
            for proposition in sentence.propositions
        )

    def scores(self, sentences: Sequence[LabelledSentence]) -> list[TaskScore]:
        """Returns role F1, semantic F1 and the role F1 of each role, with gold predicates and senses."""
        counts = (count_roles(one.propositions, self.propositions(one)) for one in sentences)
        return task_scores(role_scores(sum(counts, start=RoleCounts())))

    def _arguments(self, sentence: LabelledSentence, proposition: Proposition) -> Iterator[Argument]:
        for word, place in enumerate(_places(sentence, proposition)):
            label = self.label_of.get(place, NO_ROLE)
            if label != NO_ROLE:
                yield Argument(word, label)


def _places(sentence: LabelledSentence, proposition: Proposition) -> Iterator[Place]:
    for word, upos in enumerate(sentence.upos):
        yield upos, _bucket(word - proposition.predicate)


def _bucket(distance: int) -> int:
    bucket = bisect_left(LAST_OF_BUCKET, abs(distance))
    return bucket if distance > 0 else -bucket


def _labels(sentence: LabelledSentence, proposition: Proposition) -> list[str]:
    labels = [NO_ROLE] * len(sentence.words)
    for argument in proposition.arguments:
        labels[argument.word] = argument.role
    return labels
