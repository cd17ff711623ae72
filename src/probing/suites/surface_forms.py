"""What a memoriser knows an example by, and what a reader does."""

from src.items import Form, Item, TokenInContext
from src.probing.suites.tests import Examples


def inputs(examples: Examples) -> list[tuple[str, ...]]:
    """Returns what an example is without its context: its form, its forms, its token's form, or its words."""
    return [tuple(_surface(item) for item in items) for items in examples.items]


def inputs_in_words(examples: Examples) -> list[str]:
    """Writes each example for a reader: forms of a pair with a tab, a token with its sentence and 0-based index."""
    return ["\t".join(_written(item) for item in items) for items in examples.items]


def _surface(item: Item) -> str:
    if isinstance(item, Form):
        return item.form
    return item.words[item.index] if isinstance(item, TokenInContext) else " ".join(item.words)


def _written(item: Item) -> str:
    if isinstance(item, TokenInContext):
        return f"{' '.join(item.words)}\t{item.index}"
    return _surface(item)
