"""Sentences with named entities to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from polyprobe.datamodules.base.task_datamodule import Count
from polyprobe.datamodules.tagging import TaggingDataModule
from polyprobe.formats.entities.span_tags import n_without_b, spans_of
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from polyprobe.frequency import by_frequency
from polyprobe.models.baselines.trivial import Gazetteer
from polyprobe.models.tagger import EntityCoder


class EntitiesDataModule(TaggingDataModule):
    """Batches of sentences whose words have BIOUL tags, whatever the scheme of the corpus; otherwise as its parent.

    Spans are those of conlleval: an I- that follows no B- starts one, and is counted. Tags of types that train lacks
    have ids behind those that a model knows, so that such a span is a missed one in every score.

    Arguments: see `TaggingDataModule`.
    """

    types: list[str]
    """Of train, by falling frequency, ties by string: those that a model knows."""

    def make_coder(self) -> EntityCoder:
        self.types = _types(self.train)
        unseen = sorted({*_types(self.dev), *_types(self.test)} - {*self.types})
        return EntityCoder(self.read_words(), self.types, unseen)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "types": self.types}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield from self.of_splits("words", _n_items)
        yield from self.of_splits("spans", _n_spans)
        yield from self.of_splits("spans without B-", lambda of_split: sum(n_without_b(one.labels) for one in of_split))
        yield Count("types", len(self.types))
        for split, sentences in (("dev", self.dev), ("test", self.test)):
            n = sum(span.type not in self.types for one in sentences for span in spans_of(one.labels))
            yield Count("spans of types that train lacks", n, split)

    @property
    def n_scored(self) -> int:
        """Gold spans of dev, which the scores of each epoch rest on."""
        return _n_spans(self.dev)

    @property
    def is_learnable(self) -> bool:
        return bool(self.types)

    def make_baseline(self) -> Gazetteer:
        return Gazetteer.counted(self.train)


def _types(sentences: Iterable[LabelledWords]) -> list[str]:
    return by_frequency(Counter(span.type for one in sentences for span in spans_of(one.labels)))


def _n_items(sentences: Iterable[LabelledWords]) -> int:
    return sum(len(one.words) for one in sentences)


def _n_spans(sentences: Iterable[LabelledWords]) -> int:
    return sum(len(spans_of(one.labels)) for one in sentences)
