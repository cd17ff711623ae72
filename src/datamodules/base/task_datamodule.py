"""The base of all task datamodules: batches cut by length, split across processes and accumulation steps.

Every example counts once in the loss, and once in the scores.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

from polyprobe.datamodules.base.batch_order import (
    BatchesInPieces,
    ItemsOfPieces,
    ShuffledBatches,
    batches_of_like_length,
    noisy_lengths,
)
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.errors import BadValue, PolyprobeError, check_at_least
from polyprobe.metrics.task_score import TaskScore, oov_rate
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.baselines.trivial import Baseline
from polyprobe.models.inputs.word_batch import Coder
from polyprobe.splits import SPLITS


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """How much makes a batch."""

    of: str
    """What is counted ("sentences"), as it stands in the keys of the configuration."""
    training: int
    """The most of it in a training batch; an example of more is a batch of its own."""
    evaluation: int
    """The same in evaluation, where it changes no number."""
    padding_noise: float = 0.0
    """By which part of itself a length differs, at most, when train is sorted by length: above 0 other batches are cut
    for each epoch. 0 for an example that may count for more than one: how many batches there are would depend on the
    epoch."""

    def __post_init__(self):
        if not 0 <= self.padding_noise <= 1:
            raise BadValue("task.datamodule.padding_noise", self.padding_noise, "between 0 and 1")
        check_at_least(f"task.datamodule.batch_{self.of}", self.training, 1)
        check_at_least(f"task.datamodule.evaluation_{self.of}", self.evaluation, 1)


@dataclass(frozen=True, slots=True)
class Count:
    """A number that a run reports when it starts and keeps in run.json."""

    what: str
    """What is counted, in words ("words")."""
    n: int
    """How many."""
    split: str | None = None
    """Its name; None for what is of no split."""

    @property
    def name(self) -> str:
        """How it is reported: "train words"."""
        return self.what if self.split is None else f"{self.split} {self.what}"


class TaskDataModule(pl.LightningDataModule, ABC):
    """What the data of all tasks have in common.

    A subclass says what is counted and noted, what its model must know of train, and which coder makes its batches.

    Args:
        seed: of the order of the training batches.
    """

    corpus: Corpus | None = None
    """As read; this and all that follows is there after `setup`."""
    train: Sequence[Any]
    dev: Sequence[Any]
    test: Sequence[Any]
    """The three splits: the examples that are learned from and scored; `test` may be empty."""
    reader: dict[str, Any]
    """The settings of the model's reader of words, plain values."""
    coder: TaskCoder
    """Makes the batches."""
    coded_dev: Sequence[Any]
    coded_train: Sequence[Any]
    """Dev and train, coded in this order. Distinct words of a batch stand in the order in which a coder met them; met
    all at once, the order is fixed: else a resumed run, which asks for other batches first, would add its gradients up
    in another order."""

    texts = staticmethod(TaskCoder.texts)

    def __init__(self, source: CorpusSource, inputs: Inputs, seed: int, batch_sizes: BatchSizes):
        super().__init__()
        self.source, self.inputs, self.seed, self.batch_sizes = source, inputs, seed, batch_sizes

    def prepare_data(self) -> None:
        """Generates or fetches the files that are missing; Lightning calls it in one process of each machine."""
        self.source.prepare()

    def setup(self, stage: str | None = None) -> None:
        """Reads the corpus and codes it, once and whatever the stage: dev and test are coded by what train has.

        Raises:
            PolyprobeError: the corpus cannot be read, or train has nothing to learn from.
        """
        if self.corpus is not None:
            return
        corpus = self.source.read()
        self.learn(corpus)
        self.train = self.kept_to_learn(corpus.train)
        self.dev, self.test = map(self.kept, (corpus.dev, corpus.test))
        self.coder = self.make_coder()
        self.coded_dev, self.coded_train = self.coded(self.dev), self.coded(self.train)
        self.corpus = corpus

    def learn(self, corpus: Corpus) -> None:
        """Takes from the corpus what decides which of its examples are kept; nothing unless a task says otherwise."""

    def kept(self, examples: Sequence[Any]) -> Sequence[Any]:
        """Returns the examples of a split that are learned from or scored: all, unless a task leaves some out."""
        return examples

    def kept_to_learn(self, examples: Sequence[Any]) -> Sequence[Any]:
        """Returns the examples of train that are learned from: those that are kept, unless a task leaves more out."""
        return self.kept(examples)

    @abstractmethod
    def make_coder(self) -> TaskCoder:
        """Takes from train what a model must know, and makes the coder; see `read_words`."""

    @abstractmethod
    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""

    @abstractmethod
    def task_counts(self) -> Iterable[Count]:
        """Yields what a reader of the results asks for: sizes, and what is in no score."""

    @abstractmethod
    def make_baseline(self) -> Baseline:
        """Counts the trivial baseline on train."""

    @property
    @abstractmethod
    def n_scored(self) -> int:
        """How many items of dev the scores of each epoch rest on."""

    @property
    def scored_otherwise(self) -> Mapping[str, tuple[int, str]]:
        """Metrics of dev that rest on other items than `n_scored`: on how many, and by which scorer; none usually."""
        return {}

    @property
    def is_learnable(self) -> bool:
        """Whether train has a label that a model can learn to give."""
        return bool(self.coded_train)

    @property
    def note(self) -> str | None:
        """What a reader of the model's rows must know."""
        return None

    @property
    def baseline_note(self) -> str | None:
        """What a reader of the baseline's rows must know."""
        return self.note

    def words_of(self, examples: Iterable[Any]) -> Iterator[str]:
        """Yields all running words."""
        return (word for one in examples for text in self.texts(one) for word in text)

    def read_words(self) -> Coder:
        """Settles how the model gets the vectors of words, on train; returns their coder."""
        train, others = (
            [text for one in split for text in self.texts(one)] for split in (self.train, [*self.dev, *self.test])
        )
        self.reader, coder = self.inputs.read(train, others)
        return coder

    def scored_splits(self) -> dict[str, Sequence[Any]]:
        """Returns the examples of dev, test and the test sets beside by the name of their split."""
        splits = {"dev": self.corpus.dev, "test": self.corpus.test, **self.corpus.beside}
        return {name: self.kept(examples) for name, examples in splits.items()}

    def coded(self, examples: Sequence[Any]) -> list[Any]:
        """Codes examples with their gold labels."""
        return [self.coder.coded(one) for one in examples]

    def counts(self) -> dict[str, int]:
        """Returns all counts by their names, in the order in which they are reported."""
        return {**{one.name: one.n for one in self.task_counts()}, **self.coder.counts()}

    def of_splits(self, what: str, count: Callable[[Sequence[Any]], int]) -> Iterator[Count]:
        """Yields a count for each split."""
        for split in SPLITS:
            yield Count(what, count(getattr(self, split)), split)

    def n_left_out(self, split: str) -> int:
        """Returns how many examples of a split are neither learned from nor scored; see `kept`."""
        return len(getattr(self.corpus, split)) - len(getattr(self, split))

    @cached_property
    def baseline(self) -> Baseline:
        """The trivial baseline, counted when it is first asked for."""
        return self.make_baseline()

    def baseline_scores(self, examples: Sequence[Any]) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of the baseline, and the shares of unknown words next to them."""
        scores = self.baseline.scores(examples)
        return self.baseline.name, [*scores, *self.unknown_words(examples)] if scores else []

    def unknown_words(self, examples: Sequence[Any]) -> list[TaskScore]:
        """Returns the share of running words that train lacks, and of those that the vectors' vocabulary lacks."""
        words = list(self.words_of(self.kept(examples)))
        return [oov_rate(self.words_of(self.train), words), *self._unknown_to_encoder(words)]

    def unknown_in_train(self) -> list[TaskScore]:
        """Returns the share of train's running words that the vectors' vocabulary lacks; nothing without one."""
        return self._unknown_to_encoder(list(self.words_of(self.train)))

    def _unknown_to_encoder(self, words: Sequence[str]) -> list[TaskScore]:
        """Returns the share of words that the vocabulary of frozen vectors, if any, lacks (LINSPECTOR, Table A.3).

        The words are looked up as by the encoder.
        """
        is_known = self.coder.known(words) if words else None
        if is_known is None:
            return []
        return [TaskScore("encoder_oov", 1 - float(is_known.mean()), len(words), "LINSPECTOR")]

    def check_examples(self) -> None:
        """Checks that there is something to learn from and something to choose the best epoch by.

        Raises:
            PolyprobeError: a split has sentences, but no word with a tag, no span, no role, or no pair with a label.
        """
        for split, verb, is_enough in (("train", "learned", self.is_learnable), ("dev", "scored", self.n_scored > 0)):
            if not is_enough:
                counts = ", ".join(f"{one.name}: {one.n}" for one in self.task_counts() if one.split == split)
                raise PolyprobeError(
                    f"{split} has nothing that can be {verb} ({counts}). Expected at least one label that counts."
                )

    def train_dataloader(self) -> DataLoader:
        """Returns this process's share of every batch, in the order of the epoch.

        Where gradients are accumulated over k batches, batches are cut k times as large, and each comes in k pieces.
        """
        n_pieces = self.trainer.accumulate_grad_batches if self.trainer else 1
        batches = ShuffledBatches(self._batches_of_epochs(self.batch_sizes.training * n_pieces), self.seed)
        share = partial(self._training_share, *self._process(), n_pieces)
        return self._loader(ItemsOfPieces(self.coded_train), BatchesInPieces(batches, n_pieces), share)

    def val_dataloader(self) -> DataLoader:
        """Returns this process's batches of dev."""
        return self._evaluation_loader(self.coded_dev)

    def test_dataloader(self) -> DataLoader:
        """Builds this process's batches of test."""
        return self._evaluation_loader(self.coded(self.test))

    def transfer_batch_to_device(self, batch: Any, device: torch.device, _: int) -> Any:
        """Moves a batch."""
        return batch.to(device)

    def _evaluation_loader(self, coded: Sequence[Any]) -> DataLoader:
        """Returns every w-th example, from the r-th on, to process r of w, in batches; none is counted twice.

        A process without an example still gets one, in which nothing is counted: without a batch it would miss the
        exchange of counts, for which the others wait.
        """
        process, n_processes = self._process()
        share = coded[process::n_processes] or [self.coder.uncounted(one) for one in coded[:1]]
        return self._loader(share, self._cut(share, self.batch_sizes.evaluation), self._whole)

    def _training_share(self, process: int, n_processes: int, n_pieces: int, items: Sequence[tuple[Any, int]]) -> Any:
        """Joins the examples of one process in one piece of a batch.

        The loss of each share is divided by the items of the whole batch over the number of shares, so that the mean
        of the gradients equals the gradient of one process with the whole batch in one piece. A share without an
        example gets the first one with nothing in the loss: it takes part in every exchange of gradients and adds
        nothing.
        """
        coded, (piece, *_) = zip(*items, strict=True)
        share, n_shares = piece * n_processes + process, n_pieces * n_processes
        n_items = sum(map(self.coder.weight, coded)) / n_shares
        return self.coder.batch(coded[share::n_shares] or [self.coder.uncounted(coded[0])], n_items)

    def _whole(self, coded: Sequence[Any]) -> Any:
        return self.coder.batch(coded, float(sum(map(self.coder.weight, coded))))

    def _loader(self, items: Any, batches: Any, collate: Any) -> DataLoader:
        return DataLoader(items, batch_sampler=batches, collate_fn=collate, generator=torch.Generator())

    def _batches_of_epochs(self, batch_size: int) -> Callable[[int], list[list[int]]]:
        """Returns what cuts train for an epoch: once for all of them, or anew for each by noisy lengths."""
        noise = self.batch_sizes.padding_noise
        if not noise:
            batches = self._cut(self.coded_train, batch_size)
            return lambda epoch: batches
        lengths = [self.coder.length(one) for one in self.coded_train]
        sizes = [1] * len(lengths)
        return lambda epoch: batches_of_like_length(noisy_lengths(lengths, noise, self.seed, epoch), sizes, batch_size)

    def _cut(self, coded: Sequence[Any], batch_size: int) -> list[list[int]]:
        lengths, sizes = ([count(one) for one in coded] for count in (self.coder.length, self.coder.size))
        return batches_of_like_length(lengths, sizes, batch_size)

    def _process(self) -> tuple[int, int]:
        return (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)
