"""Items: what an encoder turns into one vector."""

from dataclasses import dataclass


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


Item = Form | TokenInContext | Sentence


def sentence_of(item: Item) -> tuple[str, ...]:
    """Returns the sentence in which the item stands: a form is one of a single word."""
    return (item.form,) if isinstance(item, Form) else item.words


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
