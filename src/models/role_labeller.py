"""Semantic role labeller over words composed from trigrams or frozen vectors (Şahin and Steedman 2018; LINSPECTOR).

Its batches are sentences with propositions: each distinct input of a reader once, and once more as a predicate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.errors import BadValue
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.metrics.labelled_f1 import LabelledF1
from polyprobe.metrics.roles import PREDICATES, count_roles, role_ratios, role_scores
from polyprobe.metrics.tallies import summed
from polyprobe.metrics.task_score import TaskScore, with_intervals
from polyprobe.models.base.rate_decay import HalvedAfterSmallGains
from polyprobe.models.base.task_coder import TaskCoder, blocks_of_sentences
from polyprobe.models.base.task_model import Optimizer, TaskModel
from polyprobe.models.inputs.word_batch import NO_LOSS, Coder, Reader, WordBatch, label_loss
from polyprobe.models.layers.bilstm import BiLSTM, exposed_states
from polyprobe.models.layers.initialisation import initialise_lstm, zero_forget_biases
from polyprobe.models.layers.packing import Batch
from polyprobe.section import Count, checked


@dataclass(frozen=True, slots=True)
class Example:
    """One proposition as integers: a sentence, its predicate and the roles of all its words."""

    words: np.ndarray
    """`[words]`, numbers of the reader's coder."""
    predicate: int | None
    """0-based place of the flag; None for no flag."""
    role_ids: np.ndarray
    """`[words]`; `NO_LOSS` where the model does not know the role."""


Coded = tuple[LabelledSentence, tuple[Example, ...]]
"""A sentence with its propositions as integers."""


@dataclass(frozen=True, slots=True)
class PropositionBatch(Batch):
    """The input of the labeller. A cell is a word of a proposition; cells are ordered proposition after proposition."""

    sentences: tuple[LabelledSentence, ...]
    """The sentences of the propositions, in order."""
    words: WordBatch
    """Of the propositions, as the reader takes them; its `input_of_cell` knows no flag."""
    flagged_inputs: Tensor
    """`[distinct predicates]`, which of the reader's distinct inputs are a predicate somewhere."""
    input_of_cell: Tensor
    """`[cells]`, a distinct input, or `distinct inputs + k` for the k-th flagged one."""
    role_ids: Tensor
    """`[cells]`."""
    n_items: float
    """Propositions: what the loss is divided by."""


class PropositionCoder(TaskCoder):
    """Turns sentences with propositions into batches.

    Args:
        roles: role 0 is `_`, no role.
    """

    words: Coder

    def __init__(self, words: Coder, roles: Sequence[str]):
        super().__init__(words)
        self.role_id = {role: number for number, role in enumerate(roles)}

    def coded(self, sentence: LabelledSentence) -> Coded:
        words = self.words.numbers(sentence.words)
        examples = (
            Example(words, proposition.predicate, self._coded_roles(proposition, len(words)))
            for proposition in sentence.propositions
        )
        return sentence, tuple(examples)

    def bare(self, sentence: LabelledSentence) -> Coded:
        return self.coded(sentence)  # roles are in the loss alone; predicates and senses are given

    def unflagged(self, words: Sequence[str]) -> Example:
        """Codes a sentence for its vectors: no predicate, no roles."""
        return Example(self.words.numbers(words), None, np.full(len(words), NO_LOSS))

    def batch(self, coded: Sequence[Coded], n_items: float) -> PropositionBatch:
        examples = [example for _, of_sentence in coded for example in of_sentence]
        return self.batch_of(examples, [sentence for sentence, _ in coded], n_items)

    def batch_of(
        self, examples: Sequence[Example], sentences: Sequence[LabelledSentence], n_items: float
    ) -> PropositionBatch:
        """Joins examples, at least one."""
        words = self.words.batch([example.words for example in examples])
        input_of_cell = words.input_of_cell.clone()
        flags = _flag_places(examples)
        flagged_inputs, flagged = input_of_cell[flags].unique(return_inverse=True)
        input_of_cell[flags] = int(words.input_of_cell.max()) + 1 + flagged
        role_ids = torch.from_numpy(np.concatenate([example.role_ids for example in examples]))
        return PropositionBatch(tuple(sentences), words, flagged_inputs, input_of_cell, role_ids, n_items)

    def uncounted(self, one: Coded) -> Coded:
        sentence, examples = one
        silent = (replace(example, role_ids=np.full_like(example.role_ids, NO_LOSS)) for example in examples)
        return replace(sentence, propositions=()), tuple(silent)

    def length(self, one: Coded) -> int:
        return len(one[0].words)

    def weight(self, one: Coded) -> int:
        return len(one[1])

    def size(self, one: Coded) -> int:
        return len(one[1])

    def n_cells(self, one: Coded) -> int:
        return len(one[0].words) * len(one[1])

    def _coded_roles(self, proposition: Proposition, n_words: int) -> np.ndarray:
        role_ids = np.zeros(n_words, dtype=np.int64)
        for argument in proposition.arguments:
            role_ids[argument.word] = self.role_id.get(argument.role, NO_LOSS)
        return role_ids


