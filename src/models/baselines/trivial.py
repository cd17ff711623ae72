"""The trivial baselines, which every model of a task must beat: what train has most often, or the next word."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
import torch

from polyprobe.formats.entities.span_tags import Span, spans_of
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.formats.treebanks.labelled_words import LabelledWords, has_no_words, without_no_words
from polyprobe.frequency import most_frequent
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.metrics.bleu import bleu_scores
from polyprobe.metrics.generation import exact_score, unit_counts, unit_scores
from polyprobe.metrics.perplexity import perplexity_scores, surprise_of
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tagging import TagCounts, all_items_accuracy, tag_f1s, word_accuracy
from polyprobe.metrics.tallies import summed
from polyprobe.metrics.task_score import TaskScore
from polyprobe.metrics.trees import tree_scores
from polyprobe.models.batches.target_units import END_ID, TargetUnits
from polyprobe.models.batches.text_vocabulary import UNKNOWN_ID, TextVocabulary


class Baseline(Protocol):
    """Counts something simple in train and is scored as the model is."""

    name: str
    """The encoder of its rows in results.jsonl ("frequent_tag")."""

    @classmethod
    def counted(cls, train: Sequence[Any]) -> Self:
        """Counts the examples of train; that of texts also takes their vocabulary."""

    def scores(self, examples: Sequence[Any]) -> list[TaskScore]:
        """Returns the scores of examples with gold labels; none where no example can be scored."""


Key = TypeVar("Key")
UNSEEN = "NOUN"
"""The tag of a word that train lacks."""


@dataclass(frozen=True, slots=True)
class FrequentTag:
    """Tags every word, as written, with its most frequent tag of train.

    Args:
        tag_of: by word, counted over words alone; a word that is absent is `UNSEEN`.
        tag_of_item: the same, counted over all items, those that are no words too.
    """

    name: ClassVar[str] = "frequent_tag"

    tag_of: Mapping[str, str]
    tag_of_item: Mapping[str, str]

    @classmethod
    def counted(cls, train: Sequence[LabelledWords]) -> "FrequentTag":
        """Counts the tags of every word."""
        words, items = (
            (pair for one in some for pair in zip(one.words, one.labels, strict=True))
            for some in (map(without_no_words, train), train)
        )
        return cls(_most_frequent_of(words), _most_frequent_of(items))

    def tags(self, words: Sequence[str]) -> list[str]:
        """Returns a tag for each word."""
        return _looked_up(self.tag_of, words)

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns the accuracy over words, that over all items where some are no words, and the F1 of each tag.

        The score over words is that of a baseline that saw words alone, the score over all items of one that saw all.
        """
        counts = _counts(self.tag_of, map(without_no_words, sentences))
        of_all = []
        if any(map(has_no_words, sentences)):
            of_all = [all_items_accuracy(_counts(self.tag_of_item, sentences))]
        return [word_accuracy(counts), *of_all, *tag_f1s(counts)]


