"""Word vectors from a file: word2vec, MUSE, GloVe, fastText's .vec."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import Layer, fingerprint, path_of
from polyprobe.encoders.base.word_encoder import WordEncoder
from polyprobe.errors import BadValue
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.reading.case import Lowercase, case_rule, lower_cased
from polyprobe.formats.vectors.vector_rows import FoundVectors
from polyprobe.formats.vectors.word_vectors import opened
from polyprobe.section import Seed, checked
from polyprobe.seeds import derived_seed

_VERSION = 1
_UNKNOWN = ("shared", "own")
_UNKNOWN_ROWS = ("<unk>", "<UNK>", "unk", "UNK")
_ROWS_MEASURED = 10_000
_log = logging.getLogger(__name__)


class StaticVectors(WordEncoder):
    """Looks words up in a file of vectors, which is read once in each call of `encode`; no vector stays in memory.

    A word is looked up as written, after the case rule. Nothing is normalised: NFC and NFD spellings of a word are
    two words, of which a file usually has one.

    Unknown words: with "shared" all of them have one vector, as in the paper (LINSPECTOR, section 4.2): the file's row
    <unk>, <UNK>, unk or UNK, the first of these that it has, else one normal vector. With "own" each has its own normal
    vector, as in the released code; a row for unknown words is not used there. The normal distributions have the mean
    and the deviation of all numbers in the first 10,000 rows of the file: the most frequent words. The released code
    takes both from the vectors of the requested words; here a vector must not depend on which others are requested.

    Args:
        format: "word2vec_text" (with a header), "word2vec_binary" or "glove_text" (without one); None to detect it.
        unknown: "shared" or "own".
        lowercase, dotless_i: see `case_rule`.

    Raises:
        MalformedLine, UnreadableVectors: see `opened`; `encode` and `known` read the rest of the file.
    """

    name_in_messages = "static_vectors"

    @checked("encoder")
    def __init__(
        self,
        path: str | Path,
        format: str | None,
        unknown: Literal[_UNKNOWN],
        seed: Seed,
        lowercase: Lowercase,
        dotless_i: bool,
    ):
        self.case, self.unknown, self.seed = case_rule(lowercase, dotless_i), unknown, seed
        if path is None:
            raise BadValue(
                "encoder.path", None, "a file of word vectors: vectors=wiki.fi.vec or encoder.path=wiki.fi.vec"
            )
        self.file = opened(path_of("encoder.path", path), format)
        self.model_name = last_parts(path)
        self.layers = (Layer("static_vectors", self.file.width),)
        self._is_known: dict[str, bool] = {}
        digest = file_digest(path)
        # A file without a header says nowhere how many words it has.
        sizes = {"vocabulary": self.file.n_rows, "width": self.file.width}
        self.provenance = {"files": {Path(path).name: digest}, **sizes}
        self.fingerprint = fingerprint(
            "static_vectors",
            _VERSION,
            file=digest,
            format=self.file.format,
            unknown=unknown,
            seed=seed,
            case=self.case,
        )

    def first_vectors(self, n_words: int) -> np.ndarray:
        """Returns the vectors of the file's first rows, the most frequent: `[at most n_words, width]`, float32."""
        return self.file.read_first(n_words)

    def known(self, words: Sequence[str]) -> np.ndarray:
        spelled = [lower_cased(word, self.case) for word in words]
        new = [word for word in spelled if word not in self._is_known]
        if new:
            self._remember(new, self.file.read_wanted(set(new)))
        return np.array([self._is_known[word] for word in spelled], bool)

    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Returns `[words, width]`, float32, of distinct words."""
        found = self.file.read_wanted({*words, *_UNKNOWN_ROWS})
        self._remember(words, found)
        row_of = {word: row for row, word in enumerate(found.words)}
        vectors = np.empty((len(words), self.file.width), np.float32)
        absent = [number for number, word in enumerate(words) if word not in row_of]
        present = [number for number, word in enumerate(words) if word in row_of]
        vectors[present] = found.vectors[[row_of[words[number]] for number in present]]
        if absent:
            _log.info("%s: OOV: %d of %d words.", self.file.path, len(absent), len(words))
            vectors[absent] = self._unknown_vectors([words[number] for number in absent], found)
        return vectors

    def _remember(self, words: Sequence[str], found: FoundVectors) -> None:
        there = set(found.words)
        self._is_known.update((word, word in there) for word in words)

    def _unknown_vectors(self, words: list[str], found: FoundVectors) -> np.ndarray:
        """Returns `[words, width]`, or `[1, width]` for all of them."""
        rows = [found.words.index(name) for name in _UNKNOWN_ROWS if name in found.words]
        if self.unknown == "shared" and rows:
            return found.vectors[rows[:1]]
        numbers = self.file.read_first(_ROWS_MEASURED)
        mean, deviation = (numbers.mean(dtype=float), numbers.std(dtype=float)) if numbers.size else (0.0, 1.0)
        purposes = [("unknown",)] if self.unknown == "shared" else [("unknown", word) for word in words]
        generators = [np.random.default_rng(derived_seed(self.seed, *purpose)) for purpose in purposes]
        return np.array([one.normal(mean, deviation, self.file.width) for one in generators], np.float32)
