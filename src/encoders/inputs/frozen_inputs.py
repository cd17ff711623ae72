"""A frozen encoder as the inputs of a downstream model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from src.datamodules.base.word_inputs import Sentences
from src.encoders.inputs.vector_source import VectorSource
from src.errors import BadValue
from src.formats.reading.case import lower_cased
from src.frequency import by_frequency

if TYPE_CHECKING:
    from src.models.inputs.frozen_vectors import VectorCoder


class FrozenInputs:
    """The vectors of an encoder in place of learned ones; see `Inputs`.

    Args:
        settings: `_target_` and options of the encoder, plain values: a checkpoint keeps them to open it again.
        source: of its vectors.
        tune: whether an offset is learned for each word of train.

    Raises:
        BadValue: `tune` with an encoder whose vectors depend on the sentence: a word then has no offset.
    """

    def __init__(self, settings: Mapping[str, Any], source: VectorSource, tune: bool):
        if tune and source.reads_context:
            raise BadValue("encoder.tune", tune, "false with an encoder that reads the sentence around a word")
        self.source, self.tune = source, tune
        self.saved = {"settings": dict(settings), "number": source.number}

    @property
    def identity(self) -> dict[str, Any]:
        return {"fingerprint": self.source.fingerprint, "tune": self.tune}

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], "VectorCoder"]:
        """Encodes all sentences; see `Inputs`."""
        from src.models.inputs.frozen_vectors import FrozenVectors, VectorCoder  # torch

        self.source.meet([*train, *others])
        case = getattr(self.source.encoder, "case", "kept")
        tuned = _words_by_frequency(train, case) if self.tune else []
        reader = {
            "_target_": FrozenVectors.__name__,
            "width": self.source.width,
            "reads_context": self.source.reads_context,
            "fingerprint": self.source.fingerprint,
            "tuned": tuned,
            "case": case,
        }
        coder = VectorCoder(tuned, case, self.source.width)
        coder.source = self.source
        return reader, coder


def _words_by_frequency(sentences: Sequence[Sequence[str]], case: str) -> list[str]:
    counts = Counter(lower_cased(word, case) for words in sentences for word in words)
    return by_frequency(counts)
