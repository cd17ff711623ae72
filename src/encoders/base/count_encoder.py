"""Count encoders: surface counts whose width depends on the train set of each test."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from src.encoders.base.count_classifier import CountClassifier, Features
from src.encoders.base.encoder import Layer
from src.items import Item


class CountEncoder(ABC):
    """Turns the examples of one probing test into counts of features, which are chosen on train.

    So it is not an `Encoder`: an item has other features in another test, and nothing is cached. It names its own
    classifier, which is fitted in place of a probe (`src.probing.baselines.count_probe`).

    Attributes:
        layers: one, for the names in the results; its width is the largest that the features can have.
        fingerprint, model_name: as those of an `Encoder`.
        classifier: of the counts.
    """

    layers: tuple[Layer, ...]
    fingerprint: str
    model_name: str | None = None
    classifier: CountClassifier

    @abstractmethod
    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[Features]:
        """Returns the features of train and of other splits: `[examples, features]` each.

        Args:
            train: the items of each example: one, or two for a pair. All parameters are learned here.
            others: splits that nothing is learned from.
        """
