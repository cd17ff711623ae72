"""Count encoders: surface counts whose width depends on the train set of each test."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from src.encoders.base.encoder import Layer
from src.items import Item

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_matrix

Features: TypeAlias = "np.ndarray | csr_matrix"


class CountEncoder(ABC):
    """Turns the examples of one probing test into counts of features, which are chosen on train.

    So it is not an `Encoder`: an item has other features in another test, and nothing is cached.

    Attributes:
        layers: one, for the names in the results; its width is the largest that the features can have.
        fingerprint, model_name, provenance: as those of an `Encoder`.
        own_probe: the one choice of `probe=` that belongs to it, where its name says more than which counts it takes
            ("NB-uni-tfidf", "Length" of SentEval); None where it goes with every probe.
    """

    layers: tuple[Layer, ...]
    fingerprint: str
    model_name: str | None = None
    provenance: Mapping[str, Any] = MappingProxyType({})
    own_probe: str | None = None

    @abstractmethod
    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[Features]:
        """Returns the features of train and of other splits: `[examples, features]` each.

        Args:
            train: the items of each example: one, or two for a pair. All parameters are learned here.
            others: splits that nothing is learned from.
        """
