"""Inference from the vectors of two sentences (objective=nli; InferSent, Conneau et al. 2018, section 3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from polyprobe.formats.pairs.labelled_pairs import LabelledPair, with_label
from polyprobe.metrics.classification import pair_scores
from polyprobe.metrics.tagging import WordAccuracy
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.batches.pair_batch import PairCoder
from polyprobe.models.decoders.unit_decoder import EncodedSentences
from polyprobe.models.inputs.word_batch import NO_LOSS, Coder, LabelledBatch, label_loss
from polyprobe.models.sentence_networks.sentence_network import SentenceNetwork
from polyprobe.section import Count, checked

Answers = Callable[[Sequence[LabelledPair]], list[str]]


class PairClassifier(nn.Module):
    """Scores labels for pairs of vectors.

        u, v, |u - v|, u * v -> linear -> tanh -> linear -> labels

    Conneau et al. (2018) say "an MLP with 100 hidden units"; features and non-linearity are InferSent's, whose default
    leaves the non-linearity out.

    Args:
        sentence_size: width of the vector of a sentence.
        n_labels: that are scored.
        hidden_size: of the hidden layer.
    """

    @checked("model.head")
    def __init__(self, sentence_size: int, n_labels: int, hidden_size: Count):
        super().__init__()
        self.hidden, self.output = nn.Linear(4 * sentence_size, hidden_size), nn.Linear(hidden_size, n_labels)
        self.tanh = nn.Tanh()

    def forward(self, premises: Tensor, hypotheses: Tensor) -> Tensor:
        """Returns the scores of all labels, `[pairs, n_labels]`, unnormalised; `[pairs, sentence_size]` each."""
        features = [premises, hypotheses, (premises - hypotheses).abs(), premises * hypotheses]
        return self.output(self.tanh(self.hidden(torch.cat(features, dim=1))))

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters: Xavier's uniform numbers."""
        for linear in (self.hidden, self.output):
            nn.init.xavier_uniform_(linear.weight, generator=generator)
            nn.init.zeros_(linear.bias)


class PairInference(nn.Module):
    """Decides between labels; see `Objective`.

    Args:
        target: `labels`, those of train.
        head: builds the classifier from the width of a sentence's vector and the number of labels.
        network: what encodes the sentences.
        words: codes their words.
    """

    def __init__(
        self,
        target: Mapping[str, Any],
        head: Callable[..., PairClassifier],
        network: SentenceNetwork,
        words: Coder,
    ):
        super().__init__()
        self.labels = tuple(target["labels"])
        self.coder = PairCoder(words, self.labels)
        self.classifier = head(sentence_size=network.width, n_labels=len(self.labels))

    def loss(self, encoded: EncodedSentences, batch: LabelledBatch) -> Tensor:
        """Negative log-likelihood in nats, per pair; pairs whose gold label is unknown to the model are left out."""
        return label_loss(self._label_scores(encoded), batch.label_ids) / batch.n_items

    def new_metric(self) -> WordAccuracy:
        return WordAccuracy([NO_LOSS])

    def count(self, metric: WordAccuracy, encoded: EncodedSentences, batch: LabelledBatch) -> None:
        metric.update(batch.label_ids, self._label_scores(encoded).argmax(1))

    def measured(self, metric: WordAccuracy) -> dict[str, Tensor]:
        return {"accuracy": metric.compute()}

    def answered(self, encoded: EncodedSentences) -> list[str]:
        return [self.labels[label] for label in self._label_scores(encoded).argmax(1).tolist()]

    def scored(
        self,
        examples: Sequence[LabelledPair],
        answers: Answers,
        metric: WordAccuracy,
    ) -> list[TaskScore]:
        """Returns the accuracy over pairs that have a label, and the confusion of labels."""
        pairs = with_label(examples)
        return pair_scores([pair.label for pair in pairs], answers(pairs))

    def initialise(self, generator: torch.Generator) -> None:
        self.classifier.initialise(generator)

    def _label_scores(self, encoded: EncodedSentences) -> Tensor:
        """Returns `[pairs, labels]`: the first half of the sentences are the premises."""
        premises, hypotheses = encoded.vectors.chunk(2)
        return self.classifier(premises, hypotheses)
