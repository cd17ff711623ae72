"""Deep biaffine dependency parser (Dozat and Manning 2017; LINSPECTOR, section 5)."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.metrics.attachment import (
    ArcCounts,
    Attachment,
    RelationCounts,
    attachment_ratios,
    attachment_scores,
    count_arcs,
    relation_scores,
)
from polyprobe.metrics.task_score import TaskScore, with_intervals
from polyprobe.models.base.task_coder import blocks_of_sentences
from polyprobe.models.base.task_model import Diverged, Optimizer, TaskModel
from polyprobe.models.batches.parser_batch import NO_TAG, ParserBatch, TreeCoder
from polyprobe.models.inputs.word_batch import Reader, label_loss
from polyprobe.models.layers.biaffine import Biaffine
from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.initialisation import initialise_lstm_gates
from polyprobe.models.layers.shared_dropout import DropShare, SharedDropout
from polyprobe.models.structures.spanning_trees import ScoresAreNoNumbers, best_trees
from polyprobe.section import Count, checked

ACTIVATIONS = {"relu": F.relu, "elu": F.elu}
Tree = tuple[list[int], list[str]]
"""Heads, 1-based and 0 at the root, and relations of a sentence."""


class BiaffineParser(TaskModel):
    """Predicts the head and the relation of every word.

        word -> vector, learned or frozen, joined to that of its UPOS          "words"
        -> bi-LSTM layers                                                      "bilstm_1", "bilstm_2" …
        -> four projections: dependent and head, for arcs and for relations
        -> biaffine scores of all arcs -> best tree with one root -> biaffine scores of the relations of its arcs

    Dropout draws one mask for all words of a sentence, on the input of every layer, the states and the projections.
    LINSPECTOR ran AllenNLP 0.6.1's parser, with highway connections between its LSTM layers: docs/published.md.

    Args:
        upos: tags of train; empty for a parser that reads no tags.
        relations: of train, with their subtypes.
        tag_size: width of the vectors of tags.
        hidden_size: width of a state of one direction.
        n_layers: bi-LSTM layers.
        projection_size: width of each projection.
        activation: of the projections, "relu" (paper) or "elu" (released code).
        clip_norm: gradients longer than this, all together, are scaled down to it.
    """

    @checked("model")
    def __init__(
        self,
        reader: Reader,
        upos: list[str],
        relations: list[str],
        tag_size: Count,
        hidden_size: Count,
        n_layers: Count,
        projection_size: Count,
        activation: Literal[*ACTIVATIONS],
        dropout: DropShare,
        clip_norm: float,
        seed: int,
        optimizer: Optimizer,
    ):
        super().__init__(optimizer, clip_norm, rate_decay=None)
        self.relations, self.activation = tuple(relations), ACTIVATIONS[activation]
        self.reader, self.coder = reader, TreeCoder(reader.coder, upos, relations)
        self.tags = nn.Embedding(len(upos) + 1, tag_size, padding_idx=NO_TAG) if upos else None
        width = reader.width + (tag_size if upos else 0)
        self.bilstm = nn.ModuleList(BiLSTM(w, hidden_size) for w in [width, *[2 * hidden_size] * (n_layers - 1)])
        self.root = nn.Parameter(torch.empty(2 * hidden_size))
        self.projections = nn.Linear(2 * hidden_size, 4 * projection_size)
        self.arcs, self.labels = Biaffine(projection_size, 1), Biaffine(projection_size, len(relations))
        self.dropout = SharedDropout(dropout)
        self.dev_metric, self.test_metric = Attachment(), Attachment()
        self._initialise(torch.Generator().manual_seed(seed))

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        states = ((f"bilstm_{number}", len(self.root)) for number in range(1, len(self.bilstm) + 1))
        return ("words", self.reader.width), *states

    def forward(self, batch: ParserBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Scores all arcs.

        Returns:
            `[batch, dependent, head]`, unnormalised, minus infinity at heads beyond a sentence; node 0 is the root.
            `[nodes, projection_size]` twice: the nodes as dependents and as heads of relations, for `label_scores`.
        """
        *_, states = self.states(batch, self.reader(batch.words))
        nodes = self._dropped(self._with_roots(batch, states), batch)
        projected = self._dropped(self.activation(self.projections(nodes)), batch)
        arc_dependents, arc_heads, dependents, heads = projected.chunk(4, dim=1)
        scores = self.arcs.all_pairs(_padded(arc_dependents, batch), _padded(arc_heads, batch))
        is_real = _padded(torch.ones_like(nodes[:, :1], dtype=torch.bool), batch).squeeze(2)
        return scores.masked_fill(~is_real.unsqueeze(1), -torch.inf), dependents, heads

    def states(self, batch: ParserBatch, vectors: Tensor) -> list[Tensor]:
        """Runs the bi-LSTM over every sentence: `[cells, 2 hidden_size]` for each layer, before its dropout.

        Args:
            vectors: `[distinct inputs, width of the reader]`.
        """
        inputs = vectors.index_select(0, batch.words.input_of_cell)
        if self.tags is not None:
            inputs = torch.cat([inputs, self.tags(batch.upos_ids)], dim=1)
        sentence_of_cell, states = batch.sentence_of_cell, []
        for layer in self.bilstm:
            inputs = layer(self.dropout(inputs, sentence_of_cell, len(batch.words.lengths)), None, batch.words.packing)
            states.append(inputs)
        return states

    def label_scores(self, batch: ParserBatch, dependents: Tensor, heads: Tensor, heads_of_cells: Tensor) -> Tensor:
        """Scores the relations of given arcs: `[cells, relations]`, unnormalised.

        Args:
            dependents, heads: from `forward`.
            heads_of_cells: `[cells]`, 1-based, 0 at the root.
        """
        return self.labels.pairs(dependents[batch.node_of_cell], heads, batch.root_of_cell + heads_of_cells)

    def loss(self, batch: ParserBatch) -> Tensor:
        """Negative log-likelihood of heads plus that of relations at gold heads, in nats, both per word.

        Relations that train lacks are left out.
        """
        scores, dependents, heads = self(batch)
        of_cells = scores.flatten(0, 1)[batch.place_of_node[batch.node_of_cell]]
        of_labels = self.label_scores(batch, dependents, heads, batch.heads.clamp(min=0))
        return (label_loss(of_cells, batch.heads) + label_loss(of_labels, batch.relation_ids)) / batch.n_items

    def decode(self, batch: ParserBatch) -> list[Tree]:
        """Returns the best tree with one root of every sentence, then the best relations of its arcs."""
        scores, dependents, heads = self(batch)
        try:
            found = best_trees(scores.detach().float().cpu().numpy(), batch.words.lengths)
        except ScoresAreNoNumbers as error:
            raise Diverged("scores of arcs", self.current_epoch + 1) from error
        of_cells = torch.cat([torch.from_numpy(one) for one in found]).to(scores.device)
        labels = self.label_scores(batch, dependents, heads, of_cells).argmax(1).cpu().split(batch.words.lengths)
        return [
            (one.tolist(), [self.relations[number] for number in ids.tolist()])
            for one, ids in zip(found, labels, strict=True)
        ]

    def answered(self, batch: ParserBatch) -> list[Tree]:
        """Returns the predicted tree of each sentence."""
        return self.decode(batch)

    def scores(self, sentences: Sequence[DependencySentence]) -> list[TaskScore]:
        """Returns the attachment scores, then the LAS of each relation."""
        counts, by_relation = [], RelationCounts()
        for sentence, tree in zip(sentences, self.answers(sentences), strict=True):
            counts.append(count_arcs(sentence, *tree))
            by_relation.add(sentence, *tree)
        of_all = with_intervals(attachment_scores(sum(counts, start=ArcCounts())), attachment_ratios(counts))
        return [*of_all, *relation_scores(by_relation)]

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[ParserBatch]:
        """Returns batches of sentences without tags: all tags are zero vectors, the neutral choice."""
        self.coder.meet(sentences)
        coded = [self.coder.without_tree(words, ()) for words in sentences]
        blocks = blocks_of_sentences(coded, list(map(self.coder.length, coded)))
        return (self.coder.batch(block, 1.0) for block in blocks)

    def count(self, metric: Attachment, batch: ParserBatch) -> None:
        if batch.sentences:
            for sentence, tree in zip(batch.sentences, self.decode(batch), strict=True):
                metric.update(sentence, *tree)

    def measured(self, metric: Attachment) -> dict[str, Any]:
        scores = metric.compute()
        return {"las": scores["las"], **scores}

    def _with_roots(self, batch: ParserBatch, states: Tensor) -> Tensor:
        """Puts the root's vector before the states of every sentence: `[nodes, 2 hidden_size]`."""
        source_of_node = torch.full_like(batch.sentence_of_node, len(states))
        source_of_node[batch.node_of_cell] = torch.arange(len(states), device=states.device)
        return torch.cat([states, self.root.unsqueeze(0)]).index_select(0, source_of_node)

    def _dropped(self, nodes: Tensor, batch: ParserBatch) -> Tensor:
        return self.dropout(nodes, batch.sentence_of_node, len(batch.words.lengths))

    def layers_of(self, batch: ParserBatch) -> dict[str, Tensor]:
        vectors = self.reader(batch.words)
        layers = [vectors[batch.words.input_of_cell], *self.states(batch, vectors)]
        return {name: layer.float().cpu() for (name, _), layer in zip(self.exposed_layers, layers, strict=True)}

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters as the released code does: Xavier's uniform numbers, and orthogonal gates."""
        self.reader.initialise(generator)
        if self.tags is not None:
            nn.init.normal_(self.tags.weight, generator=generator)[NO_TAG] = 0.0
        for layer in self.bilstm:
            initialise_lstm_gates(layer, generator)
        nn.init.normal_(self.root, generator=generator)
        for part in self.projections.weight.chunk(4):
            part.copy_(nn.init.xavier_uniform_(torch.empty(part.shape), generator=generator))
        nn.init.zeros_(self.projections.bias)
        self.arcs.initialise(generator)
        self.labels.initialise(generator)


def _padded(vectors: Tensor, batch: ParserBatch) -> Tensor:
    """Returns `[batch, nodes of the longest, width]`, zero (False) beyond a sentence, from `[nodes, width]`."""
    n_sentences, n_nodes = batch.padded_shape
    padded = vectors.new_zeros(n_sentences * n_nodes, vectors.shape[1])
    return padded.index_copy(0, batch.place_of_node, vectors).view(n_sentences, n_nodes, -1)