def propositions_of(
    sentences: Sequence[LabelledSentence], role_ids: Sequence[int], roles: Sequence[str]
) -> Iterator[tuple[Proposition, ...]]:
    """Reads the roles of consecutive cells back as the propositions of each sentence."""
    start = 0
    for sentence in sentences:
        found = []
        for proposition in sentence.propositions:
            end = start + len(sentence.words)
            arguments = [Argument(word, roles[role]) for word, role in enumerate(role_ids[start:end]) if role]
            found.append(Proposition(proposition.predicate, proposition.sense, tuple(arguments)))
            start = end
        yield tuple(found)


def _flag_places(examples: Sequence[Example]) -> Tensor:
    """Returns the cells that bear the flag."""
    lengths = np.array([len(example.words) for example in examples])
    flagged = zip(np.cumsum(lengths) - lengths, examples, strict=True)
    return torch.tensor([s + e.predicate for s, e in flagged if e.predicate is not None], dtype=torch.int64)


class RoleLabeller(TaskModel):
    """Reads words, then labels every word with its role for a given predicate.

        vector x of a word from the reader -> W x + b, or x itself              "encoding"
        encodings of a sentence, each with the predicate flag -> bi-LSTM        "bilstm", or "bilstm_1", "bilstm_2" …
        -> dropout -> linear -> roles

    Over `TrigramWords` this is the model of the diagnostic study, where x is the last forward and the last backward
    state; over frozen vectors, as they are and with two layers, that of the comparison of vectors. The released code
    counts padding in the loss; here nothing is padded.

    Args:
        roles: role 0 is `_`, no role.
        word_size: width of the encodings; None: the reader's vectors are the encodings.
        hidden_size: width of a state of one direction.
        n_layers: bi-LSTM layers.
        dropout: share of the states that is dropped in training, after each layer.
        clip_norm: gradients longer than this, all together, are scaled down to it.
        rate_decay: takes dev role F1 after each epoch.
    """

    @checked("model")
    def __init__(
        self,
        reader: Reader,
        roles: list[str],
        word_size: Count | None,
        hidden_size: Count,
        n_layers: Count,
        dropout: float,
        clip_norm: float,
        seed: int,
        optimizer: Optimizer,
        rate_decay: HalvedAfterSmallGains,
    ):
        super().__init__(optimizer, clip_norm, rate_decay)
        width = reader.width if word_size is None else word_size
        if not 0 <= dropout < 1:
            raise BadValue("model.dropout", dropout, "at least 0 and below 1")
        self.roles, self.width = tuple(roles), width
        self.reader, self.coder = reader, PropositionCoder(reader.coder, roles)
        self.encoding = nn.Identity() if word_size is None else nn.Linear(reader.width, word_size)
        widths = [width + 1, *[2 * hidden_size] * (n_layers - 1)]
        self.labeller = nn.ModuleList(BiLSTM(width, hidden_size) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden_size, len(roles))
        slots = (*roles[1:], PREDICATES)
        self.dev_metric, self.test_metric = (LabelledF1(slots, count_roles, role_scores) for _ in range(2))
        self._initialise(torch.Generator().manual_seed(seed))

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        return ("encoding", self.width), *exposed_states(self.labeller)

    def forward(self, batch: PropositionBatch) -> Tensor:
        """Scores every role for every word of every proposition.

        Returns:
            `[cells, roles]`, unnormalised; a cell is a word of a proposition.
        """
        *_, states = self.states(batch, self.encodings(batch))
        return self.output(self.dropout(states))

    def encodings(self, batch: PropositionBatch) -> Tensor:
        """Encodes each distinct input of a batch once: `[distinct inputs, word_size]`."""
        return self.encoding(self.reader(batch.words))

    def states(self, batch: PropositionBatch, encodings: Tensor) -> list[Tensor]:
        """Runs the labeller over every proposition: `[cells, 2 hidden_size]` for each layer, before its dropout."""
        flagged = encodings.index_select(0, batch.flagged_inputs)
        inputs = torch.cat([F.pad(encodings, (0, 1), value=0.0), F.pad(flagged, (0, 1), value=1.0)])
        input_of_cell, states = batch.input_of_cell, []
        for layer in self.labeller:
            if states:
                inputs, input_of_cell = self.dropout(states[-1]), None
            states.append(layer(inputs, input_of_cell, batch.words.packing))
        return states

    def loss(self, batch: PropositionBatch) -> Tensor:
        """Negative log-likelihood in nats, summed over words (`_` is a role too), per proposition.

        Words whose gold role is unknown to the model, which happens outside of train only, are left out.
        """
        return label_loss(self(batch), batch.role_ids) / batch.n_items

    def decode(self, batch: PropositionBatch) -> list[tuple[Proposition, ...]]:
        """Returns the best role of every word; predicates and senses are those of the batch's sentences."""
        role_ids = self(batch).argmax(1).tolist()
        return list(propositions_of(batch.sentences, role_ids, self.roles))

    def answered(self, batch: PropositionBatch) -> list[tuple[Proposition, ...]]:
        """Returns the predicted arguments of each sentence."""
        return self.decode(batch)

    def answers(self, sentences: Sequence[LabelledSentence]) -> list[tuple[Proposition, ...]]:
        """Returns the arguments of given predicates, in evaluation mode; a sentence without a predicate has none."""
        found = iter(super().answers([one for one in sentences if one.propositions]))
        return [next(found) if one.propositions else () for one in sentences]

    def scores(self, sentences: Sequence[LabelledSentence]) -> list[TaskScore]:
        """Returns role F1, semantic F1 and the role F1 of each role, with gold predicates and senses."""
        pairs = zip(sentences, self.answers(sentences), strict=True)
        counts = [count_roles(sentence.propositions, found) for sentence, found in pairs]
        return with_intervals(role_scores(summed(counts)), role_ratios(counts))

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[PropositionBatch]:
        """Yields batches of sentences of which no word is flagged as a predicate: the neutral choice.

        The paper does not say which flag it used.
        """
        self.coder.meet(sentences)
        for block in blocks_of_sentences(sentences, [len(words) for words in sentences]):
            yield self.coder.batch_of([self.coder.unflagged(words) for words in block], (), 1.0)

    def count(self, metric: LabelledF1, batch: PropositionBatch) -> None:
        for sentence, predicted in zip(batch.sentences, self.decode(batch), strict=True):
            metric.update(sentence.propositions, predicted)

    def measured(self, metric: LabelledF1) -> dict[str, float]:
        return metric.compute()

    def layers_of(self, batch: PropositionBatch) -> dict[str, Tensor]:
        encodings = self.encodings(batch)
        layers = [encodings[batch.words.input_of_cell], *self.states(batch, encodings)]
        return {name: layer.float().cpu() for (name, _), layer in zip(self.exposed_layers, layers, strict=True)}

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters as the released code does.

        Each LSTM matrix is orthogonal as a whole (all gates); in the encoding's matrix the half that reads forward
        states and the half that reads backward states are each orthogonal.
        """
        self.reader.initialise(generator)
        for layer in self.labeller:
            initialise_lstm(layer, generator)
            zero_forget_biases(layer)
        if isinstance(self.encoding, nn.Linear):
            for half in self.encoding.weight.chunk(2, dim=1):
                half.copy_(nn.init.orthogonal_(torch.empty(half.shape), generator=generator))
            nn.init.normal_(self.encoding.bias, generator=generator)
        nn.init.orthogonal_(self.output.weight, generator=generator)
        nn.init.zeros_(self.output.bias)
