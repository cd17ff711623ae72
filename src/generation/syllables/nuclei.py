"""Onset, nucleus and coda of written syllables, by the nuclei of a language.

    akşam   ak-şam      ("", "a", "k"), ("ş", "a", "m")

The nuclei stand in `nuclei.yaml`, which says how they are read.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml

from src.errors import UnknownChoice
from src.generation.syllables import by_vowels

GENERAL = "general"
Parts = tuple[str, str, str]
Split = Callable[[str], Parts]
_TABLE = Path(__file__).with_suffix(".yaml")


def languages() -> list[str]:
    """Returns the names and codes of the languages that have nuclei, and `general`."""
    return sorted({*_nuclei_by_language(), GENERAL})


def nuclei(language: str) -> list[str]:
    """Returns the nuclei of a language by its name or code, regular expressions in the order in which they are tried.

    Raises:
        UnknownChoice: the language has none here.
    """
    known = _nuclei_by_language()
    if language not in known:
        raise UnknownChoice("nuclei of language", language, languages())
    return known[language].split()


def splitter(language: str) -> Split:
    """Builds the function that splits a syllable into onset, nucleus and coda.

    The leftmost nucleus counts. Any part but the nucleus may be empty; a syllable without nucleus is an onset alone.

    Args:
        language: a name (`turkish`) or code (`tr`) of the table, `german_released` for the released list without u, or
            `general`: the nucleus is the first run of vowels of `src.generation.syllables.by_vowels`.

    Raises:
        UnknownChoice: the language has no nuclei here.
    """
    if language == GENERAL:
        return by_vowels.parts
    pattern = re.compile(f"(.*?)({'|'.join(nuclei(language))})(.*)")

    def split(syllable: str) -> Parts:
        match = pattern.match(syllable)
        return match.groups() if match else (syllable, "", "")

    return split


@cache
def _nuclei_by_language() -> dict[str, str]:
    table = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))
    return {key: row["nuclei"] for name, row in table.items() for key in (name, row["code"])}
