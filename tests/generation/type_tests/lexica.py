"""Lexica for tests: the paradigms of the miniature Turkish as a UniMorph table with a frequency list."""

import functools
import tarfile
from pathlib import Path

from polyprobe.formats.reading.lines import write_lines
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.resources.mini_corpora import ARCHIVE


@functools.cache
def triples() -> tuple[tuple[str, str, str], ...]:
    """Lemma, form and bundle of the whole miniature Turkish."""
    with tarfile.open(ARCHIVE) as archive:
        text = archive.extractfile("unimorph/mini/mini.txt").read().decode()
    return tuple(tuple(line.split("\t")) for line in text.splitlines())


def write_lexicon(folder: Path, lemmas: int | None = None) -> tuple[Path, Path]:
    """Writes the paradigms of the first lemmas of each part of speech (all: None); every fourth form is frequent."""
    known: dict[str, dict[str, None]] = {}
    for lemma, _, bundle in triples():
        known.setdefault(bundle[0], {})[lemma] = None
    kept = {lemma for of_part in known.values() for lemma in list(of_part)[:lemmas]}
    rows = [row for row in triples() if row[0] in kept]
    write_lines(("\t".join(row) for row in rows), folder / "tur.txt")
    words = list(dict.fromkeys(form for _, form, _ in rows))[::4]
    write_lines((f"{word} {len(words) - rank}" for rank, word in enumerate(words)), folder / "words.txt")
    return folder / "tur.txt", folder / "words.txt"


def lexicon(folder: Path, options: TypeLevelOptions, lemmas: int | None = None) -> RankedLexicon:
    """Reads what `write_lexicon` writes."""
    unimorph, words = write_lexicon(folder, lemmas)
    return read_lexicon([unimorph], words, options, refuse)
