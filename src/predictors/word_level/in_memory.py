"""A language model of words in memory, as a predictor: it runs each prefix that sentences share once, as a tree.

    the dog barks loudly        (start) - the - dog  - barks > loudly
    the dogs bark                           \\
    the dogs bark loudly                      - dogs > bark - > loudly

A node is a prefix that some sentence continues; after a ">" comes a word that is requested, but that needs no node,
since nothing follows it. The tree is processed level by level, that is by length of prefix: only the states of one
level and of the next are in memory.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from polyprobe.encoders.base.encoder import fingerprint
from polyprobe.models.batches.text_vocabulary import END_ID
from polyprobe.models.language_model import LanguageModel
from polyprobe.models.layers.text_lstm import PrefixStates, TextLSTM
from polyprobe.predictors.word_level.predictor import IdRows, WordOptions, WordPredictor

_VERSION = 1


class LanguageModelPredictor(WordPredictor):
    """Runs every distinct prefix of the questions once.

    Args:
        model: on the device where it is to run; it is not changed, and must not change from one answer to the next.
        seed, epoch: see `Predictor`.
    """

    def __init__(
        self,
        name: str,
        model: LanguageModel,
        options: WordOptions,
        seed: int | None,
        epoch: int | None,
    ):
        super().__init__(name, model.vocabulary, options)
        self.model, self.seed, self.epoch = model, seed, epoch

    @cached_property
    def weights(self) -> str:
        """A digest of vocabulary and tensors."""
        digest = hashlib.sha256("\n".join(self.model.vocabulary.words).encode())
        for name, tensor in sorted(self.model.network.state_dict().items()):
            digest.update(f"\0{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().numpy())
        return digest.hexdigest()

    @property
    def provenance(self) -> dict[str, dict[str, str]]:
        name = self.model_name or self.name
        return {"files": {name if self.epoch is None else f"{self.epoch}/{name}": self.weights}}

    @property
    def fingerprint(self) -> str:
        """See `Predictor`; equal weights have one fingerprint, from any source."""
        return fingerprint("language_model", _VERSION, model=self.weights, **self.of_fingerprint)

    def log_probabilities(self, rows: IdRows) -> np.ndarray:
        was_training = self.model.training
        self.model.eval()
        try:
            return prefix_log_probabilities(self.model.network, rows, self.options.start)
        finally:
            self.model.train(was_training)


_NODES_AT_ONCE = 1024


@dataclass(frozen=True, eq=False, slots=True)
class Level:
    """The nodes of one level, and the requested words after them."""

    parents: np.ndarray
    """Of the nodes, by their number in the level before: int64 `[nodes]`."""
    words: np.ndarray
    """The last of each prefix; the start for the first level: int64 `[nodes]`."""
    node_of_asked: np.ndarray
    """Rising: int64 `[asked]`."""
    asked: np.ndarray
    """Words that follow, each once after its node: int64 `[asked]`."""
    places: np.ndarray
    """The tokens of the rows that are predicted here: int64 `[tokens of this level]`."""
    asked_of_place: np.ndarray
    """Which asked word each of them is: int64 `[tokens of this level]`."""


def levels(rows: IdRows) -> Iterator[Level]:
    """Yields the levels of the tree of distinct, sorted rows: the empty prefix first."""
    node_of_row = np.zeros(len(rows), dtype=np.int64)
    for depth in range(int(rows.lengths.max(initial=0))):
        goes_on = np.flatnonzero(rows.lengths > depth)
        places = rows.starts[goes_on] + depth
        is_node, node = _numbered(rows.shared < depth, goes_on)
        is_asked, asked_of_place = _numbered(rows.shared <= depth, goes_on)
        first = goes_on[is_node]
        words = rows.ids[rows.starts[first] + depth - 1] if depth else np.array([END_ID])
        parents = node_of_row[first]
        node_of_row[goes_on] = node
        asked = rows.ids[places[is_asked]].astype(np.int64)
        yield Level(parents, words.astype(np.int64), node[is_asked], asked, places, asked_of_place)


def count_prefixes(rows: IdRows) -> int:
    """Returns how many prefixes of distinct, sorted rows have to be run."""
    return sum(len(level.words) for level in levels(rows))


@torch.inference_mode()
def prefix_log_probabilities(network: TextLSTM, rows: IdRows, start: bool) -> np.ndarray:
    """Returns the log-probability of every token of distinct, sorted rows, in nats: float32 `[tokens]`.

    Numbers differ by less than 1e-5 with the other rows; those of equal prefixes are equal.

    Args:
        network: in evaluation mode, on any device.
        rows: ids of words, and of the end where it is requested.
        start: whether `<eos>` is read before the first word; else the first token of each row gets 0.
    """
    device = network.output.weight.device
    found, states = np.zeros(len(rows.ids), dtype=np.float32), network.first_states(1)
    for depth, level in enumerate(levels(rows)):
        parents, words, node_of_asked, asked = (
            torch.from_numpy(one).to(device) for one in (level.parents, level.words, level.node_of_asked, level.asked)
        )
        if depth == 0 and not start:
            continue
        states = _grown(network, states, parents, words)
        answers = network.log_probabilities(states.top, node_of_asked, asked).cpu().numpy()
        found[level.places] = answers[level.asked_of_place]
    return found


def _numbered(is_new: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers groups of neighbouring rows.

    Args:
        is_new: whether a group begins at a row: bool `[all rows]`.

    Returns:
        Whether each row is the first of its group that takes part, and the number of its group: `[rows]` each.
    """
    is_first = np.diff(np.cumsum(is_new)[rows], prepend=0) > 0
    return is_first, np.cumsum(is_first) - 1


def _grown(network: TextLSTM, states: PrefixStates, parents: Tensor, words: Tensor) -> PrefixStates:
    """Lets prefixes grow by a word, some at a time, so that gates of few of them are held."""
    parts = [
        network.next_states(states.of(some), of_some)
        for some, of_some in zip(parents.split(_NODES_AT_ONCE), words.split(_NODES_AT_ONCE), strict=True)
    ]
    return PrefixStates(torch.cat([one.hidden for one in parts], 1), torch.cat([one.cells for one in parts], 1))
