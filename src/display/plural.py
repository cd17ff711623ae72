"""Counts with their nouns."""


def plural(n: int, noun: str) -> str:
    """Writes a count with its noun: "1 set", "2 sets", "0 sets"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
