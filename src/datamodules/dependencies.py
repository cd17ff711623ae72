"""Sentences with dependency trees to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import ne
from typing import Any

import numpy as np

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.word_inputs import Inputs, oov_against
from src.errors import PolyprobeError, check_at_least, check_choice
from src.formats.treebanks.dependencies import DependencySentence
from src.frequency import by_frequency
from src.metrics.official.attachment import ArcCounts, attachment_scores, count_arcs
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.neighbour_heads import NeighbourHeads
from src.models.batches.parser_batch import CodedTree, ParserBatch, TreeCoder
from src.models.inputs.word_batch import NO_LOSS

Sentences = Sequence[DependencySentence]
GOLD, PREDICTED, NONE = "gold", "predicted", "none"


class DependenciesDataModule(SharedOutDataModule):
    """Batches of sentences of like length; vocabulary, tags and relations come from train alone.

    Args:
        train, dev, test: sentences; `test` may be empty.
        upos: which tags are read, in every split: "gold", those of the treebank; "predicted", those that a tagger has
            put in their place; "none".
        batch_sentences: sentences of a training batch.
        evaluation_sentences: the same in evaluation, where it changes no number.
        inputs: where the vectors of words come from.
        seed: of the order of the training batches.
    """

    def __init__(
        self,
        train: Sentences,
        dev: Sentences,
        test: Sentences,
        upos: str,
        batch_sentences: int,
        evaluation_sentences: int,
        inputs: Inputs,
        seed: int,
    ):
        super().__init__()
        check_at_least("task.datamodule.batch_sentences", batch_sentences, 1)
        check_at_least("task.datamodule.evaluation_sentences", evaluation_sentences, 1)
        check_choice("task.datamodule.upos", upos, (GOLD, PREDICTED, NONE))
        _check_whose_tags(upos, [*train, *dev, *test])
        self.train, self.dev, self.test, self.seed = train, dev, test, seed
        self.batch_size, self.evaluation_batch_size = batch_sentences, evaluation_sentences
        self.reader, self.word_coder = inputs.read([one.words for one in train], [one.words for one in (*dev, *test)])
        self.whose_upos = upos
        self.upos = [] if upos == NONE else by_frequency(Counter(tag for one in train for tag in one.upos))
        self.relations = by_frequency(Counter(relation for one in train for relation in one.relations))
        self.coder = TreeCoder(self.word_coder, self.upos, self.relations)
        self.coded_dev, self.coded_train = self.coded(dev), self.coded(train)

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"reader": self.reader, "upos": self.upos, "relations": self.relations}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and whose tags are read."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        unseen = {name for split in (self.dev, self.test) for one in split for name in one.relations}
        return {
            **{f"{name} sentences": len(split) for name, split in splits.items()},
            **{f"{name} words": len(_words(split)) for name, split in splits.items()},
            **self._counts_of_tags(splits),
            "relations": len(self.relations),
            "relations of dev and test that train lacks": len(unseen - {*self.relations}),
            **self.word_coder.counts(),
        }

    @property
    def n_scored(self) -> int:
        """Words of dev, which the scores of each epoch rest on."""
        return len(_words(self.dev))

    @property
    def note(self) -> str:
        """Whose tags the parser reads."""
        return f"UPOS: {self.whose_upos}"

    @property
    def baseline_note(self) -> str:
        """Whose tags the baseline reads: those of the treebank where the parser reads none."""
        return f"UPOS: {GOLD if self.whose_upos == NONE else self.whose_upos}"

    def baseline_scores(self, sentences: Sentences) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of hanging words on their neighbours, and the shares of unknown words."""
        baseline = NeighbourHeads.counted(self.train)
        counts = sum((count_arcs(one, *baseline.tree(one.upos)) for one in sentences), start=ArcCounts())
        words = _words(sentences)
        unknown = [oov_rate(_words(self.train), words), *oov_against(self.word_coder, words)]
        return baseline.name, [*attachment_scores(counts), *unknown]

    def _counts_of_tags(self, splits: Mapping[str, Sentences]) -> dict[str, int]:
        if self.whose_upos == NONE:
            return {"tags that are read": 0}
        if self.whose_upos == GOLD:
            return {"gold tags that are read": len(self.upos)}
        wrong = {f"{name} words with a wrong tag": sum(map(_n_wrong_tags, split)) for name, split in splits.items()}
        return {"predicted tags that are read": len(self.upos), **wrong}

    def coded(self, sentences: Sentences) -> list[CodedTree]:
        return [self.coder.coded(one) for one in sentences]

    def length(self, one: CodedTree) -> int:
        return len(one.numbers)

    def weight(self, one: CodedTree) -> int:
        return len(one.numbers)

    def batch(self, coded: Sequence[CodedTree], n_items: float) -> ParserBatch:
        return self.coder.batch(coded, n_items)

    def uncounted(self, one: CodedTree) -> CodedTree:
        nothing = np.full_like(one.heads, NO_LOSS)
        return replace(one, heads=nothing, relation_ids=nothing, sentence=None)


def _check_whose_tags(upos: str, sentences: Sentences) -> None:
    is_tagged = any(one.gold_upos for one in sentences)
    if upos == PREDICTED and not is_tagged:
        raise PolyprobeError(f"task.datamodule.upos={PREDICTED} needs data.upos_run, a finished run of task=pos.")
    if upos != PREDICTED and is_tagged:
        raise PolyprobeError(f"data.upos_run is given, and task.datamodule.upos={upos}. Expected {PREDICTED}.")


def _n_wrong_tags(one: DependencySentence) -> int:
    return sum(map(ne, one.upos, one.gold_upos))


def _words(sentences: Sentences) -> list[str]:
    return [word for sentence in sentences for word in sentence.words]
