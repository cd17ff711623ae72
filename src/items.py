"""Items: what an encoder turns into one vector."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Form:
    """A word form alone: `Form("taloissa")`."""

    form: str


@dataclass(frozen=True, slots=True)
class TokenInContext:
    """The word at `index` (0-based) of a sentence: `TokenInContext(("Talo", "paloi", "."), 0)`."""

    words: tuple[str, ...]
    index: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A whole sentence: `Sentence(("Talo", "paloi", "."))`."""

    words: tuple[str, ...]
    text: str | None = field(default=None, repr=False)
    """As it is written, where that is not its words with a blank between two."""


Item = Form | TokenInContext | Sentence


def sentence_of(item: Item) -> tuple[str, ...]:
    """Returns the sentence in which the item stands: a form is one of a single word."""
    return (item.form,) if isinstance(item, Form) else item.words


def text_of(sentence: Sentence) -> str:
    """Returns the sentence as it is written."""
    return " ".join(sentence.words) if sentence.text is None else sentence.text


def words_at(places: Sequence[int], words: Sequence[str]) -> list[int]:
    """Returns the word at each place of a text of words between blanks; a blank counts with the word after it."""
    ends = [end - 1 for end in accumulate(len(word) + 1 for word in words)]
    return [min(bisect_right(ends, place), len(words) - 1) for place in places]


def span_of(item: Item) -> tuple[int, int]:
    """Returns the half-open span of the item's words in its sentence."""
    if isinstance(item, Sentence):
        return 0, len(item.words)
    index = item.index if isinstance(item, TokenInContext) else 0
    return index, index + 1


def words_of(item: Item) -> tuple[str, ...]:
    """Returns the words whose mean vector stands for the item: one for a form or a token, all for a sentence."""
    if isinstance(item, Form):
        return (item.form,)
    return item.words if isinstance(item, Sentence) else (item.words[item.index],)
