"""The trivial baseline of parsing: the head of every word is its neighbour."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from src.formats.treebanks.dependencies import DependencySentence
from src.frequency import most_frequent
from src.metrics.official.attachment import ArcCounts, attachment_scores, count_arcs
from src.metrics.task_score import TaskScore


def previous_word(n_words: int) -> list[int]:
    """Attaches each word to the one before it, the first to the root."""
    return list(range(n_words))


def next_word(n_words: int) -> list[int]:
    """Attaches each word to the one after it, the last to the root."""
    return [*range(2, n_words + 1), 0]


@dataclass(frozen=True, slots=True)
class NeighbourHeads:
    """Attaches words to their neighbours of one side, by the most frequent relation of their part of speech.

    Args:
        heads: `previous_word` or `next_word`.
        relation_of: by UPOS; a tag that is absent has the relation "dep".
    """

    heads: Callable[[int], list[int]]
    relation_of: Mapping[str, str]

    @classmethod
    def counted(cls, sentences: Sequence[DependencySentence]) -> "NeighbourHeads":
        """Chooses the side that is right more often in the sentences; ties: the next word, the first by name."""
        right = {side: sum(_n_right(side, one) for one in sentences) for side in (next_word, previous_word)}
        return cls(max(right, key=lambda side: right[side]), _frequent_relations(sentences))

    @property
    def name(self) -> str:
        """The side: "next_word" or "previous_word"."""
        return self.heads.__name__

    def tree(self, upos: Sequence[str]) -> tuple[list[int], list[str]]:
        """Returns heads and relations for a sentence with these tags; the root's relation is "root"."""
        heads = self.heads(len(upos))
        relations = [self.relation_of.get(tag, "dep") for tag in upos]
        return heads, [relation if head else "root" for head, relation in zip(heads, relations, strict=True)]

    def scores(self, sentences: Sequence[DependencySentence]) -> list[TaskScore]:
        """Returns the attachment scores."""
        counts = (count_arcs(one, *self.tree(one.upos)) for one in sentences)
        return attachment_scores(sum(counts, start=ArcCounts()))


def _n_right(side: Callable[[int], list[int]], sentence: DependencySentence) -> int:
    return sum(one == other for one, other in zip(side(len(sentence.words)), sentence.heads, strict=True))


def _frequent_relations(sentences: Iterable[DependencySentence]) -> dict[str, str]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for tag, relation in zip(sentence.upos, sentence.relations, strict=True):
            counts[tag][relation] += 1
    return {tag: most_frequent(found) for tag, found in counts.items()}
