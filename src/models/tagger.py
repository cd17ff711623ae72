"""Bi-LSTM tagger (LINSPECTOR, section 5), and sentences with a label at every word as its batches."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.formats.entities.span_tags import bioul, bioul_tags, spans_of
from polyprobe.formats.treebanks.labelled_words import NO_LABEL, LabelledWords
from polyprobe.metrics.tagging import TagCounts, WordAccuracy, all_items_accuracy, right_words, tag_f1s, word_accuracy
from polyprobe.metrics.task_score import TaskScore, with_intervals
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.base.task_model import Optimizer, TaskModel, run_frozen
from polyprobe.models.inputs.word_batch import (
    NO_LOSS,
    Coder,
    LabelledBatch,
    Reader,
    WordBatch,
    label_ids_of,
    label_loss,
    word_batches,
)
from polyprobe.models.layers.bilstm import BiLSTM, exposed_states
from polyprobe.models.layers.initialisation import initialise_lstm
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.section import Count, checked

CodedSentence = tuple[np.ndarray, np.ndarray]
"""A sentence as integers: the coder's numbers of its words and its label ids, `[words]` each."""


class LabelCoder(TaskCoder):
    """Turns labelled sentences into batches.

    Args:
        labels: the k-th has id k.
    """

    words: Coder

    def __init__(self, words: Coder, labels: Sequence[str]):
        super().__init__(words)
        self._id_of = {label: number for number, label in enumerate(labels)}

    def coded(self, sentence: LabelledWords) -> CodedSentence:
        return self.words.numbers(sentence.words), label_ids_of(self._written(sentence), self._id_of)

    def bare(self, sentence: LabelledWords) -> CodedSentence:
        return self.words.numbers(sentence.words), np.full(len(sentence.words), NO_LOSS)

    def batch(self, coded: Sequence[CodedSentence], n_items: float) -> LabelledBatch:
        numbers, label_ids = zip(*coded, strict=True)
        return LabelledBatch(self.words.batch(numbers), torch.from_numpy(np.concatenate(label_ids)), n_items)

    def uncounted(self, one: CodedSentence) -> CodedSentence:
        numbers, label_ids = one
        return numbers, np.full_like(label_ids, NO_LOSS)

    def length(self, one: CodedSentence) -> int:
        return len(one[0])

    def _written(self, sentence: LabelledWords) -> Sequence[str]:
        return sentence.labels


class EntityCoder(LabelCoder):
    """Turns sentences with entities into batches, whatever the scheme of their tags.

    Args:
        types: those that a model knows; the ids of their BIOUL tags come first.
        unseen: further types that are to be told from no entity: their tags have the ids behind.
    """

    def __init__(self, words: Coder, types: Sequence[str], unseen: Sequence[str] = ()):
        super().__init__(words, bioul_tags([*types, *unseen]))

    def _written(self, sentence: LabelledWords) -> Sequence[str]:
        return bioul(spans_of(sentence.labels), len(sentence.words))


