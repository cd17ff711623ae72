"""Sentences with propositions to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

from src.datamodules.batches import ShuffledBatches, batches_of_like_length
from src.formats.errors import check_at_least
from src.formats.propositions import LabelledSentence
from src.metrics.roles import RoleCounts, count_roles, role_scores, task_scores
from src.metrics.task_score import TaskScore
from src.models.frequent_role import NO_ROLE, FrequentRole
from src.models.layers.char_trigrams import TrigramVocabulary
from src.models.proposition_batch import NO_LOSS, Example, PropositionBatch, PropositionCoder

Coded = tuple[LabelledSentence, tuple[Example, ...]]


class PropositionsDataModule(pl.LightningDataModule):
    """Batches of propositions, those of a sentence together; vocabulary and roles come from train alone.

    Sentences without a predicate make no batch: no loss and no score comes from them. The released code drops the
    last, incomplete batch, on dev too; here it is kept.

    Args:
        train, dev, test: sentences; `test` may be empty.
        batch_propositions: most propositions of a training batch; a sentence with more stands alone.
        evaluation_propositions: the same in evaluation, where it changes no number.
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
        seed: int,
    ):
        super().__init__()
        check_at_least("task.datamodule.batch_propositions", batch_propositions, 1)
        check_at_least("task.datamodule.evaluation_propositions", evaluation_propositions, 1)
        self.train, self.dev, self.test, self.seed = train, dev, test, seed
        self.batch_propositions, self.evaluation_propositions = batch_propositions, evaluation_propositions
        splits = {"train": train, "dev": dev, "test": test}
        self.n_without_predicate = {name: _n_without_predicate(split) for name, split in splits.items()}
        self.vocabulary = TrigramVocabulary.counted(word for sentence in train for word in sentence.words)
        self.roles = _roles(train)
        self.coder = PropositionCoder(self.vocabulary, self.roles)
        # Distinct words of a batch stand in the order in which the coder met them. It meets all here, in a fixed order:
        # else a resumed run, which asks for other batches first, would add its gradients up in another order.
        self._dev, self._train = self._coded(dev), self._coded(train)

    def model_inputs(self) -> dict[str, list[str]]:
        """Gives what a model must know of the training data, as plain values."""
        return {"trigrams": list(self.vocabulary.units), "roles": list(self.roles)}

    def counts(self) -> dict[str, int]:
        """Gives what a reader of the results asks for: sizes, and what was left out of the loss."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        sentences = {f"{name} sentences": len(split) for name, split in splits.items()}
        without = {f"{name} sentences without predicate": n for name, n in self.n_without_predicate.items()}
        propositions = {f"{name} propositions": _n_propositions(split) for name, split in splits.items()}
        return {
            **sentences,
            **propositions,
            **without,
            "roles": len(self.roles) - 1,
            "trigrams": len(self.coder.vocabulary.units),
        }

    @property
    def n_scored(self) -> int:
        """Gold arguments of dev, which the scores of each epoch rest on."""
        return sum(len(p.arguments) for sentence in self.dev for p in sentence.propositions)

    def baseline_scores(self, sentences: Sequence[LabelledSentence]) -> tuple[str, list[TaskScore]]:
        """Gives the name and the scores of the most frequent role by part of speech, side and distance."""
        baseline = FrequentRole.counted(self.train)
        counts = (count_roles(one.propositions, baseline.propositions(one)) for one in sentences)
        return "frequent_role", task_scores(role_scores(sum(counts, start=RoleCounts())))

    def train_dataloader(self) -> DataLoader:
        """Gives this process's share of every batch, in the order of the epoch."""
        coded = self._train
        batches = ShuffledBatches(_cut(coded, self.batch_propositions), self.seed)
        collate = partial(_training_share, self.coder, *self._process())
        return DataLoader(coded, batch_sampler=batches, collate_fn=collate, generator=torch.Generator())

    def val_dataloader(self) -> DataLoader:
        """Gives this process's batches of dev."""
        return self._loader(self._dev)

    def test_dataloader(self) -> DataLoader:
        """Gives this process's batches of test."""
        return self._loader(self._coded(self.test))

    def _loader(self, coded: Sequence[Coded]) -> DataLoader:
        """Gives every w-th sentence, from the r-th on, to process r of w, in batches; none is counted twice.

        A process without a sentence still gets one, in which nothing is counted: without a batch it would miss the
        exchange of counts, for which the others wait.
        """
        process, n_processes = self._process()
        share = coded[process::n_processes] or [_without_propositions(one) for one in coded[:1]]
        batches = _cut(share, self.evaluation_propositions)
        collate = partial(_evaluation_batch, self.coder)
        return DataLoader(share, batch_sampler=batches, collate_fn=collate, generator=torch.Generator())

    def transfer_batch_to_device(self, batch: PropositionBatch, device: torch.device, _: int) -> PropositionBatch:
        """Moves a batch."""
        return batch.to(device)

    def _coded(self, sentences: Sequence[LabelledSentence]) -> list[Coded]:
        return [(sentence, self.coder.examples(sentence)) for sentence in sentences if sentence.propositions]

    def _process(self) -> tuple[int, int]:
        return (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)


def _roles(train: Sequence[LabelledSentence]) -> tuple[str, ...]:
    """Counts the roles of train: `_`, then by falling frequency, ties by string."""
    counts = Counter(a.role for sentence in train for p in sentence.propositions for a in p.arguments)
    return NO_ROLE, *sorted(counts, key=lambda role: (-counts[role], role))


def _n_propositions(sentences: Sequence[LabelledSentence]) -> int:
    return sum(len(sentence.propositions) for sentence in sentences)


def _n_without_predicate(sentences: Sequence[LabelledSentence]) -> int:
    return sum(not sentence.propositions for sentence in sentences)


def _cut(coded: Sequence[Coded], batch_propositions: int) -> list[list[int]]:
    lengths = [len(sentence.words) for sentence, _ in coded]
    return batches_of_like_length(lengths, [len(examples) for _, examples in coded], batch_propositions)


def _training_share(
    coder: PropositionCoder, process: int, n_processes: int, coded: Sequence[Coded]
) -> PropositionBatch:
    """Joins the sentences of one process.

    The loss of each process is divided by the propositions of all over the number of processes, so that the mean of
    the gradients equals the gradient of one process with the whole batch. A process without a sentence gets the first
    one with no word in the loss: it takes part in every exchange of gradients and adds nothing.
    """
    n_propositions = sum(len(examples) for _, examples in coded) / n_processes
    share = coded[process::n_processes] or [_without_loss(coded[0])]
    return coder.batch(*_examples_and_sentences(share), n_propositions)


def _evaluation_batch(coder: PropositionCoder, coded: Sequence[Coded]) -> PropositionBatch:
    examples, sentences = _examples_and_sentences(coded)
    return coder.batch(examples, sentences, len(examples))


def _examples_and_sentences(coded: Sequence[Coded]) -> tuple[list[Example], list[LabelledSentence]]:
    return [example for _, examples in coded for example in examples], [sentence for sentence, _ in coded]


def _without_loss(coded: Coded) -> Coded:
    sentence, examples = coded
    return sentence, tuple(replace(example, role_ids=np.full_like(example.role_ids, NO_LOSS)) for example in examples)


def _without_propositions(coded: Coded) -> Coded:
    sentence, examples = coded
    return replace(sentence, propositions=()), examples
