"""Counts with their nouns."""


def plural(n: int, noun: str) -> str:
    """Writes a count with its noun, in the plural unless it is one.

    >>> [plural(n, "set") for n in (0, 1, 2)]
    ['0 sets', '1 set', '2 sets']
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