class Tagger(TaskModel):
    """Reads words as vectors and labels every item of a sentence.

        word -> vector, learned or frozen                   "words"
        -> dropout -> bi-LSTM layers                        "bilstm"; of several "bilstm_1", "bilstm_2" …
        -> dropout -> linear -> labels

    The paper reads frozen vectors of 300 numbers; its dropout lies between the layers of an LSTM that has one, so it
    drops nothing. Here dropout acts before and after every layer, on the vectors of the distinct words of a batch.

    Args:
        labels: tags of train, `_` among them where train has it.
        hidden_size: width of a state of one direction.
        n_layers: bi-LSTM layers.
    """

    @checked("model")
    def __init__(
        self,
        reader: Reader,
        labels: list[str],
        hidden_size: Count,
        n_layers: Count,
        dropout: DropShare,
        seed: int,
        optimizer: Optimizer,
    ):
        super().__init__(optimizer, clip_norm=None, rate_decay=None)
        self.labels = tuple(labels)
        self.reader, self.coder = reader, LabelCoder(reader.coder, labels)
        widths = [reader.width, *[2 * hidden_size] * (n_layers - 1)]
        self.bilstm = nn.ModuleList(BiLSTM(width, hidden_size) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden_size, len(labels))
        left_out = [NO_LOSS, *(number for number, label in enumerate(labels) if label == NO_LABEL)]
        self.dev_metric, self.test_metric = WordAccuracy(left_out), WordAccuracy(left_out)
        self._initialise(torch.Generator().manual_seed(seed))

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        return ("words", self.reader.width), *exposed_states(self.bilstm)

    def forward(self, batch: WordBatch) -> Tensor:
        """Scores every label at every cell: `[cells, labels]`, unnormalised."""
        *_, states = self.states(batch, self.reader(batch))
        return self.output(self.dropout(states))

    def states(self, batch: WordBatch, vectors: Tensor) -> list[Tensor]:
        """Runs the bi-LSTM over every sentence: `[cells, 2 hidden_size]` for each layer, before its dropout.

        Args:
            vectors: `[distinct inputs, width of the reader]`.
        """
        inputs, input_of_cell, states = vectors, batch.input_of_cell, []
        for layer in self.bilstm:
            inputs, input_of_cell = layer(self.dropout(inputs), input_of_cell, batch.packing), None
            states.append(inputs)
        return states

    def loss(self, batch: LabelledBatch) -> Tensor:
        """Negative log-likelihood in nats, per item; items whose gold label is unknown to the model are left out."""
        return label_loss(self(batch.words), batch.label_ids) / batch.n_items

    def decode(self, batch: WordBatch) -> Tensor:
        """Returns the id of the best label at every cell: `[cells]`."""
        return self(batch).argmax(1)

    def tags(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Labels sentences, in evaluation mode."""
        batches = self.bare_batches(sentences)
        return [tags for batch in batches for tags in run_frozen(self, self.tags_of, batch)]

    def tags_of(self, batch: WordBatch) -> list[list[str]]:
        """Returns the labels of each sentence of a batch."""
        ids, ends = self.decode(batch).tolist(), np.cumsum([0, *batch.lengths])
        return [[self.labels[label] for label in ids[start:end]] for start, end in pairwise(ends)]

    def answered(self, batch: LabelledBatch) -> list[list[str]]:
        """Returns the predicted tags of each sentence."""
        return self.tags_of(batch.words)

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns the accuracy over words, over all items if some are not words, and the F1 of each tag."""
        counts = TagCounts()
        right = []
        for sentence, found in zip(sentences, self.answers(sentences), strict=True):
            counts.add(sentence.labels, found)
            right.append(right_words(sentence.labels, found))
        of_all = [all_items_accuracy(counts)] if NO_LABEL in counts.gold else []
        return with_intervals([word_accuracy(counts), *of_all, *tag_f1s(counts)], {"accuracy": right})

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordBatch]:
        return word_batches(self.reader.coder, sentences)

    def count(self, metric: WordAccuracy, batch: LabelledBatch) -> None:
        metric.update(batch.label_ids, self.decode(batch.words))

    def measured(self, metric: WordAccuracy) -> dict[str, Tensor]:
        return {"accuracy": metric.compute()}

    def layers_of(self, batch: WordBatch) -> dict[str, Tensor]:
        vectors = self.reader(batch)
        layers = [vectors[batch.input_of_cell], *self.states(batch, vectors)]
        return {name: layer.float().cpu() for (name, _), layer in zip(self.exposed_layers, layers, strict=True)}

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters: orthogonal matrices in the bi-LSTM, Xavier's uniform numbers in the output layer."""
        self.reader.initialise(generator)
        for layer in self.bilstm:
            initialise_lstm(layer, generator)
        nn.init.xavier_uniform_(self.output.weight, generator=generator)
        nn.init.zeros_(self.output.bias)
