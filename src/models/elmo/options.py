"""The options of pretrained ELMo models, JSON files, and how these models see a word.

They see numbered bytes or characters between marks, and the marks of a sentence as words.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from polyprobe.errors import PolyprobeError
from polyprobe.models.elmo.network import ACTIVATIONS, ElmoSizes

Kind = TypeVar("Kind", bound=BaseModel)
_LARGEST = 100_000  # larger sizes are damage, and no memory holds them


class ForeignModel(PolyprobeError):
    """A file of a pretrained model is missing, damaged, or not what its format or its options require."""

    def __init__(self, path: Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}.")


_Size = Annotated[int, Field(ge=1, le=_LARGEST)]
_SizeOrZero = Annotated[int, Field(ge=0, le=_LARGEST)]
_Limit = Annotated[float, Field(gt=0)] | None


class _Options(BaseModel):
    model_config = ConfigDict(strict=True)


class LanguageModelOptions(_Options):
    """Of the language model, in both formats."""

    name: Literal["elmo"] = "elmo"
    projection_dim: _Size
    dim: _Size
    n_layers: _Size
    cell_clip: _Limit = None
    proj_clip: _Limit = None
    """Both: null or absent for no limit."""
    use_skip_connections: bool = False


class WordOptions(_Options):
    """Of the composition of words of characters, in both formats."""

    activation: Literal[*ACTIVATIONS]
    filters: Annotated[list[tuple[_Size, _Size]], Field(min_length=1)]
    """Width and number of features of each."""
    n_highway: _SizeOrZero
    max_characters_per_token: Annotated[int, Field(ge=3, le=_LARGEST)]
    """Two positions are for the marks of the begin and the end of a word."""

    @property
    def longest(self) -> int:
        """How many characters of a word are read."""
        return self.max_characters_per_token - 2

    @model_validator(mode="after")
    def _check_widths(self) -> Self:
        if max(width for width, _ in self.filters) > self.max_characters_per_token:
            raise ValueError(f"filters of at most {self.max_characters_per_token} characters")
        return self


def read_options(path: Path, kind: type[Kind]) -> Kind:
    """Reads a JSON file.

    Raises:
        ForeignModel: the file is missing, or a value is missing or of another kind; names the file and the key.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ForeignModel(path, "there is no such file", "the options of a model") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise ForeignModel(path, f"it has no {key}", "the options of a model") from None
        found = f"{key} is {json.dumps(first['input'])}" if key else "it is no JSON object"
        expected = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        raise ForeignModel(path, found, expected) from None


def sizes_of(words: WordOptions, language_model: LanguageModelOptions, **others: Any) -> ElmoSizes:
    """Returns the sizes of a model.

    Args:
        others: those that depend on the format.
    """
    return ElmoSizes(
        filters=tuple(words.filters),
        n_highways=words.n_highway,
        activation=words.activation,
        projection_size=language_model.projection_dim,
        hidden_size=language_model.dim,
        cell_clip=language_model.cell_clip,
        projection_clip=language_model.proj_clip,
        n_layers=language_model.n_layers,
        **others,
    )


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
