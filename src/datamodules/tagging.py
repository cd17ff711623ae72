"""Tagged sentences to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.word_inputs import Inputs, oov_against
from src.errors import check_at_least
from src.formats.treebanks.labelled_words import NO_LABEL, LabelledWords
from src.frequency import by_frequency
from src.metrics.tagging import TagCounts, all_items_accuracy, tag_f1s, word_accuracy
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.frequent_tag import FrequentTag
from src.models.inputs.word_batch import NO_LOSS, LabelledBatch, label_ids_of


@dataclass(frozen=True, slots=True)
class CodedSentence:
    """A sentence as integers: the coder's numbers of its words and its label ids, `[words]` each."""

    numbers: np.ndarray
    label_ids: np.ndarray


class TaggingDataModule(SharedOutDataModule):
    """Batches of tagged sentences of like length; vocabulary and tags come from train alone.

    Items with the tag `_` are no words. They are read and learnt like words, as in the released code, but counted only
    in the score that says so.

    Args:
        train, dev, test: sentences; `test` may be empty.
        batch_sentences: sentences of a training batch.
        evaluation_sentences: the same in evaluation, where it changes no number.
        inputs: where the vectors of words come from.
        seed: of the order of the training batches.
    """

    def __init__(
        self,
        train: Sequence[LabelledWords],
        dev: Sequence[LabelledWords],
        test: Sequence[LabelledWords],
        batch_sentences: int,
        evaluation_sentences: int,
        inputs: Inputs,
        seed: int,
    ):
        super().__init__()
        check_at_least("task.datamodule.batch_sentences", batch_sentences, 1)
        check_at_least("task.datamodule.evaluation_sentences", evaluation_sentences, 1)
        self.train, self.dev, self.test, self.seed = train, dev, test, seed
        self.batch_size, self.evaluation_batch_size = batch_sentences, evaluation_sentences
        self.reader, self.coder = inputs.read(_items(train), [*_items(dev), *_items(test)])
        self.labels = _labels(train)
        self.coded_dev, self.coded_train = self.coded(dev), self.coded(train)

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"reader": self.reader, "labels": list(self.labels)}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and what is in no score."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        unseen = {label for split in (self.dev, self.test) for one in split for label in one.labels} - {*self.labels}
        return {
            **{f"{name} sentences": len(split) for name, split in splits.items()},
            **{f"{name} words": sum(1 for _ in words_of(split)) for name, split in splits.items()},
            **{f"{name} items that are no words": _n_no_words(split) for name, split in splits.items()},
            "tags": len(self.labels),
            "tags of dev and test that train lacks": len(unseen),
            **self.coder.counts(),
        }

    @property
    def n_scored(self) -> int:
        """Words of dev, which the scores of each epoch rest on."""
        return sum(1 for _ in words_of(self.dev))

    @property
    def is_learnable(self) -> bool:
        return any(label != NO_LABEL for label in self.labels)

    def baseline_scores(self, sentences: Sequence[LabelledWords]) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of the most frequent tag by word, and the shares of unknown words.

        The score over words is that of a baseline that saw words alone, the score over all items of one that saw all.
        """
        counts = _baseline_counts(map(without_no_words, self.train), map(without_no_words, sentences))
        oov = oov_rate(words_of(self.train), words_of(sentences))
        of_all = [all_items_accuracy(_baseline_counts(self.train, sentences))] if _n_no_words(sentences) else []
        unknown = [oov, *oov_against(self.coder, list(words_of(sentences)))]
        return "frequent_tag", [word_accuracy(counts), *of_all, *tag_f1s(counts), *unknown]

    def coded(self, sentences: Sequence[LabelledWords]) -> list[CodedSentence]:
        id_of = {label: number for number, label in enumerate(self.labels)}
        return [CodedSentence(self.coder.numbers(one.words), label_ids_of(one.labels, id_of)) for one in sentences]

    def length(self, one: CodedSentence) -> int:
        return len(one.numbers)

    def weight(self, one: CodedSentence) -> int:
        return len(one.numbers)

    def batch(self, coded: Sequence[CodedSentence], n_items: float) -> LabelledBatch:
        label_ids = torch.from_numpy(np.concatenate([one.label_ids for one in coded]))
        return LabelledBatch(self.coder.batch([one.numbers for one in coded]), label_ids, n_items)

    def uncounted(self, one: CodedSentence) -> CodedSentence:
        return replace(one, label_ids=np.full_like(one.label_ids, NO_LOSS))


def _items(sentences: Iterable[LabelledWords]) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in sentences]


def words_of(sentences: Iterable[LabelledWords]) -> Iterator[str]:
    """Yields all running words, without items that are none."""
    for sentence in sentences:
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            if label != NO_LABEL:
                yield word


def without_no_words(sentence: LabelledWords) -> LabelledWords:
    """Returns a sentence without the items that are no words; it may have none left."""
    kept = [place for place, label in enumerate(sentence.labels) if label != NO_LABEL]
    words, labels = (tuple(cells[place] for place in kept) for cells in (sentence.words, sentence.labels))
    return replace(sentence, words=words, labels=labels)


def _labels(train: Sequence[LabelledWords]) -> tuple[str, ...]:
    """Counts the tags of train: by falling frequency, ties by string."""
    counts = Counter(label for sentence in train for label in sentence.labels)
    return tuple(by_frequency(counts))


def _n_no_words(sentences: Sequence[LabelledWords]) -> int:
    return sum(label == NO_LABEL for sentence in sentences for label in sentence.labels)


def _baseline_counts(train: Iterable[LabelledWords], sentences: Iterable[LabelledWords]) -> TagCounts:
    baseline, counts = FrequentTag.counted(train), TagCounts()
    for sentence in sentences:
        counts.add(sentence.labels, baseline.tags(sentence.words))
    return counts
