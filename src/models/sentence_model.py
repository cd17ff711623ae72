"""Sentence encoders (Conneau et al. 2018): one vector for a sentence, learned by what is made of it alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torchmetrics import Metric

from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.base.task_model import Optimizer, RateDecay, TaskModel, run_frozen
from polyprobe.models.decoders.unit_decoder import EncodedSentences
from polyprobe.models.inputs.word_batch import Reader, WordBatch, word_batches
from polyprobe.models.sentence_networks.sentence_network import SentenceNetwork, input_scale

Answers = Callable[[Sequence[Any]], list[Any]]


class Objective(Protocol):
    """What a sentence encoder is trained to do with the vectors of sentences: a module over encoded sentences."""

    coder: TaskCoder
    """Makes the batches, whose `words` are the sentences that are encoded."""

    def loss(self, encoded: EncodedSentences, batch: Any) -> Tensor:
        """Returns the loss of a batch in nats, over its `n_items`."""

    def new_metric(self) -> Metric:
        """Returns the counts behind the scores of dev or test, with nothing in them."""

    def count(self, metric: Metric, encoded: EncodedSentences, batch: Any) -> None:
        """Counts the right answers of a batch."""

    def measured(self, metric: Metric) -> Mapping[str, Any]:
        """Returns the scores of everything counted, by name."""

    def answered(self, encoded: EncodedSentences) -> list[Any]:
        """Returns what the scores are about, one for each example."""

    def scored(self, examples: Sequence[Any], answers: Answers, metric: Metric) -> list[TaskScore]:
        """Returns the scores of examples with gold labels.

        Args:
            answers: returns what is answered to examples.
            metric: in which all of them have been counted.
        """

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""


class SentenceModel(TaskModel):
    """Reads the words of a sentence, makes one vector of them, and does what the objective asks for with it.

        words -> vectors                        "words"
        -> at the scale that the network expects, see `input_scale`
        -> network over words -> states         "states"
        -> one vector for the sentence          "sentence"
        -> head of the objective: decoder, or classifier of pairs

    The weights of the network are drawn before those of the head: they are the same for every objective.

    Args:
        target: what the objective must know of train, plain values: subword units, or labels.
        encoder: builds the network over words from the width of their vectors.
        objective: builds the objective from `target`, `head`, the network and the coder of words.
        head: builds the decoder, or the classifier.
        clip_norm: gradients longer than this, all together, are scaled down to it; None leaves them.
        rate_decay: takes minus the perplexity of dev after each epoch, of pairs the accuracy; None for none.
        vector_rms: root mean square of frozen vectors over train; None where no network asked for it.
    """

    def __init__(
        self,
        reader: Reader,
        target: Mapping[str, Any],
        encoder: Callable[..., SentenceNetwork],
        objective: Callable[..., Objective],
        head: Callable[..., Any],
        clip_norm: float | None,
        seed: int,
        optimizer: Optimizer,
        rate_decay: RateDecay | None,
        vector_rms: float | None = None,
    ):
        super().__init__(optimizer, clip_norm, rate_decay)
        self.reader, self.network = reader, encoder(input_size=reader.width)
        self.input_scale = input_scale(self.network, vector_rms)
        self.objective = objective(target=target, head=head, network=self.network, words=reader.coder)
        self.coder = self.objective.coder
        self.dev_metric, self.test_metric = self.objective.new_metric(), self.objective.new_metric()
        generator = torch.Generator().manual_seed(seed)
        for part in (self.reader, self.network, self.objective):
            part.initialise(generator)

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        network = self.network
        return ("words", self.reader.width), ("states", network.state_width), ("sentence", network.width)

    @property
    def sentence_layers(self) -> tuple[str, ...]:
        """The layers with one vector for a sentence."""
        return ("sentence",)

    def parameter_counts(self) -> dict[str, int]:
        """Returns those of what reads words (0 if it is frozen), of the network, and of the decoder or classifier."""
        parts = {"inputs": self.reader, "encoder": self.network, **dict(self.objective.named_children())}
        return {f"parameters of the {name}": n_trained(part) for name, part in parts.items()}

    def encoded(self, words: WordBatch) -> EncodedSentences:
        """Encodes the sentences of a batch."""
        states = self.network.states(self.reader(words) * self.input_scale, words)
        return EncodedSentences(self.network.pooled(states, words), states, words.lengths)

    def loss(self, batch: Any) -> Tensor:
        return self.objective.loss(self.encoded(batch.words), batch)

    def count(self, metric: Metric, batch: Any) -> None:
        self.objective.count(metric, self.encoded(batch.words), batch)

    def measured(self, metric: Metric) -> Mapping[str, Any]:
        return self.objective.measured(metric)

    def answered(self, batch: Any) -> Sequence[Any]:
        return self.objective.answered(self.encoded(batch.words))

    def scores(self, examples: Sequence[Any]) -> list[TaskScore]:
        """Returns the scores of examples; what is written is searched for with a beam."""
        metric = self.objective.new_metric()
        for batch in self.coder.gold_batches(examples):
            run_frozen(self, lambda one: self.count(metric, one), batch)
        return self.objective.scored(examples, self.answers, metric)

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordBatch]:
        return word_batches(self.reader.coder, sentences)

    def layers_of(self, words: WordBatch) -> dict[str, Tensor]:
        """Returns the vectors of all words, and of all sentences: those of `sentence_layers`."""
        vectors = self.reader(words)
        states = self.network.states(vectors * self.input_scale, words)
        layers = {
            "words": vectors[words.input_of_cell],
            "states": states,
            "sentence": self.network.pooled(states, words),
        }
        return {name: layer.float().cpu() for name, layer in layers.items()}

    def _logged(self, split: str, metric: Metric) -> float:
        """Returns what the rules of the learning rate take: minus the perplexity, or else the first score.

        BLEU is 0 until a 4-gram is right, and would lower the rate in every epoch before that.
        """
        perplexity = self.measured(metric).get("perplexity")
        score = super()._logged(split, metric)
        return score if perplexity is None else -float(perplexity)


def n_trained(module: nn.Module) -> int:
    """Counts the numbers that training changes."""
    return sum(one.numel() for one in module.parameters() if one.requires_grad)
