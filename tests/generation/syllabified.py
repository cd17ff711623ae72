"""Syllabified lexica written for tests."""

from collections.abc import Iterable
from pathlib import Path


def write_lexicon(path: Path, words: Iterable[str], ends: str = "\n", start: str = "") -> Path:
    """Writes words as their syllables joined by hyphens (`a-ba`); each is a line of the lexicon."""
    rows = [f"{word.replace('-', '')}\t{word}\t1.00" for word in words]
    path.write_bytes((start + "".join(row + ends for row in rows)).encode("utf-8"))
    return path


def rule_made_words(n: int) -> list[str]:
    """Returns words of two syllables by rule, joined by hyphens, each once; the same every time."""
    onsets, nuclei, codas = "bdgklmnprstvyz", "aeıioöuü", ("", "", "n", "k", "r", "t")
    syllables = [onset + nucleus + coda for onset in onsets for nucleus in nuclei for coda in dict.fromkeys(codas)]
    pairs = ((start * 37 % len(syllables), (start * 101 + start // 7) % len(syllables)) for start in range(9 * n))
    return list(dict.fromkeys(f"{syllables[one]}-{syllables[other]}" for one, other in pairs))[:n]
