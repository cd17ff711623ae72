"""Tokenizes a sentence as running text and says which word each piece belongs to."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polyprobe.encoders.transformer.pieces import Pieces, tokenizing

_BLANKS = ("Ġ", "▁")


class TextPieces(Pieces):
    """A fast tokenizer that reads a text, and the word of each piece by its place in it.

        the officers love       a text
        the Ġoffic ers Ġlove    pieces: a blank belongs to the word after it
        0   1      1   2        words

    A piece that covers several words belongs to the first of them; where characters are the words (`of_characters`), or
    a word lies entirely in another word's piece, it is known which the last one is. A word of which the tokenizer keeps
    nothing has the unknown piece.

    Attributes:
        beginning, end: ids of these special tokens; None where it has none.
        joins_first: whether the first word of a text has the pieces that it would have after a blank.
    """

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.beginning, self.end = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        twice = self.backend.encode("a a", add_special_tokens=False).ids
        self.joins_first = twice[: len(twice) // 2] == twice[len(twice) // 2 :]

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[np.ndarray, ...] | None]:
        """Yields ids and words of the pieces of each sentence, `[pieces]` int64 both, words ascending.

        Where words lie entirely in another word's piece, the last of them for each piece comes third. Yields None for a
        sentence with a word that no piece covers, if the tokenizer has no unknown piece.
        """
        for words, (ids, owners, ends) in zip(sentences, self.of_texts(sentences), strict=True):
            yield self._with_unknown(ids, owners, ends, words)

    def of_characters(
        self, sentences: Sequence[Sequence[str]]
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray] | None]:
        """Yields ids, first and last characters of the pieces of sentences whose words are characters, without blanks
        between them: `[pieces]` int64 each.

        Yields None for a sentence with a character that no piece covers, if the tokenizer has no unknown piece.
        """
        texts = ["".join(words) for words in sentences]
        with tokenizing(self.folder):
            encodings = self.backend.encode_batch(texts, add_special_tokens=False)
        for text, encoding in zip(texts, encodings, strict=True):
            *read, missing = self._over_characters(encoding, text)
            yield None if len(missing) and self.unknown is None else tuple(read)

    def name(self, piece: int) -> str:
        """Returns a piece as the tokenizer writes it."""
        return self.backend.id_to_token(piece)

    def beginnings(self) -> np.ndarray | None:
        """Returns the ids of all pieces that begin a word, and of the end token; None where beginnings are not marked.

        Beginnings are marked by a blank: "Ġ" in byte-level tokenizers, "▁" in those of sentencepiece.
        """
        marks = tuple(piece[0] for piece in self.backend.encode("a a", add_special_tokens=False).tokens[1:])
        blanks = tuple(set(_BLANKS) & set(marks))
        if not blanks:
            return None
        marked = {number for piece, number in self.backend.get_vocab().items() if piece.startswith(blanks)}
        return np.array(sorted(marked | {self.end} - {None}), np.int64)

    def _with_unknown(
        self, ids: np.ndarray, owners: np.ndarray, ends: np.ndarray, words: Sequence[str]
    ) -> tuple[np.ndarray, ...] | None:
        """Adds the unknown piece to words that no piece covers, and finds words that lie in another one's piece.

        Args:
            ids, owners, ends: of each piece, with its word and where it ends in the text: int64 `[pieces]`.
        """
        missing = np.setdiff1d(np.arange(len(words)), owners)
        if not len(missing):
            return ids, owners
        starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])[missing]
        places = np.searchsorted(owners, missing)
        is_covered = np.append(ends, 0)[places - 1] > starts  # by the piece before; the 0 is for a first word
        lasts = owners.copy()
        np.maximum.at(lasts, places[is_covered] - 1, missing[is_covered])
        missing, places = missing[~is_covered], places[~is_covered]
        if len(missing) and self.unknown is None:
            return None
        known = (owners, lasts) if is_covered.any() else (owners,)
        return np.insert(ids, places, self.unknown or 0), *(np.insert(of, places, missing) for of in known)
