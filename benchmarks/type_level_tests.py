"""All type-level tests of a synthetic lexicon as large as the Finnish of UniMorph: 2.5 million forms of 57,000 lemmas.

Nouns have 15 cases in two numbers, verbs five moods and tenses with six persons, two polarities and two voices; a
noun's stem is now and then that of another, so that forms are repeated and ambiguous. Half a million of the forms are
frequent words. Each way runs in a fresh process; imports are not timed.

Run: python -m benchmarks.type_level_tests --folder <a folder with 300 MB free>
"""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.made_tests import MADE, counted, run

N_TRIPLES, N_WORDS = 2_500_000, 500_000
LEXICON, WORDS = "lexicon.tsv", "words.txt"
CASES = {
    **{"NOM": "", "GEN": "n", "PRT": "a", "IN+ESS": "ssa", "IN+ABL": "sta", "IN+ALL": "an", "AT+ESS": "lla"},
    **{"AT+ABL": "lta", "AT+ALL": "lle", "FRML": "na", "TRANS": "ksi", "INS": "in", "PRIV": "tta", "COM": "ne"},
    "ACC": "t",
}
TENSES = {"IND;PRS": "", "IND;PST": "i", "COND;PRS": "isi", "POT;PRS": "ne", "IMP;PRS": "k"}
PERSONS = {"1;SG": "n", "2;SG": "t", "3;SG": "v", "1;PL": "mme", "2;PL": "tte", "3;PL": "vat"}


def article(folder: Path) -> np.ndarray:
    return _made(folder, "article", "lemma")


def released(folder: Path) -> np.ndarray:
    return _made(folder, "released", "random")


WAYS = {"the article's rules, split by lemma": article, "the released rules, split at random": released}


def _made(folder: Path, rules: str, split: str) -> np.ndarray:
    """Returns the number of tests that were written, and of their items."""
    from polyprobe.formats.reading.malformed import Refused
    from polyprobe.generation.made_tests.writing import Source
    from polyprobe.generation.type_level import TypeLevelTests
    from polyprobe.generation.type_tests.type_level_options import options_of

    options = options_of(rules, "fi", 1, split=split)
    files = {"unimorph": [Source(folder / LEXICON)], "frequency": [Source(folder / WORDS)]}
    return counted(TypeLevelTests(options, files, Refused()).make(folder / MADE, None))


def _write_lexicon(folder: Path) -> None:
    generator, frequent = random.Random(1), []
    with open(folder / LEXICON, "w", encoding="utf-8") as file:
        for number, (lemma, form, bundle) in zip(range(N_TRIPLES), _triples(generator), strict=False):
            file.write(f"{lemma}\t{form}\t{bundle}\n")
            if number % (N_TRIPLES // N_WORDS) == 0:
                frequent.append(form)
    generator.shuffle(frequent)
    (folder / WORDS).write_text("\n".join(dict.fromkeys(frequent)) + "\n", encoding="utf-8")


def _triples(generator: random.Random) -> Iterator[tuple[str, str, str]]:
    while True:
        stem = "".join(
            generator.choice("ptkbdgmnslrvhj") + generator.choice("aeiouyäö") for _ in range(generator.randint(2, 5))
        )
        if generator.random() < 0.78:
            yield from (
                (stem, stem + mark + end, f"N;{case};{number}")
                for number, mark in (("SG", ""), ("PL", "i"))
                for case, end in CASES.items()
            )
        else:
            yield from (
                (stem, stem + mark + end + negation + passive, f"V;{voice};{polarity};{tense};{person}")
                for tense, mark in TENSES.items()
                for person, end in PERSONS.items()
                for polarity, negation in (("POS", ""), ("NEG", "ei"))
                for voice, passive in (("ACT", ""), ("PASS", "ttu"))
            )


if __name__ == "__main__":
    run("benchmarks.type_level_tests", __doc__, WAYS, _write_lexicon, [LEXICON, WORDS])
