"""The lexica of the miniature Turkish, in the layouts in which those of other languages are published.

An inflection table (UniMorph) and words with their syllables (Wuggy) have the whole inventory; frequencies are those of
a text of generated sentences.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from src.formats.lexica import unimorph, wuggy_lexicon
from src.formats.lexica.unimorph import Triple
from src.formats.lexica.wuggy_lexicon import SyllabifiedWord
from src.formats.reading.case import lower_cased
from src.formats.reading.lines import write_lines
from src.frequency import by_frequency
from src.generation.mini.paradigms import inventory
from src.generation.mini.phonology import syllables
from src.generation.mini.trees import TaggedSentence


def counted_words(sentences: Iterable[TaggedSentence]) -> Counter[str]:
    """Counts the words of a text in lower case; punctuation is no word."""
    words = (word.form for sentence in sentences for word in sentence.words if word.upos != "PUNCT")
    return Counter(lower_cased(word, "turkish") for word in words)


def write_inflection_table(path: Path) -> None:
    """Writes every form of the inventory with lemma and bundle."""
    path.parent.mkdir(parents=True)
    triples = enumerate(inventory(), start=1)
    unimorph.write((Triple(line, entry.lemma, entry.form, entry.bundle) for line, entry in triples), path)


def write_frequency_list(words: Counter[str], path: Path) -> None:
    """Writes words with their counts, the most frequent first."""
    path.parent.mkdir(parents=True)
    write_lines((f"{word} {words[word]}" for word in by_frequency(words)), path)


def write_syllabified_words(words: Counter[str], path: Path) -> None:
    """Writes every form of the inventory once, with its syllables and its frequency; most do not occur in the text."""
    path.parent.mkdir(parents=True)
    forms = dict.fromkeys(entry.form for entry in inventory())
    millions = words.total() / 1_000_000
    rows = (
        SyllabifiedWord(line, form, syllables(form), f"{words[form] / millions:.2f}")
        for line, form in enumerate(forms, start=1)
    )
    wuggy_lexicon.write(rows, path)
