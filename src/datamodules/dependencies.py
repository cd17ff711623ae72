"""Sentences with dependency trees to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.frequency import by_frequency
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.models.baselines.trivial import NeighbourHeads
from polyprobe.models.batches.parser_batch import TreeCoder
from polyprobe.section import checked

Sentences = Sequence[DependencySentence]
GOLD, NONE = "gold", "none"


class DependenciesDataModule(TaskDataModule):
    """Batches of sentences of like length; vocabulary, tags and relations come from train alone.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        upos: which tags are read, in every split: "gold", those of the treebank, or "none".
        padding_noise: see `BatchSizes`.
    """

    upos: list[str]
    relations: list[str]

    @checked("task.datamodule")
    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        upos: Literal[GOLD, NONE],
        batch_sentences: int,
        evaluation_sentences: int,
        padding_noise: float,
    ):
        sizes = BatchSizes("sentences", batch_sentences, evaluation_sentences, padding_noise)
        super().__init__(source, inputs, seed, sizes)
        self.whose_upos = upos

    def make_coder(self) -> TreeCoder:
        self.upos = (
            [] if self.whose_upos == NONE else by_frequency(Counter(tag for one in self.train for tag in one.upos))
        )
        self.relations = by_frequency(Counter(relation for one in self.train for relation in one.relations))
        return TreeCoder(self.read_words(), self.upos, self.relations)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "upos": self.upos, "relations": self.relations}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield from self.of_splits("words", _n_words)
        whose = "" if self.whose_upos == NONE else f"{self.whose_upos} "
        yield Count(f"{whose}tags that are read", len(self.upos))
        yield Count("relations", len(self.relations))
        unseen = {name for one in (*self.dev, *self.test) for name in one.relations} - {*self.relations}
        yield Count("relations of dev and test that train lacks", len(unseen))

    @property
    def n_scored(self) -> int:
        """Words of dev, which the scores of each epoch rest on."""
        return _n_words(self.dev)

    @property
    def scored_otherwise(self) -> Mapping[str, tuple[int, str]]:
        """How many words of dev each attachment score rests on: those without punctuation on fewer."""
        of_gold = (count_arcs(one, one.heads, one.relations) for one in self.dev)
        return {score.metric: (score.n, score.scorer) for score in attachment_scores(sum(of_gold, start=ArcCounts()))}

    @property
    def note(self) -> str:
        """Whose tags the parser reads."""
        return f"UPOS: {self.whose_upos}"

    @property
    def baseline_note(self) -> str:
        """Whose tags the baseline reads: those of the treebank, also where the parser reads none."""
        return f"UPOS: {GOLD}"

    def make_baseline(self) -> NeighbourHeads:
        return NeighbourHeads.counted(self.train)


def _n_words(sentences: Sentences) -> int:
    return sum(len(one.words) for one in sentences)
