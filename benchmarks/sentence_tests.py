"""All sentence-level tests of a synthetic UD treebank of a million words, with all features that tests ask for.

Sentences have 4 to 24 words of 60,000 stems, a few of them frequent; every fourth has a second clause. Files of 100,000
words; 100 sentences make a document. The run is a fresh process; imports are not timed.

Run: python -m benchmarks.sentence_tests --folder <a folder with 200 MB free>
"""

import random
from pathlib import Path

import numpy as np

from benchmarks.made_tests import MADE, counted, run

N_WORDS, N_STEMS, N_FILES, SENTENCES_OF_DOCUMENT = 1_000_000, 60_000, 10, 100
TREEBANK = "treebank"

NUMBERS = {"Sing": "", "Plur": "t"}
GENDERS, CASES = ("Masc", "Fem", "Neut"), {"Nom": "", "Gen": "n", "Acc": "m"}
TENSES, VOICES, ASPECTS = {"Past": "i", "Pres": "e"}, {"Act": "", "Pass": "tt", "Mid": "s"}, {"Perf": "", "Imp": "v"}
Row = tuple[str, str, str, str, int, str]  # form, lemma, UPOS, FEATS, HEAD, DEPREL


def universal_dependencies(folder: Path) -> np.ndarray:
    """Returns the number of tests that were written, and of their items."""
    from polyprobe.formats.reading.malformed import Refused
    from polyprobe.generation.made_tests.writing import Source
    from polyprobe.generation.sentence_level import SentenceTests, dependency_trees
    from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options

    sources = [Source(path) for path in sorted(folder.glob(f"{TREEBANK}*.conllu"))]
    analysis, options = dependency_trees("ru", "unicode"), sentence_options("treebanks", 1)
    return counted(SentenceTests(options, {"treebanks": sources}, Refused(), analysis).make(folder / MADE, None))


WAYS = {"from a UD treebank": universal_dependencies}


def _write_treebank(folder: Path) -> None:
    generator, sentence = random.Random(1), 0
    stems = _stems(generator)
    for number in range(N_FILES):
        n_words = 0
        with open(folder / f"{TREEBANK}_{number}.conllu", "w", encoding="utf-8") as file:
            while n_words < N_WORDS // N_FILES:
                if sentence % SENTENCES_OF_DOCUMENT == 0 or n_words == 0:
                    file.write(f"# newdoc id = d{sentence}\n")
                rows = _sentence(generator, stems)
                file.write(f"# sent_id = s{sentence}\n")
                for place, (form, lemma, upos, feats, head, relation) in enumerate(rows, start=1):
                    file.write(f"{place}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t_\n")
                file.write("\n")
                sentence, n_words = sentence + 1, n_words + len(rows)


def _stems(generator: random.Random) -> list[str]:
    return [
        "".join(
            generator.choice("ptkbdgmnslrvhj") + generator.choice("aeiouyäö") for _ in range(generator.randint(2, 5))
        )
        for _ in range(N_STEMS)
    ]


def _sentence(generator: random.Random, stems: list[str]) -> list[Row]:
    rows = _clause(generator, stems, 0, "root", 0)
    if generator.random() < 0.25:
        root = next(place for place, row in enumerate(rows, start=1) if row[-1] == "root")
        word, upos, mark, relation = generator.choice(
            (("ja", "CCONJ", "cc", "conj"), ("kun", "SCONJ", "mark", "advcl"))
        )
        second = _clause(generator, stems, len(rows) + 1, relation, root)
        verb = next(place for place, row in enumerate(second, start=len(rows) + 2) if row[-1] == relation)
        rows = [*rows, (word, word, upos, "_", verb, mark), *second]
    root = next(place for place, row in enumerate(rows, start=1) if row[-1] == "root")
    return [*rows, (".", ".", "PUNCT", "_", root, "punct")]


def _clause(generator: random.Random, stems: list[str], before: int, relation: str, head: int) -> list[Row]:
    """Makes a subject, a verb and an object; the words of the sentence before it are counted in heads."""
    phrases = [_phrase(generator, stems, case) for case in ("Nom", "Acc")]
    verb = before + len(phrases[0]) + 1
    subject, thing = (
        _attached(phrase, start, verb, role)
        for phrase, start, role in zip(phrases, (before, verb), ("nsubj", "obj"), strict=True)
    )
    return [*subject, _verb(generator, stems, head, relation), *thing]


def _phrase(generator: random.Random, stems: list[str], case: str) -> list[Row]:
    """Makes adjectives, a noun and perhaps its genitives; heads are places in the phrase, 0 is the noun's."""
    n_adjectives, n_genitives = generator.randint(0, 2), generator.randint(0, 2)
    noun = n_adjectives + 1
    adjectives = [
        (_stem(generator, stems) + "nen", "x", "ADJ", "Degree=Pos", noun, "amod") for _ in range(n_adjectives)
    ]
    genitives = [_noun(generator, stems, "Gen", noun + place, "nmod") for place in range(n_genitives)]
    return [*adjectives, _noun(generator, stems, case, 0, ""), *genitives]


def _attached(phrase: list[Row], start: int, verb: int, role: str) -> list[Row]:
    return [(*row[:4], start + row[4], row[5]) if row[4] else (*row[:4], verb, role) for row in phrase]


def _noun(generator: random.Random, stems: list[str], case: str, head: int, relation: str) -> Row:
    stem, number = _stem(generator, stems), generator.choice(tuple(NUMBERS))
    feats = f"Case={case}|Gender={GENDERS[len(stem) % 3]}|Number={number}"
    return stem + NUMBERS[number] + CASES[case], stem, "NOUN", feats, head, relation


def _verb(generator: random.Random, stems: list[str], head: int, relation: str) -> Row:
    stem = _stem(generator, stems) + "d"
    tense, voice, aspect = (generator.choice(tuple(values)) for values in (TENSES, VOICES, ASPECTS))
    form = stem + ASPECTS[aspect] + VOICES[voice] + TENSES[tense]
    return form, stem, "VERB", f"Aspect={aspect}|Tense={tense}|VerbForm=Fin|Voice={voice}", head, relation


def _stem(generator: random.Random, stems: list[str]) -> str:
    """Draws a stem; the first ones are drawn most often."""
    return stems[int(len(stems) ** generator.random()) - 1]


if __name__ == "__main__":
    run("benchmarks.sentence_tests", __doc__, WAYS, _write_treebank, [f"{TREEBANK}*.conllu"])
