"""A frozen encoder as the inputs of a downstream model: one layer, each sentence encoded once, through the cache."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polyprobe.datamodules.base.word_inputs import Sentences
from polyprobe.encoders.base.encoder import BLOCK_ITEMS, Encoder, fingerprint
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.reading.case import lower_cased
from polyprobe.frequency import by_frequency
from polyprobe.items import Form, Item, TokenInContext

Words = tuple[str, ...]
_SENTENCES_MEASURED = 10_000
_ONE_EPOCH = ", and one epoch with encoder.epochs=[…], or one of encoder.folders or encoder.revisions"


class VectorSource:
    """Numbers inputs as they are met, and gathers their vectors from the cache's files, which stay on the disk.

    An encoder with the same vector for a word in every sentence encodes each distinct word as a form; any other
    for each word of each distinct sentence.

    Raises:
        PolyprobeError: the encoder has several layers, or encodes nothing but whole sentences.
    """

    def __init__(self, encoder: Encoder, cache: VectorCache):
        if len(encoder.layers) != 1:
            names = ", ".join(dict.fromkeys(layer.name for layer in encoder.layers))
            epochs = any(layer.epoch is not None for layer in encoder.layers)
            raise PolyprobeError(
                f"The inputs of a task are one layer; this encoder has {len(encoder.layers)}. Use one "
                f"of {names} with encoder.layers=[…]{_ONE_EPOCH if epochs else ''}."
            )
        self.encoder, self.cache = encoder, cache
        self.width = encoder.layers[0].width
        self.reads_context = encoder.reads_context and TokenInContext in encoder.accepts
        if not self.reads_context and Form not in encoder.accepts:
            raise PolyprobeError(
                "This encoder only encodes whole sentences. The inputs of a task are vectors of words."
            )
        self.fingerprint = fingerprint("source", 1, encoder=encoder.fingerprint, number=cache.number)
        self.words: list[str] = []
        self._start_of: dict[Words, int] = {}  # of a sentence, or of one word if vectors do not depend on sentences
        self._matrices: list[np.ndarray] = []
        self._places = np.empty((0, 2), np.int64)  # of each number: which matrix, which row

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        """Encodes the new inputs of sentences, all at once.

        Raises:
            PolyprobeError: see `encoded`.
        """
        new = list(dict.fromkeys(unit for words in sentences for unit in self._units(words) if self._is_new(unit)))
        if not new:
            return
        items: list[Item] = [Form(unit[0]) for unit in new]
        if self.reads_context:
            items = [TokenInContext(unit, index) for unit in new for index in range(len(unit))]
        found = encoded(self.encoder, items, self.cache)
        matrices = [block.vectors[0] for block in found.blocks]
        starts = np.cumsum([0, *map(len, matrices)])
        rows = found.taken[found.rows(items)]
        block = np.searchsorted(starts, rows, side="right") - 1
        places = np.stack([len(self._matrices) + block, rows - starts[block]], axis=1)
        for unit in new:
            self._start_of[unit] = len(self.words)
            self.words += unit
        self._matrices += matrices
        self._places = np.concatenate([self._places, places])

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """Returns the numbers of a sentence's inputs: `[words]`; a sentence that was not met yet is encoded alone."""
        if any(self._is_new(unit) for unit in self._units(words)):
            self.meet([words])
        return np.array(
            [self._start_of[unit] + place for unit in self._units(words) for place in range(len(unit))], dtype=np.int64
        )

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """Returns `[numbers, width]`, float32, in memory."""
        gathered = np.empty((len(numbers), self.width), np.float32)
        places = self._places[numbers]
        for matrix in np.unique(places[:, 0]):
            is_there = places[:, 0] == matrix
            gathered[is_there] = self._matrices[matrix][places[is_there, 1]]
        return gathered

    def rms(self, sentences: Sequence[Sequence[str]]) -> float:
        """Returns the root mean square of the numbers of running words, of at most 10,000 sentences spread evenly."""
        n = min(_SENTENCES_MEASURED, len(sentences))
        measured = [sentences[place * len(sentences) // n] for place in range(n)]
        numbers, counts = np.unique(np.concatenate([self.numbers(words) for words in measured]), return_counts=True)
        squares = 0.0
        for start in range(0, len(numbers), BLOCK_ITEMS):
            block = slice(start, start + BLOCK_ITEMS)
            squares += float(counts[block] @ np.square(self.vectors(numbers[block]), dtype=float).mean(axis=1))
        return float(squares / counts.sum()) ** 0.5

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self.encoder.known(words)

    def _units(self, words: Sequence[str]) -> Iterator[Words]:
        """Returns the units that are numbered: a sentence, or each word by itself."""
        return iter([tuple(words)]) if self.reads_context else ((word,) for word in words)

    def _is_new(self, unit: Words) -> bool:
        return unit not in self._start_of


if TYPE_CHECKING:
    from polyprobe.models.inputs.frozen_vectors import VectorCoder


class FrozenInputs:
    """The vectors of an encoder in place of learned ones; see `Inputs`.

    Args:
        settings: `_target_` and options of the encoder, plain values: a checkpoint keeps them to open it again.
        tune: whether an offset is learned for each word of train.

    Raises:
        BadValue: `tune` with an encoder whose vectors depend on the sentence: a word then has no offset.
    """

    def __init__(self, settings: Mapping[str, Any], source: VectorSource, tune: bool):
        if tune and source.reads_context:
            raise BadValue("encoder.tune", tune, "false with an encoder that reads the sentence around a word")
        self.source, self.tune = source, tune
        self.saved = {"settings": dict(settings), "number": source.cache.number}

    @property
    def identity(self) -> dict[str, Any]:
        return {"fingerprint": self.source.fingerprint, "tune": self.tune}

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], "VectorCoder"]:
        """Encodes all sentences; see `Inputs`."""
        from polyprobe.models.inputs.frozen_vectors import FrozenVectors, VectorCoder  # torch

        self.source.meet([*train, *others])
        case = getattr(self.source.encoder, "case", "kept")
        words = (lower_cased(word, case) for sentence in train for word in sentence)
        tuned = by_frequency(Counter(words)) if self.tune else []
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
