"""The contract of encoders, anything frozen that turns items into vectors, that of count encoders, and their checks."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polyprobe.errors import BadValue, Impossible, PolyprobeError, layer_name
from polyprobe.items import Form, Item

BLOCK_ITEMS = 4096  # that are encoded and handed over together


@dataclass(frozen=True, slots=True)
class Layer:
    """One named output of an encoder."""

    name: str
    """As users type it ("encoding", "bilstm", "static")."""
    width: int
    """Numbers per vector."""
    epoch: int | None = None
    """Of its checkpoint; None for encoders that were not trained here."""


class Encoder(ABC):
    """Turns items into vectors; the same item always has the same vectors, alone or in a batch with others."""

    layers: tuple[Layer, ...]
    """Lowest first; for a checkpoint encoder each (epoch, layer) is one."""
    accepts: frozenset[type]
    """Which of `Form`, `TokenInContext`, `Sentence` it takes."""
    fingerprint: str
    """A hexadecimal digest that changes whenever a vector could change (file digests, options, code version), and with
    nothing else: no path, no time."""
    model_name: str | None = None
    """Which model it is, as shown in results: a run, a file with its folder, a name on the hub with its commit; None
    where the kind of encoder and its options identify it."""
    resolved: str | None = None
    """What the files of the model decided in place of options, in words for `options` of rows; None for nothing."""
    provenance: Mapping[str, Any] = MappingProxyType({})
    """What was read, plain values by which published vectors are told from others: `vocabulary` (words or pieces that
    have a vector), `ngrams`, `depth` (layers of the model), `width`, `files` (SHA-256 by name, of checkpoints with the
    epoch before it: "8/model.safetensors"); empty where nothing was."""
    reads_context: bool = True
    """False if a token in context has the vector of its form: downstream models then read one vector for each distinct
    word, otherwise one for each word of each sentence."""

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

    def check_there(self, items: Iterable[Item]) -> None:  # noqa: B027 - most compute the vectors of any item
        """Checks that an encoder that looks vectors up has those of all items, before anything else is done.

        It may list what it lacks in a file beside them: call it only where the user names the encoder in this command.

        Raises:
            PolyprobeError: it lacks some.
        """

    def randomised(self, seed: int) -> "Encoder | None":
        """Returns the same architecture with fresh weights, drawn by `seed`; None if it has no weights."""
        return None


Features: TypeAlias = "np.ndarray | csr_matrix"


class CountEncoder(ABC):
    """Turns the examples of one probing test into counts of features, which are chosen on train.

    So it is not an `Encoder`: an item has other features in another test, and nothing is cached.
    """

    layers: tuple[Layer, ...]
    """One, for the names in the results; its width is the largest that the features can have."""
    fingerprint: str
    model_name: str | None = None
    provenance: Mapping[str, Any] = MappingProxyType({})
    """This and the two before it: as those of an `Encoder`."""
    own_probe: str | None = None
    """The one choice of `probe=` that belongs to it, where its name says more than which counts it takes
    ("NB-uni-tfidf", "Length" of SentEval); None where it goes with every probe."""

    @abstractmethod
    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[Features]:
        """Returns the features of train and of other splits: `[examples, features]` each.

        Args:
            train: the items of each example: one, or two for a pair. All parameters are learned here.
            others: splits that nothing is learned from.
        """


def fingerprint(kind: str, version: int, **options: object) -> str:
    """Returns 32 hexadecimal digits that depend on these values alone.

    Args:
        kind: the encoder's name.
        version: of its code; to be raised whenever the same options yield other vectors.
        options: everything else that can change a vector: plain values and digests of files, never a path or a time.
    """
    content = json.dumps({"kind": kind, "version": version, **options}, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


class NamedInAFile(str):
    """The name of a model that comes from a file of a run and not from the user: nothing is fetched for it."""

    __slots__ = ()


def path_of(key: str, value: object) -> Path:
    """Returns the file or folder that a key of the configuration names.

    Raises:
        BadValue: it is not a text: null, or a number, as Hydra reads a name of digits alone.
        PolyprobeError: it is empty.
    """
    if value == "":
        raise PolyprobeError(f"{key} must be given: the name of a file or folder.")
    if not isinstance(value, str | Path):
        raise BadValue(key, value, "the name of a file or folder (a name of digits as '\"2024\"')")
    return Path(value)


def check_items(encoder: str, accepts: frozenset[type], items: Iterable[Item]) -> None:
    """Refuses items that cannot be encoded."""
    for number, item in enumerate(items, start=1):
        if complaint := _kind_complaint(accepts, item):
            raise Impossible(f"{encoder} cannot encode item {number}, {item!r}: {complaint}.")
        if complaint := _content_complaint(item):
            raise PolyprobeError(f"{encoder} cannot encode item {number}, {item!r}: {complaint}.")


def _kind_complaint(accepts: frozenset[type], item: Item) -> str | None:
    if type(item) in accepts:
        return None
    return f"it takes {' or '.join(sorted(kind.__name__ for kind in accepts))}, not {type(item).__name__}"


def _content_complaint(item: Item) -> str | None:
    if isinstance(item, Form):
        return None if item.form else "the form is empty"
    if not item.words:
        return "the sentence has no words"
    if not all(item.words):
        return f"word {item.words.index('') + 1} of the sentence is empty"
    index = getattr(item, "index", 0)
    if not 0 <= index < len(item.words):
        return f"the index must be 0 to {len(item.words) - 1}, got {index}"
    return None


def chosen_layers(known: Sequence[str], names: Sequence[str] | None) -> list[str]:
    """Returns the requested layers in the encoder's order, lowest first; None requests all."""
    if not isinstance(names, Sequence | None) or isinstance(names, str):
        raise BadValue("encoder.layers", names, f"a list such as [{known[0]}], or null for all")
    if names is not None and not names:
        raise PolyprobeError(f"encoder.layers is empty. Known: {', '.join(known)}; null takes all.")
    chosen = known if names is None else {layer_name("encoder.layers", one, known) for one in names}
    return [name for name in known if name in chosen]


if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_matrix
