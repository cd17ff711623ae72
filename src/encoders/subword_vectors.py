"""Vectors of subwords: pieces of a sentencepiece model, as BPEmb ships them."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import Layer, fingerprint, path_of
from polyprobe.encoders.base.word_encoder import WordEncoder, numbered
from polyprobe.errors import import_extra
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import absence
from polyprobe.formats.reading.case import Lowercase, case_rule
from polyprobe.formats.vectors.vector_rows import UnreadableVectors
from polyprobe.formats.vectors.word_vectors import opened
from polyprobe.section import checked

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

_VERSION = 1
_DIGIT = re.compile(r"\d")


class SubwordVectors(WordEncoder):
    """Averages the vectors of a word's pieces, as LINSPECTOR does with BPEmb's (section 4.2, GloVe-BPE).

    A word is lower-cased by the case rule, its digits become 0 if the vectors were trained so, and the model splits it
    into pieces by itself, as at the start of a text. A stretch that no piece covers has the vector of the unknown
    piece; so there are no unknown words. A word that the model's normalisation leaves empty (U+3000) has zeros. NFC and
    NFD spellings have the same vector where that normalisation joins them (sentencepiece's default, NFKC, does).

    The file of vectors is read once in each call of `encode`.

    Args:
        model: sentencepiece's (`….model`).
        path: the vectors of its pieces: word2vec text or binary, a row for every piece (a row <pad> may follow).
        normalise_digits: whether digits, those of Unicode, become 0.
        lowercase, dotless_i: see `case_rule`.

    Raises:
        UnreadableVectors: a file is not of its kind, or the two do not belong together.
        MalformedLine: see `opened`.
    """

    name_in_messages = "subword_vectors"

    @checked("encoder")
    def __init__(
        self, model: str | Path, path: str | Path, normalise_digits: bool, lowercase: Lowercase, dotless_i: bool
    ):
        self.case, self.normalise_digits = case_rule(lowercase, dotless_i), normalise_digits
        self.pieces = _loaded(path_of("encoder.model", model))
        self.file = opened(path_of("encoder.path", path), None)
        self.model_name = last_parts(path)
        self.layers = (Layer("subword_vectors", self.file.width),)
        self._check_rows(self.file.n_rows)
        of_model, of_vectors = file_digest(model), file_digest(path)
        files = {Path(model).name: of_model, Path(path).name: of_vectors}
        self.provenance = {"files": files, "vocabulary": len(self.pieces), "width": self.file.width}
        self.fingerprint = fingerprint(
            "subword_vectors",
            _VERSION,
            model=of_model,
            file=of_vectors,
            normalise_digits=normalise_digits,
            case=self.case,
        )

    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Returns `[words, width]`, float32, of distinct words."""
        from scipy.sparse import csr_array  # a finished run is shown again without it

        if self.normalise_digits:
            words = [_DIGIT.sub("0", word) for word in words]
        pieces_by_word = [[self.pieces.id_to_piece(id) for id in ids] for ids in self.pieces.encode(words)]
        row_of = numbered(piece for pieces in pieces_by_word for piece in pieces)
        owners = np.repeat(np.arange(len(words)), [len(pieces) for pieces in pieces_by_word])
        rows = [row_of[piece] for pieces in pieces_by_word for piece in pieces]
        counts = csr_array((np.ones(len(rows)), (owners, rows)), (len(words), len(row_of)))
        sums = counts @ self._piece_vectors(list(row_of))
        return (sums / np.maximum(counts.sum(axis=1), 1)[:, None]).astype(np.float32)

    def _piece_vectors(self, pieces: list[str]) -> np.ndarray:
        """Returns `[pieces, width]`, float32; looked up by name, so that the order of rows does not matter."""
        there = self.file.read_wanted(pieces)
        self._check_rows(there.n_rows)
        row_of = {piece: row for row, piece in enumerate(there.words)}
        absent = [piece for piece in pieces if piece not in row_of]
        if absent:
            raise UnreadableVectors(
                self.file.path, f'it has no row for the piece "{absent[0]}"', "a row for each piece"
            )
        return there.vectors[[row_of[piece] for piece in pieces]]

    def _check_rows(self, n_rows: int | None) -> None:
        n_pieces = len(self.pieces)
        if n_rows not in (None, n_pieces, n_pieces + 1):
            found = f"it has {n_rows} rows, but the model has {n_pieces} pieces"
            raise UnreadableVectors(self.file.path, found, "a row for each piece, and at most one more, <pad>")


def _loaded(path: Path) -> "SentencePieceProcessor":
    sentencepiece = import_extra("sentencepiece", "pieces")
    if not path.is_file():
        raise UnreadableVectors(path, absence(path), "a sentencepiece model")
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except RuntimeError as error:
        raise UnreadableVectors(path, "sentencepiece cannot read it", "a sentencepiece model (.model)") from error