def _most_frequent_of(pairs: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """Returns the most frequent label of each key; of equally frequent ones the first in the alphabet wins."""
    counts: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    for key, label in pairs:
        counts[key][label] += 1
    return {key: most_frequent(labels) for key, labels in counts.items()}


def _looked_up(tag_of: Mapping[str, str], words: Sequence[str]) -> list[str]:
    return [tag_of.get(word, UNSEEN) for word in words]


def _counts(tag_of: Mapping[str, str], sentences: Iterable[LabelledWords]) -> TagCounts:
    counts = TagCounts()
    for sentence in sentences:
        counts.add(sentence.labels, _looked_up(tag_of, sentence.words))
    return counts


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
        """Counts the types of every entity."""
        spans = ((one.words[span.start : span.end], span.type) for one in sentences for span in spans_of(one.labels))
        type_of = _most_frequent_of(spans)
        return cls(type_of, max(map(len, type_of), default=0))

    def spans(self, words: Sequence[str]) -> list[Span]:
        """Returns the entities of a sentence; they do not overlap."""
        return list(self._found(tuple(words)))

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns span F1 and that of each type."""
        return span_scores(summed(count_spans(spans_of(one.labels), self.spans(one.words)) for one in sentences))

    def _found(self, words: tuple[str, ...]) -> Iterator[Span]:
        start = 0
        while start < len(words):
            ends = range(min(start + self.longest, len(words)), start, -1)
            end = next((end for end in ends if words[start:end] in self.type_of), None)
            if end is not None:
                yield Span(start, end, self.type_of[words[start:end]])
            start = end or start + 1


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
        right = {
            side: sum(sum(map(eq, side(len(one.words)), one.heads)) for one in sentences)
            for side in (next_word, previous_word)
        }
        relations = (pair for one in sentences for pair in zip(one.upos, one.relations, strict=True))
        return cls(max(right, key=lambda side: right[side]), _most_frequent_of(relations))

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
        """Counts the labels of all words of all propositions."""
        propositions = ((sentence, one) for sentence in sentences for one in sentence.propositions)
        return cls(
            _most_frequent_of(pair for one in propositions for pair in zip(_places(*one), _labels(*one), strict=True))
        )

    def propositions(self, sentence: LabelledSentence) -> tuple[Proposition, ...]:
        """Returns the sentence's own predicates and senses with the arguments of this baseline."""
        return tuple(
            Proposition(proposition.predicate, proposition.sense, tuple(self._arguments(sentence, proposition)))
            for proposition in sentence.propositions
        )

    def scores(self, sentences: Sequence[LabelledSentence]) -> list[TaskScore]:
        """Returns role F1, semantic F1 and the role F1 of each role, with gold predicates and senses."""
        counts = (count_roles(one.propositions, self.propositions(one)) for one in sentences)
        return role_scores(summed(counts))

    def _arguments(self, sentence: LabelledSentence, proposition: Proposition) -> Iterator[Argument]:
        for word, place in enumerate(_places(sentence, proposition)):
            label = self.label_of.get(place, NO_ROLE)
            if label != NO_ROLE:
                yield Argument(word, label)


def _places(sentence: LabelledSentence, proposition: Proposition) -> Iterator[Place]:
    for word, upos in enumerate(sentence.upos):
        bucket = bisect_left(LAST_OF_BUCKET, abs(word - proposition.predicate))
        yield upos, bucket if word > proposition.predicate else -bucket


def _labels(sentence: LabelledSentence, proposition: Proposition) -> list[str]:
    labels = [NO_ROLE] * len(sentence.words)
    for argument in proposition.arguments:
        labels[argument.word] = argument.role
    return labels


class FrequentTarget:
    """Generates the most frequent target of train, and predicts each unit by how often it occurs there.

    Every unit is counted once more than it occurs, so that none is impossible. Of equally frequent targets the first
    when sorted is generated.

    Args:
        log_probabilities: `[units]`, of each unit at any place, in nats.
    """

    name: ClassVar[str] = "frequent_target"

    def __init__(self, target: tuple[str, ...], log_probabilities: np.ndarray, units: TargetUnits):
        self.target, self._log_probabilities, self._units = target, log_probabilities, units

    @classmethod
    def counted(cls, train: Sequence[TargetedSentence], units: TargetUnits) -> "FrequentTarget":
        """Counts targets and their units."""
        counts = np.bincount(_unit_ids(train, units), minlength=len(units)) + 1
        return cls(most_frequent(Counter(one.target for one in train)), np.log(counts / counts.sum()), units)

    def scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        """Returns the BLEU and the share of exact targets, then the perplexities and the accuracy of units."""
        if not sentences:
            return []
        gold = [one.target for one in sentences]
        generated = [self.target] * len(gold)
        return [*bleu_scores(gold, generated), exact_score(gold, generated), *self._unit_scores(sentences)]

    def _unit_scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        ids = _unit_ids(sentences, self._units)
        surprisals, is_best = -self._log_probabilities[ids], ids == self._log_probabilities.argmax()
        n_words = sum(len(one.target) + 1 for one in sentences)
        return unit_scores(unit_counts(torch.from_numpy(surprisals), torch.from_numpy(is_best), n_words).numpy())


class FrequentTree(FrequentTarget):
    """The same of trees written as symbols."""

    name: ClassVar[str] = "frequent_tree"

    def scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        """Returns the scores of trees, then the perplexities and the accuracy of symbols."""
        if not sentences:
            return []
        gold = [one.target for one in sentences]
        return [*tree_scores(gold, [self.target] * len(gold)), *self._unit_scores(sentences)]


def _unit_ids(sentences: Sequence[TargetedSentence], units: TargetUnits) -> np.ndarray:
    """Returns the units of all targets, each with its end: `[units]`."""
    return np.concatenate([[*units.ids(one.target), END_ID] for one in sentences]).astype(np.int64)


class Unigrams:
    """Predicts each word, and the end of a sentence, by how often it occurs in train, whatever comes before it.

    Every word of the vocabulary is counted once more than it occurs, so that none is impossible.

    Args:
        log_probabilities: `[words]`, of each word of the vocabulary, in nats.
    """

    name: ClassVar[str] = "unigrams"

    def __init__(self, log_probabilities: np.ndarray, vocabulary: TextVocabulary):
        self._log_probabilities, self._vocabulary = log_probabilities, vocabulary

    @classmethod
    def counted(cls, train: Sequence[TextSentence], vocabulary: TextVocabulary) -> "Unigrams":
        """Counts words and ends of sentences."""
        counts = np.bincount(_word_ids(train, vocabulary), minlength=len(vocabulary)) + 1
        return cls(np.log(counts / counts.sum()), vocabulary)

    def scores(self, sentences: Sequence[TextSentence]) -> list[TaskScore]:
        """Returns the perplexity per word and that of known words alone."""
        if not sentences:
            return []
        ids = _word_ids(sentences, self._vocabulary)
        return perplexity_scores(surprise_of(-self._log_probabilities[ids], ids == UNKNOWN_ID))


def _word_ids(sentences: Sequence[TextSentence], vocabulary: TextVocabulary) -> np.ndarray:
    """Returns the words of all sentences, each with its end: `[words and ends]`."""
    return np.concatenate([vocabulary.coded(one.words)[1:] for one in sentences])
