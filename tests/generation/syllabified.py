"""Syllabified lexica written for tests."""

from collections.abc import Iterable
from pathlib import Path


def write_lexicon(path: Path, words: Iterable[str], ends: str = "\n", start: str = "") -> Path:
    """Writes words as their syllables joined by hyphens (`a-ba`); each is a line of the lexicon."""
    rows = [f"{word.replace('-', '')}\t{word}\t1.00" for word in words]
    path.write_bytes((start + "".join(row + ends for row in rows)).encode("utf-8"))
    return path
