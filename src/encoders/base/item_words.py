"""The words of items: what an encoder of single words needs to know about them."""

from collections.abc import Iterable

from src.items import Form, Item, Sentence


def words_of(item: Item) -> tuple[str, ...]:
    """Returns the words whose mean vector stands for the item: one for a form or a token, all for a sentence."""
    if isinstance(item, Form):
        return (item.form,)
    return item.words if isinstance(item, Sentence) else (item.words[item.index],)


def numbered(words: Iterable[str]) -> dict[str, int]:
    """Numbers distinct words from 0 in the order of their first occurrence."""
    return {word: number for number, word in enumerate(dict.fromkeys(words))}
