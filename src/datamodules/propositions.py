"""Sentences with propositions to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.word_inputs import Inputs, oov_against
from src.errors import check_at_least
from src.formats.roles.propositions import LabelledSentence
from src.frequency import by_frequency
from src.metrics.roles import RoleCounts, count_roles, role_scores, task_scores
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.frequent_role import NO_ROLE, FrequentRole
from src.models.batches.proposition_batch import Example, PropositionBatch, PropositionCoder
from src.models.inputs.word_batch import NO_LOSS

Coded = tuple[LabelledSentence, tuple[Example, ...]]


class PropositionsDataModule(SharedOutDataModule):
    """Batches of propositions, those of a sentence together; vocabulary and roles come from train alone.

    Sentences without a predicate make no batch: no loss and no score comes from them. The released code drops the
    last, incomplete batch, on dev too; here it is kept.

    Args:
        train, dev, test: sentences; `test` may be empty.
        batch_propositions: most propositions of a training batch; a sentence with more stands alone.
        evaluation_propositions: the same in evaluation, where it changes no number.
        inputs: where the vectors of words come from.
        seed: of the order of the training batches.

    Attributes:
        n_without_predicate: sentences of each split that have no predicate.
    """

    def __init__(
        self,
        train: Sequence[LabelledSentence],
        dev: Sequence[LabelledSentence],
        test: Sequence[LabelledSentence],
        batch_propositions: int,
        evaluation_propositions: int,
        inputs: Inputs,
        seed: int,
    ):
        super().__init__()
        check_at_least("task.datamodule.batch_propositions", batch_propositions, 1)
        check_at_least("task.datamodule.evaluation_propositions", evaluation_propositions, 1)
        self.train, self.dev, self.test, self.seed = train, dev, test, seed
        self.batch_size, self.evaluation_batch_size = batch_propositions, evaluation_propositions
        splits = {"train": train, "dev": dev, "test": test}
        self.n_without_predicate = {name: _n_without_predicate(split) for name, split in splits.items()}
        self.reader, self.word_coder = inputs.read(_texts(train), [*_texts(dev), *_texts(test)])
        self.roles = _roles(train)
        self.coder = PropositionCoder(self.word_coder, self.roles)
        self.coded_dev, self.coded_train = self.coded(dev), self.coded(train)

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"reader": self.reader, "roles": list(self.roles)}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and what was left out of the loss."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        sentences = {f"{name} sentences": len(split) for name, split in splits.items()}
        without = {f"{name} sentences without predicate": n for name, n in self.n_without_predicate.items()}
        propositions = {f"{name} propositions": _n_propositions(split) for name, split in splits.items()}
        return {
            **sentences,
            **propositions,
            **without,
            **{f"{name} arguments whose role train lacks": self._n_unseen(splits[name]) for name in ("dev", "test")},
            "roles": len(self.roles) - 1,
            **self.word_coder.counts(),
        }

    @property
    def n_scored(self) -> int:
        """Gold arguments of dev, which the scores of each epoch rest on."""
        return sum(len(p.arguments) for sentence in self.dev for p in sentence.propositions)

    @property
    def is_learnable(self) -> bool:
        return len(self.roles) > 1  # the first is that of no argument

    def baseline_scores(self, sentences: Sequence[LabelledSentence]) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of the most frequent role by part of speech, side and distance.

        Beside them the shares of unknown words.
        """
        baseline = FrequentRole.counted(self.train)
        counts = (count_roles(one.propositions, baseline.propositions(one)) for one in sentences)
        words = list(_words(sentences))
        unknown = [oov_rate(_words(self.train), words), *oov_against(self.word_coder, words)]
        return "frequent_role", [*task_scores(role_scores(sum(counts, start=RoleCounts()))), *unknown]

    def coded(self, sentences: Sequence[LabelledSentence]) -> list[Coded]:
        return [(sentence, self.coder.examples(sentence)) for sentence in sentences if sentence.propositions]

    def length(self, one: Coded) -> int:
        return len(one[0].words)

    def size(self, one: Coded) -> int:
        return len(one[1])

    def weight(self, one: Coded) -> int:
        return len(one[1])

    def batch(self, coded: Sequence[Coded], n_items: float) -> PropositionBatch:
        examples = [example for _, of_sentence in coded for example in of_sentence]
        return self.coder.batch(examples, [sentence for sentence, _ in coded], n_items)

    def uncounted(self, one: Coded) -> Coded:
        sentence, examples = one
        silent = (replace(example, role_ids=np.full_like(example.role_ids, NO_LOSS)) for example in examples)
        return replace(sentence, propositions=()), tuple(silent)

    def _n_unseen(self, sentences: Sequence[LabelledSentence]) -> int:
        """Counts arguments that can only be missed; they are not in the loss."""
        known = {*self.roles}
        return sum(a.role not in known for sentence in sentences for p in sentence.propositions for a in p.arguments)


def _texts(sentences: Sequence[LabelledSentence]) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in sentences]


def _words(sentences: Sequence[LabelledSentence]) -> Iterator[str]:
    return (word for sentence in sentences for word in sentence.words)


def _roles(train: Sequence[LabelledSentence]) -> tuple[str, ...]:
    """Counts the roles of train: `_`, then by falling frequency, ties by string."""
    counts = Counter(a.role for sentence in train for p in sentence.propositions for a in p.arguments)
    return NO_ROLE, *by_frequency(counts)


def _n_propositions(sentences: Sequence[LabelledSentence]) -> int:
    return sum(len(sentence.propositions) for sentence in sentences)


def _n_without_predicate(sentences: Sequence[LabelledSentence]) -> int:
    return sum(not sentence.propositions for sentence in sentences)
