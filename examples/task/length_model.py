"""A network that says how long a sentence is."""

from collections.abc import Iterator, Sequence

import torch
from length_batch import LengthBatch, LengthCoder
from length_score import LengthAccuracy, length_scores
from length_text import SizedSentence
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.errors import check_at_least
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.task_model import Optimizer, TaskModel
from polyprobe.models.inputs.word_batch import NO_LOSS, Reader, WordBatch, word_batches


class LengthModel(TaskModel):
    """Adds up what it makes of each word.

        word -> vector "words" -> linear, tanh -> sum over the sentence -> linear -> classes

    Args:
        reader: returns the vectors of words.
        labels: of train.
        hidden_size: width of the sum.
        seed: of the initialisation.
        optimizer: takes the parameters.
    """

    def __init__(self, reader: Reader, labels: list[str], hidden_size: int, seed: int, optimizer: Optimizer):
        super().__init__(optimizer, clip_norm=None, rate_decay=None)
        check_at_least("model.hidden_size", hidden_size, 1)
        self.labels = tuple(labels)
        self.reader, self.coder = reader, LengthCoder(reader.coder, labels)
        self.hidden, self.output = nn.Linear(reader.width, hidden_size), nn.Linear(hidden_size, len(labels))
        self.dev_metric, self.test_metric = LengthAccuracy(NO_LOSS), LengthAccuracy(NO_LOSS)
        generator = torch.Generator().manual_seed(seed)
        reader.initialise(generator)
        for layer in (self.hidden, self.output):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(self, words: WordBatch) -> Tensor:
        """Scores every class for every sentence: `[sentences, classes]`, unnormalised."""
        cells = self.hidden(self.reader(words)).tanh()[words.input_of_cell]
        lengths = torch.tensor(words.lengths, device=cells.device)
        sentence_of_cell = torch.arange(len(lengths), device=cells.device).repeat_interleave(lengths)
        sums = cells.new_zeros(len(lengths), cells.shape[1]).index_add(0, sentence_of_cell, cells)
        return self.output(sums)

    def loss(self, batch: LengthBatch) -> Tensor:
        """Negative log-likelihood in nats, per sentence; classes that train lacks are left out."""
        gold = batch.label_ids.masked_fill(batch.label_ids < 0, NO_LOSS)
        return F.cross_entropy(self(batch.words).float(), gold, ignore_index=NO_LOSS, reduction="sum") / batch.n_items

    def decode(self, batch: LengthBatch) -> Tensor:
        """Returns the id of the best class of every sentence: `[sentences]`."""
        return self(batch.words).argmax(1)

    def answered(self, batch: LengthBatch) -> list[str]:
        return [self.labels[number] for number in self.decode(batch).tolist()]

    def scores(self, sentences: Sequence[SizedSentence]) -> list[TaskScore]:
        return length_scores([one.label for one in sentences], self.answers(sentences))

    def count(self, metric: LengthAccuracy, batch: LengthBatch) -> None:
        metric.update(batch.label_ids, self.decode(batch))

    def measured(self, metric: LengthAccuracy) -> dict[str, Tensor]:
        return {"accuracy": metric.compute()}

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        return (("words", self.reader.width),)

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordBatch]:
        return word_batches(self.reader.coder, sentences)

    def layers_of(self, words: WordBatch) -> dict[str, Tensor]:
        return {"words": self.reader(words)[words.input_of_cell].float().cpu()}
