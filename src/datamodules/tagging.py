"""Tagged sentences to batches, for training and evaluation, on one process or several."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.formats.treebanks.labelled_words import NO_LABEL, LabelledWords, words_of
from polyprobe.frequency import by_frequency, note_on_labels
from polyprobe.models.baselines.trivial import FrequentTag
from polyprobe.models.tagger import LabelCoder

_log = logging.getLogger(__name__)


class TaggingDataModule(TaskDataModule):
    """Batches of tagged sentences of like length; vocabulary and tags come from train alone.

    Items with the tag `_` are not words. They are read and learned like words, as in the released code, but counted
    only in the score over all items.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        padding_noise: see `BatchSizes`.
    """

    labels: tuple[str, ...]

    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        batch_sentences: int,
        evaluation_sentences: int,
        padding_noise: float,
    ):
        sizes = BatchSizes("sentences", batch_sentences, evaluation_sentences, padding_noise)
        super().__init__(source, inputs, seed, sizes)

    def make_coder(self) -> LabelCoder:
        counts = Counter(label for one in self.train for label in one.labels)
        self.labels = tuple(by_frequency(counts))
        if note := note_on_labels(counts):
            _log.warning("%s.", note)
        return LabelCoder(self.read_words(), self.labels)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "labels": list(self.labels)}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield from self.of_splits("words", _n_words)
        yield from self.of_splits(
            "items that are not words", lambda split: sum(one.labels.count(NO_LABEL) for one in split)
        )
        yield Count("tags", len(self.labels))
        unseen = {label for one in (*self.dev, *self.test) for label in one.labels} - {*self.labels}
        yield Count("tags of dev and test that train lacks", len(unseen))

    @property
    def n_scored(self) -> int:
        """Words of dev, which the scores of each epoch rest on."""
        return _n_words(self.dev)

    @property
    def is_learnable(self) -> bool:
        return any(label != NO_LABEL for label in self.labels)

    def make_baseline(self) -> FrequentTag:
        return FrequentTag.counted(self.train)

    def words_of(self, examples: Iterable[LabelledWords]) -> Iterator[str]:
        """Yields all running words, without items that are none."""
        return words_of(examples)


def _n_words(sentences: Iterable[LabelledWords]) -> int:
    return sum(1 for _ in words_of(sentences))
