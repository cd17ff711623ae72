"""fastText models: vectors of words from their characters, read row by row from Facebook's .bin."""

from pathlib import Path

import numpy as np

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import Layer, fingerprint, path_of
from polyprobe.encoders.base.word_encoder import WordEncoder
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.reading.case import Lowercase, case_rule
from polyprobe.formats.vectors.fasttext_bin import FasttextModel, read_first, read_head, read_vectors
from polyprobe.formats.vectors.vector_rows import UnreadableVectors
from polyprobe.formats.vectors.word_vectors import opened
from polyprobe.section import checked

_VERSION = 1


class Fasttext(WordEncoder):
    """Composes the vector of a word from its own row, if the model has it, and those of its character n-grams.

    The model is not loaded: each call of `encode` walks through its vocabulary once and reads the rows it needs. A word
    without any n-gram (shorter than the shortest) that the vocabulary lacks has a vector of zeros.

    A word is looked up as written, after the case rule. Nothing is normalised: NFC and NFD spellings of a word are
    two words with different n-grams. A form is its word, a token in context is its form alone, a sentence is the mean
    of its words. There are no unknown words (the published tables of unknown words leave fastText out, too).

    Args:
        path: of the model, versions 11 and 12 or the oldest, without a version; not quantised (.ftz).
        lowercase, dotless_i: see `case_rule`.

    Raises:
        UnreadableVectors: see `read_head`, and for a file of vectors without n-grams; `encode` sees the rest of the
            file, see `read_vectors`.
    """

    name_in_messages = "fasttext"

    @checked("encoder")
    def __init__(self, path: str | Path, lowercase: Lowercase, dotless_i: bool):
        self.case = case_rule(lowercase, dotless_i)
        self.model = _model(path_of("encoder.path", path))
        self.model_name = last_parts(path)
        self.layers = (Layer("fasttext", self.model.width),)
        digest = file_digest(path)
        self.provenance = {
            "files": {Path(path).name: digest},
            "vocabulary": self.model.n_words,
            "width": self.model.width,
            "ngrams": f"{self.model.min_n}-{self.model.max_n}",
        }
        self.fingerprint = fingerprint("fasttext", _VERSION, file=digest, case=self.case)

    def word_vectors(self, words: list[str]) -> np.ndarray:
        return read_vectors(self.model, words)

    def first_vectors(self, n_words: int) -> np.ndarray:
        """Returns the vectors of the file's first words, the most frequent: `[at most n_words, width]`, float32."""
        return read_first(self.model, n_words)


def _model(path: Path) -> FasttextModel:
    try:
        return read_head(path)
    except UnreadableVectors as error:
        try:
            format_found = opened(path, None).format
        except PolyprobeError:
            raise error from None
        found = f"this is a file of word vectors in the format {format_found}, without n-grams"
        expected = "a fastText model (.bin); encoder=static_vectors reads such a file"
        raise UnreadableVectors(path, found, expected) from error
