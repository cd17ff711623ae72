"""How ELMo models see a word: numbered bytes or characters between marks, and the marks of a sentence as words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_BYTES = 256
_BEGIN_OF_SENTENCE, _END_OF_SENTENCE, _BEGIN_OF_WORD, _END_OF_WORD, _PADDING = range(_BYTES, _BYTES + 5)


@dataclass(frozen=True)
class Spelling:
    """The table by which words become numbers.

    A word is `opening`, its characters, `closing`, then padding; the marks of a sentence's begin and end are words of
    one character. Words of a text never count as marks, however they are spelled.

    Attributes:
        character_ids: of every known character; None: the bytes of UTF-8 are the ids.
        unknown: id of a character that is not known.
        opening, closing, padding: ids around the characters.
        sentence_marks: character ids of the begin and the end of a sentence.
        longest: characters that are read of a word; the rest is cut off.
        word_ids: of whole words; None where the model has no table of words.
        unknown_word: id of a word that is not known.
        word_marks: word ids of the begin and the end of a sentence.
    """

    character_ids: Mapping[str, int] | None
    unknown: int
    opening: int
    closing: int
    padding: int
    sentence_marks: tuple[int, int]
    longest: int
    word_ids: Mapping[str, int] | None
    unknown_word: int
    word_marks: tuple[int, int]

    def spelled(self, words: Sequence[str]) -> tuple[list[list[int]], np.ndarray]:
        """Spells the two marks of a sentence, then the words.

        Returns:
            For each of `[2 + words]` the ids of its characters with its own marks, unpadded; and its word id, int64.
        """
        spelled = [[self.opening, mark, self.closing] for mark in self.sentence_marks]
        spelled += [[self.opening, *self._characters(word), self.closing] for word in words]
        return spelled, np.array([*self.word_marks, *self._word_ids(words)], np.int64)

    def padded(self, spelled: Sequence[Sequence[int]], widest: int) -> np.ndarray:
        """Returns character ids `[words, positions]`, int64, with as much padding as changes the maximum of a filter.

        The models pad to a fixed length. Windows of padding alone are all the same, so one of the widest filter's is
        enough: the longest word is followed by `widest` positions of padding, or by those up to the fixed length.
        """
        positions = min(max(map(len, spelled)) + widest, self.longest + 2)
        ids = np.full((len(spelled), positions), self.padding, np.int64)
        for row, characters in zip(ids, spelled, strict=True):
            row[: len(characters)] = characters
        return ids

    def _characters(self, word: str) -> Sequence[int]:
        if self.character_ids is None:
            return word.encode("utf-8", "surrogatepass")[: self.longest]
        return [self.character_ids.get(character, self.unknown) for character in word[: self.longest]]

    def _word_ids(self, words: Sequence[str]) -> Iterator[int]:
        """A word is looked up after it was cut, as in the released code."""
        for word in words:
            yield (self.word_ids or {}).get(word[: self.longest], self.unknown_word)


def utf8_spelling(longest: int) -> Spelling:
    """Returns the spelling of AllenNLP's models, which differ only in `longest`: bytes, and five ids for marks.

    The released code adds 1 to every id, so that 0 can mean a padded time step; here there are none.
    """
    return Spelling(
        character_ids=None,
        unknown=_PADDING,
        opening=_BEGIN_OF_WORD,
        closing=_END_OF_WORD,
        padding=_PADDING,
        sentence_marks=(_BEGIN_OF_SENTENCE, _END_OF_SENTENCE),
        longest=longest,
        word_ids=None,
        unknown_word=0,
        word_marks=(0, 0),
    )


N_UTF8_IDS = _PADDING + 1
