"""Sentences with named entities to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from src.datamodules.base.word_inputs import oov_against
from src.datamodules.tagging import CodedSentence, TaggingDataModule, words_of
from src.formats.entities.span_tags import bioul, bioul_tags, n_without_b, spans_of
from src.formats.treebanks.labelled_words import LabelledWords
from src.frequency import by_frequency
from src.metrics.span_f1 import count_spans, summed, task_scores
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.gazetteer import Gazetteer
from src.models.inputs.word_batch import label_ids_of


class EntitiesDataModule(TaggingDataModule):
    """Batches of sentences whose words have BIOUL tags, whatever the scheme of the corpus; otherwise as its parent.

    Spans are those of conlleval: an I- that follows no B- starts one, and is counted. Tags of types that train lacks
    have ids behind those that a model knows, so that such a span is a missed one in every score.

    Arguments: see `TaggingDataModule`.
    """

    @cached_property
    def types(self) -> list[str]:
        """The types of train, by falling frequency, ties by string: those that a model knows."""
        return _types(self.train)

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"reader": self.reader, "types": self.types}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and what a model cannot find or was not marked well."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        return {
            **{f"{name} sentences": len(split) for name, split in splits.items()},
            **{f"{name} words": sum(len(one.words) for one in split) for name, split in splits.items()},
            **{f"{name} spans": _n_spans(split) for name, split in splits.items()},
            **{
                f"{name} spans without B-": sum(n_without_b(one.labels) for one in split)
                for name, split in splits.items()
            },
            "types": len(self.types),
            **{f"{name} spans of types that train lacks": self._n_unknown(splits[name]) for name in ("dev", "test")},
            **self.coder.counts(),
        }

    @property
    def n_scored(self) -> int:
        """Gold spans of dev, which the scores of each epoch rest on."""
        return _n_spans(self.dev)

    @property
    def is_learnable(self) -> bool:
        return bool(self.types)

    def baseline_scores(self, sentences: Sequence[LabelledWords]) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of the gazetteer of train, and the shares of unknown words."""
        gazetteer = Gazetteer.counted(self.train)
        counts = summed(count_spans(spans_of(one.labels), gazetteer.spans(one.words)) for one in sentences)
        words = list(words_of(sentences))
        unknown = [oov_rate(words_of(self.train), words), *oov_against(self.coder, words)]
        return "gazetteer", [*task_scores(counts), *unknown]

    @cached_property
    def _id_of(self) -> dict[str, int]:
        unseen = sorted({*_types(self.dev), *_types(self.test)} - {*self.types})
        return {tag: number for number, tag in enumerate(bioul_tags([*self.types, *unseen]))}

    def coded(self, sentences: Sequence[LabelledWords]) -> list[CodedSentence]:
        tags = (bioul(spans_of(one.labels), len(one.words)) for one in sentences)
        return [
            CodedSentence(self.coder.numbers(one.words), label_ids_of(written, self._id_of))
            for one, written in zip(sentences, tags, strict=True)
        ]

    def _n_unknown(self, sentences: Sequence[LabelledWords]) -> int:
        return sum(span.type not in self.types for one in sentences for span in spans_of(one.labels))


def _types(sentences: Iterable[LabelledWords]) -> list[str]:
    counts = Counter(span.type for one in sentences for span in spans_of(one.labels))
    return by_frequency(counts)


def _n_spans(sentences: Iterable[LabelledWords]) -> int:
    return sum(len(spans_of(one.labels)) for one in sentences)
