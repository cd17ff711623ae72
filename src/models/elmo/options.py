"""The options of pretrained ELMo models, JSON files that are checked key by key, and how these models see a word.

They see numbered bytes or characters between marks, and the marks of a sentence as words.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.models.elmo.network import ACTIVATIONS, ElmoSizes

_ABSENT = object()
_LARGEST = 100_000  # larger sizes are damage, and no memory holds them


class ForeignModel(PolyprobeError):
    """A file of a pretrained model is missing, damaged, or not what its format or its options require."""

    def __init__(self, path: Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}.")


class Options:
    """A file of options; keys of nested objects are joined by dots ("lstm.dim").

    Args:
        content: of the file, or in place of it.

    Raises:
        ForeignModel: from every method, where a value is missing or of another kind; names the file and the key.
    """

    def __init__(self, path: Path, content: Mapping[str, Any]):
        self.path, self._content = path, content

    @classmethod
    def read(cls, path: Path) -> "Options":
        """Reads a JSON object.

        Raises:
            ForeignModel: the file is missing, or holds anything else.
        """
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise ForeignModel(path, "there is no such file", "the options of a model") from None
        except (ValueError, RecursionError) as error:
            raise ForeignModel(path, f"it is not JSON ({error})", "the options of a model") from error
        if not isinstance(content, dict):
            raise ForeignModel(path, "it does not hold a JSON object", "the options of a model")
        return cls(path, content)

    def integer(self, key: str, least: int) -> int:
        value = self._value(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
            raise self._bad(key, value, f"an integer, {least} to {_LARGEST}")
        return value

    def limit(self, key: str) -> float | None:
        """Returns a positive number, or None for null or an absent key: no limit."""
        value = self._value(key, None)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            raise self._bad(key, value, "a positive number, or null for no limit")
        return float(value)

    def text(self, key: str) -> str:
        value = self._value(key)
        if not isinstance(value, str) or not value:
            raise self._bad(key, value, "a text")
        return value

    def choice(self, key: str, known: Collection[str]) -> str:
        value = self._value(key)
        if not isinstance(value, str) or value not in known:
            raise self._bad(key, value, " or ".join(f'"{name}"' for name in known))
        return value

    def truth(self, key: str, otherwise: bool) -> bool:
        value = self._value(key, otherwise)
        if not isinstance(value, bool):
            raise self._bad(key, value, "true or false")
        return value

    def filters(self, key: str, longest: int) -> tuple[tuple[int, int], ...]:
        """Returns (width, count) of each filter, at least one; none is wider than `longest` characters."""
        value = self._value(key)
        if not isinstance(value, list) or not value or not all(_is_filter(pair, longest) for pair in value):
            raise self._bad(key, value, f"pairs of a width, 1 to {longest}, and a number of features")
        return tuple((width, count) for width, count in value)

    def _value(self, key: str, otherwise: Any = _ABSENT) -> Any:
        value: Any = self._content
        for part in key.split("."):
            value = value.get(part, _ABSENT) if isinstance(value, Mapping) else _ABSENT
        if value is not _ABSENT:
            return value
        if otherwise is _ABSENT:
            raise ForeignModel(self.path, f"it has no {key}", "the options of a model")
        return otherwise

    def _bad(self, key: str, value: object, expected: str) -> ForeignModel:
        return ForeignModel(self.path, f"{key} is {json.dumps(value)}", expected)


def sizes_of(options: Options, words: str, lstm: str, **others: Any) -> ElmoSizes:
    """Reads the options that have the same names in both formats.

    Args:
        words, lstm: the objects that describe the composition of words and the language model.
        others: the sizes that depend on the format.

    Raises:
        ForeignModel: see `Options`.
    """
    return ElmoSizes(
        filters=options.filters(f"{words}.filters", longest_word(options, words) + 2),
        n_highways=options.integer(f"{words}.n_highway", 0),
        activation=options.choice(f"{words}.activation", ACTIVATIONS),
        projection_size=options.integer(f"{lstm}.projection_dim", 1),
        hidden_size=options.integer(f"{lstm}.dim", 1),
        cell_clip=options.limit(f"{lstm}.cell_clip"),
        projection_clip=options.limit(f"{lstm}.proj_clip"),
        n_layers=options.integer(f"{lstm}.n_layers", 1),
        **others,
    )


def longest_word(options: Options, words: str) -> int:
    """Returns how many characters of a word are read: two positions are for the marks of its begin and end."""
    return options.integer(f"{words}.max_characters_per_token", 3) - 2


def _is_filter(pair: object, longest: int) -> bool:
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    if not all(isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= _LARGEST for number in pair):
        return False
    return pair[0] <= longest


_BYTES = 256
_BEGIN_OF_SENTENCE, _END_OF_SENTENCE, _BEGIN_OF_WORD, _END_OF_WORD, _PADDING = range(_BYTES, _BYTES + 5)


@dataclass(frozen=True)
class Spelling:
    """The table by which words become numbers.

    A word is `opening`, its characters, `closing`, then padding; the marks of a sentence's begin and end are words of
    one character. Words of a text never count as marks, however they are spelled.
    """

    character_ids: Mapping[str, int] | None
    """Of every known character; None: the bytes of UTF-8 are the ids."""
    unknown: int
    """Id of a character that is not known."""
    opening: int
    closing: int
    padding: int
    """All three: ids around the characters."""
    sentence_marks: tuple[int, int]
    """Character ids of the begin and the end of a sentence."""
    longest: int
    """Characters that are read of a word; the rest is cut off."""
    word_ids: Mapping[str, int] | None
    """Of whole words; None where the model has no table of words."""
    unknown_word: int
    """Id of a word that is not known."""
    word_marks: tuple[int, int]
    """Word ids of the begin and the end of a sentence."""

    def spelled(self, words: Sequence[str]) -> tuple[list[list[int]], np.ndarray]:
        """Spells the two marks of a sentence, then the words.

        Returns:
            For each of `[2 + words]` the ids of its characters with its own marks, unpadded; and its word id, int64.
        """
        spelled = [[self.opening, mark, self.closing] for mark in self.sentence_marks]
        cut, ids = [word[: self.longest] for word in words], self.character_ids
        if ids is None:
            characters = [word.encode("utf-8", "surrogatepass")[: self.longest] for word in words]
        else:
            characters = [[ids.get(character, self.unknown) for character in word] for word in cut]
        spelled += [[self.opening, *of_word, self.closing] for of_word in characters]
        # A word is looked up after it was cut, as in the released code.
        word_ids = ((self.word_ids or {}).get(word, self.unknown_word) for word in cut)
        return spelled, np.array([*self.word_marks, *word_ids], np.int64)

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
