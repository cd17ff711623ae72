"""Words that a model composes from their character trigrams: what the role labeller learns its inputs from."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from src.datamodules.base.word_inputs import Sentences
from src.models.inputs.trigram_vocabulary import TrigramVocabulary
from src.models.inputs.trigram_words import TrigramCoder, TrigramWords


@dataclass(frozen=True)
class TrigramInputs:
    """The trigrams of train, whose vectors and composition are learnt with the model.

    Args:
        trigram_size: width of the vector of a trigram.
        hidden_size: width of a state of one direction of the bi-LSTM that reads a word.
    """

    source: ClassVar[None] = None
    saved: ClassVar[None] = None

    trigram_size: int
    hidden_size: int

    @property
    def identity(self) -> dict[str, Any]:
        return asdict(self)

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], TrigramCoder]:
        known = TrigramVocabulary.counted(word for sentence in train for word in sentence)
        settings = {"_target_": TrigramWords.__name__, "trigrams": list(known.units)}
        return {**settings, **asdict(self)}, TrigramCoder(known)
