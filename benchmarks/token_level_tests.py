"""All token-level tests of a synthetic treebank of a million words with features of Universal Dependencies.

Sentences have 4 to 30 words: nouns of 15 cases in two numbers, adjectives that agree with them, verbs of six persons in
two tenses and two polarities, and a full stop; one word in thirty is a multiword token with the word before it, one
sentence in forty was there before. Each way runs in a fresh process; imports are not timed.

Run: python -m benchmarks.token_level_tests --folder <a folder with 200 MB free>
"""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.made_tests import MADE, counted, run

N_WORDS, N_STEMS = 1_000_000, 40_000
TREEBANK = "train.conllu"
CASES = {
    **{"Nom": "", "Gen": "n", "Par": "a", "Ine": "ssa", "Ela": "sta", "Ill": "an", "Ade": "lla", "Abl": "lta"},
    **{"All": "lle", "Ess": "na", "Tra": "ksi", "Ins": "in", "Abe": "tta", "Com": "ne", "Acc": "t"},
}
PERSONS = {("1", "Sing"): "n", ("2", "Sing"): "t", ("3", "Sing"): "v", ("1", "Plur"): "mme", ("3", "Plur"): "vat"}
Row = tuple[str, str, str, str]  # form, lemma, UPOS, FEATS


def article(folder: Path) -> np.ndarray:
    return _made(folder, "article", "sentence")


def released(folder: Path) -> np.ndarray:
    return _made(folder, "released", "random")


WAYS = {"the article's rules, split by sentence": article, "the released rules, split at random": released}


def _made(folder: Path, rules: str, split: str) -> np.ndarray:
    """Returns the number of tests that were written, and of their items."""
    from polyprobe.formats.reading.malformed import Refused
    from polyprobe.generation.made_tests.writing import Source
    from polyprobe.generation.token_level import TokenLevelTests
    from polyprobe.generation.token_tests.token_level_options import token_options_of

    options = token_options_of(rules, "fi", 1, split=split, tests_without_names="all", balance="labels")
    files = {"treebanks": [Source(folder / TREEBANK)]}
    return counted(TokenLevelTests(options, files, Refused()).make(folder / MADE, None))


def _write_treebank(folder: Path) -> None:
    generator = random.Random(1)
    stems = ["".join(generator.choices("ptkbdgmnslrvhjaeiouyäö", k=generator.randint(3, 9))) for _ in range(N_STEMS)]
    sentences: list[list[Row]] = []
    n_words = 0
    with open(folder / TREEBANK, "w", encoding="utf-8") as file:
        while n_words < N_WORDS:
            repeats = sentences and generator.random() < 1 / 40
            sentence = generator.choice(sentences) if repeats else list(_sentence(stems, generator))
            sentences += [] if repeats else [sentence]
            n_words += len(sentence)
            file.write(f"# sent_id = {n_words}\n{_lines(sentence, generator)}\n")


def _sentence(stems: list[str], generator: random.Random) -> Iterator[Row]:
    for _ in range(generator.randint(1, 9)):
        number, case = generator.choice(["Sing", "Plur"]), generator.choice(list(CASES))
        end, feats = ("i" if number == "Plur" else "") + CASES[case], f"Case={case}|Number={number}"
        for upos in ("ADJ", "NOUN") if generator.random() < 0.6 else ("NOUN",):
            stem = generator.choice(stems)
            yield stem + end, stem, upos, feats
        if generator.random() < 0.5:
            stem, (person, of_verb) = generator.choice(stems), generator.choice(list(PERSONS))
            tense, polarity = generator.choice(["Pres", "Past"]), generator.choice(["Neg", "Pos"])
            form = (
                stem + ("i" if tense == "Past" else "") + PERSONS[person, of_verb] + ("ei" if polarity == "Neg" else "")
            )
            feats = f"Mood=Ind|Number={of_verb}|Person={person}|Polarity={polarity}|Tense={tense}|VerbForm=Fin"
            yield form, stem, "VERB", feats
    yield ".", ".", "PUNCT", "_"


def _lines(sentence: list[Row], generator: random.Random) -> str:
    lines, covered = [], 0
    for number, (form, lemma, upos, feats) in enumerate(sentence, start=1):
        if number > covered and number < len(sentence) and generator.random() < 1 / 30:
            covered = number + 1
            lines.append(f"{number}-{covered}\t{form}{sentence[number][0]}" + "\t_" * 8)
        lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t_\t_\t_\t_")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run("benchmarks.token_level_tests", __doc__, WAYS, _write_treebank, [TREEBANK])
