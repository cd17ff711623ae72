"""All type-level tests of a synthetic lexicon as large as the Finnish of UniMorph: 2.5 million forms of 57,000 lemmas.

Nouns have 15 cases in two numbers, verbs five moods and tenses with six persons, two polarities and two voices; a
noun's stem is now and then that of another, so that forms are repeated and ambiguous. Half a million of the forms are
frequent words. Each way runs in a fresh process; imports are not timed.

Run: python -m benchmarks.type_level_tests --folder <a folder with 300 MB free>
"""

import argparse
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.fresh_process import measured, run_way

N_TRIPLES, N_WORDS = 2_500_000, 500_000
LEXICON, WORDS, MADE = "lexicon.tsv", "words.txt", "made"
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
    from src.formats.reading.malformed import Refused
    from src.generation.made_tests.outcomes import Written
    from src.generation.made_tests.sources import Source
    from src.generation.type_level import make_type_level_tests
    from src.generation.type_tests.type_level_options import options_of

    options = options_of(rules, "fi", 1, split=split)
    sources = [Source(folder / LEXICON)], Source(folder / WORDS)
    found = make_type_level_tests(*sources, folder / MADE, options, None, Refused())
    sizes = [sum(one.statistics["items"].values()) for one in found if isinstance(one, Written)]
    return np.array([len(sizes), sum(sizes)])


def main() -> None:
    arguments = _arguments()
    folder = arguments.folder
    if arguments.way:
        from src.generation import type_level  # noqa: F401  (imported before the clock starts)

        run_way(WAYS, arguments.way, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _write_lexicon(folder)
        results = measured("benchmarks.type_level_tests", dict.fromkeys(WAYS, arguments.repetitions), folder)
    finally:
        shutil.rmtree(folder / MADE, ignore_errors=True)
        for file in (folder / LEXICON, folder / WORDS, *folder.glob("*.npy")):
            file.unlink(missing_ok=True)
    for name, taken in results.items():
        tests, items = taken.vectors
        what = f"{tests} tests, {items:,} items"
        print(f"{name:36} {what}: {taken.wall:.1f} s, CPU {taken.cpu:.1f} s, {taken.peak:,.0f} MiB")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the files are made")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


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
    main()
