"""Natural language inference by attention between two sentences (ESIM, Chen et al. 2017; LINSPECTOR, section 5)."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from polyprobe.formats.pairs.labelled_pairs import LabelledPair, with_label
from polyprobe.metrics.classification import pair_scores
from polyprobe.metrics.tagging import WordAccuracy
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.rate_decay import LoweredWithoutNewBest
from polyprobe.models.base.task_model import Optimizer, TaskModel
from polyprobe.models.batches.pair_batch import PairCoder
from polyprobe.models.inputs.word_batch import NO_LOSS, LabelledBatch, Reader, WordBatch, label_loss, word_batches
from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.full_precision import full_precision, widened
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.section import Count, checked


class Esim(TaskModel):
    """Reads both sentences, aligns them word by word, reads them again with the words of the other side, and decides.

        words -> vectors                                                        "words"
        -> bi-LSTM, the same for both sides                                     "bilstm"
        -> every word with the mean of the other side's words that it attends to: a, b, a - b, a * b
        -> linear, ReLU -> bi-LSTM -> mean and maximum of each side -> linear, ReLU -> linear -> labels

    Dropout before either bi-LSTM drops the same numbers at all words of a sentence. The released code has four labels,
    since it does not map the spelling of one; here there are as many as train has.

    Args:
        labels: of train.
        hidden_size: width of a state of one direction in both bi-LSTMs, and of both projections.
        clip_norm: gradients longer than this, all together, are scaled down to it.
        rate_decay: takes dev accuracy after each epoch.
    """

    @checked("model")
    def __init__(
        self,
        reader: Reader,
        labels: list[str],
        hidden_size: Count,
        dropout: DropShare,
        clip_norm: float,
        seed: int,
        optimizer: Optimizer,
        rate_decay: LoweredWithoutNewBest,
    ):
        super().__init__(optimizer, clip_norm, rate_decay)
        self.labels = tuple(labels)
        self.reader, self.coder = reader, PairCoder(reader.coder, labels)
        self.encoder = BiLSTM(reader.width, hidden_size)
        self.projection = nn.Linear(8 * hidden_size, hidden_size)
        self.inference = BiLSTM(hidden_size, hidden_size)
        self.hidden = nn.Linear(8 * hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, len(labels))
        self.dropout = nn.Dropout(dropout)
        self.dev_metric, self.test_metric = WordAccuracy([NO_LOSS]), WordAccuracy([NO_LOSS])
        self._initialise(torch.Generator().manual_seed(seed))

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        return ("words", self.reader.width), ("bilstm", 2 * self.encoder.hidden_size)

    def forward(self, words: WordBatch) -> Tensor:
        """Scores every label for every pair: `[pairs, labels]`, unnormalised.

        Args:
            words: all premises, then all hypotheses.
        """
        states = self.states(words, self.reader(words))
        compared = F.relu(self.projection(attended(states, words.lengths)))
        pooled = pooled_pairs(self._read(self.inference, compared, words), words.lengths)
        return self.output(self.dropout(F.relu(self.hidden(self.dropout(pooled)))))

    def states(self, words: WordBatch, vectors: Tensor) -> Tensor:
        """Runs the first bi-LSTM over every sentence alone: `[cells, 2 hidden_size]`.

        Args:
            vectors: `[distinct inputs, width of the reader]`.
        """
        return self._read(self.encoder, vectors[words.input_of_cell], words)

    def loss(self, batch: LabelledBatch) -> Tensor:
        """Negative log-likelihood in nats, per pair; pairs whose gold label is unknown to the model are left out."""
        return label_loss(self(batch.words), batch.label_ids) / batch.n_items

    def decode(self, batch: LabelledBatch) -> Tensor:
        """Returns the id of the best label of every pair: `[pairs]`."""
        return self(batch.words).argmax(1)

    def answered(self, batch: LabelledBatch) -> list[str]:
        """Returns the predicted label of each pair."""
        return [self.labels[label] for label in self.decode(batch).tolist()]

    def scores(self, pairs: Sequence[LabelledPair]) -> list[TaskScore]:
        """Returns the accuracy over pairs that have a label, and the confusion of labels."""
        pairs = with_label(pairs)
        return pair_scores([pair.label for pair in pairs], self.answers(pairs))

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordBatch]:
        return word_batches(self.reader.coder, sentences)

    def count(self, metric: WordAccuracy, batch: LabelledBatch) -> None:
        metric.update(batch.label_ids, self.decode(batch))

    def measured(self, metric: WordAccuracy) -> dict[str, Tensor]:
        return {"accuracy": metric.compute()}

    def _read(self, layer: BiLSTM, cells: Tensor, words: WordBatch) -> Tensor:
        """Runs a bi-LSTM over cells, after dropping the same numbers at all words of a sentence."""
        lengths = torch.tensor(words.lengths, device=cells.device)
        kept = self.dropout(torch.ones(len(lengths), cells.shape[1], device=cells.device))
        cells = cells * kept.repeat_interleave(lengths, dim=0)
        return layer(cells, None, words.packing)

    def layers_of(self, words: WordBatch) -> dict[str, Tensor]:
        vectors = self.reader(words)
        states = self.states(words, vectors)
        return {"words": vectors[words.input_of_cell].float().cpu(), "bilstm": states.float().cpu()}

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters as the released code does: Xavier's uniform numbers, recurrent matrices orthogonal."""
        self.reader.initialise(generator)
        for layer in (self.encoder, self.inference):
            _initialise_lstm(layer, generator)
        for linear in (self.projection, self.hidden, self.output):
            nn.init.xavier_uniform_(linear.weight, generator=generator)
            nn.init.zeros_(linear.bias)


