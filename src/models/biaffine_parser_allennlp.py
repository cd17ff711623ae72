"""The biaffine parser that LINSPECTOR ran: that of AllenNLP 0.6.1 with the settings of its released code."""

from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.base.task_model import Diverged
from polyprobe.models.batches.parser_batch import NO_TAG, ParserBatch
from polyprobe.models.biaffine_parser import BiaffineParser, Tree
from polyprobe.models.layers.biaffine import Bilinear
from polyprobe.models.layers.full_precision import widened
from polyprobe.models.layers.highway_bilstm import HighwayBiLSTM
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.models.structures.spanning_trees import best_tree_of_any_roots
from polyprobe.section import checked


class AllenNLPParser(BiaffineParser):
    """Our parser but for what follows; what is read from released code is AllenNLP's at the version that it pins.

    - Layers of the bi-LSTM have highway connections. Dropout draws one mask for each sentence, direction and layer,
      which holds for the state that the next word gets and for what the layer gives out; between layers is no other.
      What the lowest layer reads is dropped number by number.
    - Relations are scored by `d W h + b`, without terms of d or h alone.
    - The matrix of the arcs, biases included, all matrices of the relations together, and the vectors of tags are drawn
      from Xavier's uniform distribution.
    - A tree is searched for by the sum over its arcs of probability of the head times that of the best relation. The
      released code sets the scores of arcs from the root to 0, meaning those to the root, and so do we: the root is
      the word whose other heads are the least likely. Nothing else forbids several roots; as probabilities are above
      0 there are some only where all heads of a word but the root underflow to 0 (below 1e-45).

    Where we differ: an optimiser moves the vectors of all tags at each step (the released one those that a batch has);
    the relations and tags are those of train (there of all files), and a relation that train lacks is in no loss.

    Args:
        input_dropout: share of the numbers that is dropped of the joined vectors of word and tag.
        recurrent_dropout: of the states of each layer.
        others: see `BiaffineParser`; its `dropout` is that of the states of the last layer, once more, and of the
            projections, with one mask for a sentence.
    """

    layer_class = HighwayBiLSTM
    label_class = Bilinear

    @checked("model")
    def __init__(
        self, input_dropout: DropShare, recurrent_dropout: DropShare, **others: Annotated[Any, BiaffineParser]
    ):
        super().__init__(**others)
        self.input_dropout, self.recurrent_dropout = input_dropout, recurrent_dropout

    def states(self, batch: ParserBatch, vectors: Tensor) -> list[Tensor]:
        """Runs the bi-LSTM over every sentence; see `BiaffineParser.states`, here after the recurrent dropout."""
        states = F.dropout(self.inputs(batch, vectors), self.input_dropout, self.training)
        of_layers = []
        for layer in self.bilstm:
            states = layer(states, batch.words.packing, self.recurrent_dropout if self.training else 0.0)
            of_layers.append(states)
        return of_layers

    def decode(self, batch: ParserBatch) -> list[Tree]:
        """Returns for every sentence the best tree by arcs and relations together, whatever the number of its roots."""
        scores, dependents, heads = self(batch)
        n_nodes = [n_words + 1 for n_words in batch.words.lengths]
        sentences = zip(scores, dependents.split(n_nodes), heads.split(n_nodes), strict=True)
        return [self._best_tree(*sentence) for sentence in sentences]

    def _best_tree(self, scores: Tensor, dependents: Tensor, heads: Tensor) -> Tree:
        """Returns the best tree of a sentence.

        Args:
            scores: `[dependent, head]`, of arcs, with padding.
            dependents, heads: `[nodes, projection_size]`.
        """
        relations, relation_ids = self.labels.all_pairs(dependents, heads).log_softmax(2).max(2)
        n_nodes = len(heads)
        energies = (widened(scores[:n_nodes, :n_nodes]).log_softmax(1) + relations).exp().detach().cpu().numpy()
        if not np.isfinite(energies).all():
            raise Diverged("scores of arcs", self.current_epoch + 1)
        energies[:, 0] = 0.0
        found = best_tree_of_any_roots(energies)
        return self.named_tree(found, relation_ids.cpu()[torch.arange(1, n_nodes), torch.from_numpy(found)])

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        super()._initialise(generator)
        nn.init.xavier_uniform_(self.arcs.weight[0], generator=generator)
        if self.tags is not None:
            nn.init.xavier_uniform_(self.tags.weight[NO_TAG + 1 :], generator=generator)
