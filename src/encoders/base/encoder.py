"""The contract of encoders: anything frozen that turns items into vectors."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from src.items import Item

BLOCK_ITEMS = 4096  # that are encoded and handed over together


@dataclass(frozen=True, slots=True)
class Layer:
    """One named output of an encoder.

    Attributes:
        name: as users type it ("encoding", "bilstm", "static").
        width: numbers per vector.
        epoch: of its checkpoint; None for encoders that were not trained here.
    """

    name: str
    width: int
    epoch: int | None = None


class Encoder(ABC):
    """Turns items into vectors; the same item always has the same vectors, alone or in a batch with others.

    Attributes:
        layers: lowest first; for a checkpoint encoder each (epoch, layer) is one.
        accepts: which of `Form`, `TokenInContext`, `Sentence` it takes.
        fingerprint: a hexadecimal digest that changes whenever a vector could change (file digests, options, code
            version), and with nothing else: no path, no time.
        model_name: which model it is, as shown in results: a run, a file with its folder, a name on the hub with its
            commit; None where the kind of encoder and its options identify it.
        resolved: what the files of the model decided in place of options, in words for `options` of rows; None for
            nothing.
        provenance: what was read, plain values by which published vectors are told from others: `vocabulary` (words or
            pieces that have a vector), `ngrams`, `depth` (layers of the model), `width`, `files` (SHA-256 by name, of
            checkpoints with the epoch before it: "8/model.safetensors"); empty where nothing was.
        reads_context: False if a token in context has the vector of its form: downstream models then read one vector
            for each distinct word, otherwise one for each word of each sentence.
    """

    layers: tuple[Layer, ...]
    accepts: frozenset[type]
    fingerprint: str
    model_name: str | None = None
    resolved: str | None = None
    provenance: Mapping[str, Any] = MappingProxyType({})
    reads_context: bool = True

    @abstractmethod
    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        """Yields the vectors of consecutive blocks of the items, in their order.

        Yields:
            One float32 array `[block items, width]` per layer, in the order of `layers`.

        Raises:
            PolyprobeError: an item is empty (an empty form, a sentence without words) or of a kind not accepted.
        """

    @property
    def name_in_messages(self) -> str:
        """The encoder in a message about an item that it refuses, with the option that makes it refuse, if any."""
        return type(self).__name__

    @property
    def top(self) -> str | int:
        """The topmost layer, as an option `layers` names it."""
        return self.layers[-1].name

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        """Says which words the vocabulary has, in the spelling in which they are looked up: bool `[words]`.

        None for an encoder without a vocabulary, which composes a vector for every word.
        """
        return None

    def randomised(self, seed: int) -> "Encoder | None":
        """Returns the same architecture with fresh weights, drawn by `seed`; None if it has no weights."""
        return None