def attended(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Joins to every word the mean of the other side's states, weighted by the softmax of dot products.

    Args:
        states: `[cells, width]`: all premises, then all hypotheses.
        lengths: of the sentences, in words.

    Returns:
        `[cells, 4 width]`: own state a, attended b, a - b, a * b.
    """
    with full_precision(states.device):
        return _attended(widened(states), lengths)


def _attended(states: Tensor, lengths: Sequence[int]) -> Tensor:
    premises, hypotheses = _padded_sides(states, lengths)
    has_premise, has_hypothesis = _are_real(lengths, states.device)
    products = premises @ hypotheses.transpose(1, 2)
    of_hypothesis = products.masked_fill(~has_hypothesis[:, None, :], -torch.inf).softmax(2) @ hypotheses
    of_premise = products.masked_fill(~has_premise[:, :, None], -torch.inf).softmax(1).transpose(1, 2) @ premises
    other = torch.cat([of_hypothesis[has_premise], of_premise[has_hypothesis]])
    return torch.cat([states, other, states - other, states * other], dim=1)


def pooled_pairs(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Returns mean and maximum of the states of each side: `[pairs, 4 width]`; arguments as for `attended`."""
    pooled = []
    for side, is_real in zip(_padded_sides(states, lengths), _are_real(lengths, states.device), strict=True):
        pooled.append(side.sum(1) / is_real.sum(1, keepdim=True))
        pooled.append(side.masked_fill(~is_real[:, :, None], -torch.inf).amax(1))
    return torch.cat(pooled, dim=1)


def _padded_sides(states: Tensor, lengths: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Returns `[pairs, words, width]` for each side, padded with zeros."""
    sentences, n_pairs = states.split(tuple(lengths)), len(lengths) // 2
    return pad_sequence(sentences[:n_pairs], batch_first=True), pad_sequence(sentences[n_pairs:], batch_first=True)


def _are_real(lengths: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Returns `[pairs, words]` for each side, True at words, False at padding."""
    sides = np.array(lengths).reshape(2, -1)
    return tuple(torch.from_numpy(np.arange(side.max()) < side[:, None]).to(device) for side in sides)


@torch.no_grad()
def _initialise_lstm(layer: BiLSTM, generator: torch.Generator) -> None:
    for name, parameter in layer.named_parameters():
        if name.startswith("weight_ih"):
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif name.startswith("weight_hh"):
            nn.init.orthogonal_(parameter, generator=generator)
        else:
            parameter.zero_()
            if name.startswith("bias_hh"):
                parameter[layer.hidden_size : 2 * layer.hidden_size] = 1.0
