"""Probing sets of the miniature Turkish that are made from its files like those of any language.

In the manner of LINSPECTOR, by the article's rules, with the sizes and tests of `data/probing_sets.yaml`. Type level:
splits share no lemma, and Possession has no class of the possessor 3.pl, for each of its forms has other readings
(evleri is also plural with 3.sg). Token level: splits share no sentence.

In the manner of SentEval, from constituency trees: TopConst, ObjNum, SOMO and CoordInv. The other tests of SentEval are
made in `src/generation/mini/probing_sets.py`. ObjNum is the smallest: an object has its number in most sentences, but
plural ones are few, and no form of a noun stands in two splits.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from polyprobe.formats.lexica import unimorph, wuggy_lexicon
from polyprobe.formats.lexica.unimorph import Triple
from polyprobe.formats.lexica.wuggy_lexicon import SyllabifiedWord
from polyprobe.formats.reading.case import lower_cased
from polyprobe.formats.reading.lines import write_lines
from polyprobe.formats.reading.malformed import refuse
from polyprobe.frequency import by_frequency
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import Maker, Written
from polyprobe.generation.mini.data_files import LANGUAGE, settings_of
from polyprobe.generation.mini.lexicon import inventory, syllables
from polyprobe.generation.mini.phrases import TaggedSentence, Word
from polyprobe.generation.mini.sentences import Splits
from polyprobe.generation.sentence_level import CONSTITUENCY_TREES, SentenceTests
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options, swapped
from polyprobe.generation.token_level import TokenLevelTests
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.generation.type_level import TypeLevelTests
from polyprobe.generation.type_tests.type_level_options import options_of

Row = tuple[str, str, str]  # partition, label, sentence with blanks between its words
PARTITIONS = {"train": "tr", "dev": "va", "test": "te"}
_RULES = "article"
_SET_BY_LANGUAGE = {"dotless_i": True}  # as in conf/lang/mini.yaml


def sentence_level_sets(sentences: Splits, seed: int) -> Mapping[str, Sequence[Row]]:
    """Makes the sets: for each test the rows of all splits, train first."""
    lemmas = Counter(word.lemma for one in sentences["train"] for word in one.words if word.upos == "NOUN")
    content_words = frozenset(by_frequency(lemmas)[: settings_of("probing_sets")["sentence"]["content_words"]])
    sets: dict[str, list[Row]] = {}
    for split, partition in PARTITIONS.items():
        generator, n_rows = random.Random(f"sentence sets {split} {seed}"), settings_of("probing_sets")["rows"][split]
        for test, rows in _rows(generator, sentences[split], content_words).items():
            drawn = generator.sample(rows, min(n_rows, len(rows)))
            sets.setdefault(test, []).extend((partition, label, text) for label, text in drawn)
    return sets


def _rows(
    generator: random.Random, sentences: Sequence[TaggedSentence], content_words: frozenset[str]
) -> Mapping[str, list[tuple[str, str]]]:
    def labelled(label: Callable[[TaggedSentence], str | None]) -> list[tuple[str, str]]:
        pairs = ((label(sentence), " ".join(sentence.forms)) for sentence in sentences)
        return [(name, text) for name, text in pairs if name is not None]

    bounds = settings_of("probing_sets")["sentence"]["length_bounds"]
    return {
        "sentence_length": labelled(lambda sentence: str(sum(len(sentence.words) > bound for bound in bounds))),
        "tree_depth": labelled(lambda sentence: str(_depth(sentence))),
        "bigram_shift": _bigram_rows(generator, sentences),
        "past_present": _balanced(generator, labelled(_tense)),
        "subj_number": _balanced(generator, labelled(_subject_number)),
        "word_content": labelled(lambda sentence: _only_one(content_words, sentence)),
    }


def _depth(sentence: TaggedSentence) -> int:
    heads = [word.head for word in sentence.words]

    def depth(index: int) -> int:
        return 1 if heads[index] == 0 else 1 + depth(heads[index] - 1)

    return max(map(depth, range(len(heads))))


def _bigram_rows(generator: random.Random, sentences: Sequence[TaggedSentence]) -> list[tuple[str, str]]:
    """Shifts every second of the sentences that have two words to swap."""
    places = [(sentence.forms, _places(sentence.words)) for sentence in sentences]
    rows = []
    for number, (forms, positions) in enumerate(pair for pair in places if pair[1]):
        words = swapped(forms, generator.choice(positions)) if number % 2 else forms
        rows.append(("I" if number % 2 else "O", " ".join(words)))
    return rows


def _places(words: Sequence[Word]) -> list[int]:
    pairs = enumerate(pairwise(words))
    return [n for n, (a, b) in pairs if n and "PUNCT" not in (a.upos, b.upos) and a.form != b.form]


def _tense(sentence: TaggedSentence) -> str | None:
    codes = next(word for word in sentence.words if word.head == 0).bundle.split(";")
    return "PAST" if "PST" in codes else "PRES" if "PRS" in codes else None


def _subject_number(sentence: TaggedSentence) -> str | None:
    """NN or NNS, of a noun that is the subject of the root; None if there is none."""
    root = next(number for number, word in enumerate(sentence.words, start=1) if word.head == 0)
    subjects = [word for word in sentence.words if (word.head, word.relation, word.upos) == (root, "nsubj", "NOUN")]
    if len(subjects) != 1:
        return None
    return "NNS" if "PL" in subjects[0].bundle.split(";") else "NN"


def _only_one(wanted: frozenset[str], sentence: TaggedSentence) -> str | None:
    found = [word.lemma for word in sentence.words if word.upos == "NOUN" and word.lemma in wanted]
    return found[0] if len(found) == 1 else None


def _balanced(generator: random.Random, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Draws as many rows of every label as the rarest has."""
    rows_of: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        rows_of.setdefault(row[0], []).append(row)
    n_each = min(map(len, rows_of.values()))
    return [row for label in sorted(rows_of) for row in generator.sample(rows_of[label], n_each)]


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


def write_type_level_sets(unimorph: Source, frequency: Source, folder: Path, seed: int) -> None:
    """Writes a folder for each test, from an inflection table and a frequency list."""
    items, settings = settings_of("probing_sets")["rows"], settings_of("probing_sets")["type"]
    changes = {"items": items, "same_feature_sample": settings["same_feature_sample"]}
    for balance, tests in settings["tests"].items():
        options = options_of(_RULES, LANGUAGE, seed, _SET_BY_LANGUAGE, balance=balance, **changes)
        files = {"unimorph": [unimorph], "frequency": [frequency]}
        _make_all(TypeLevelTests(options, files, refuse), folder, tests)


def write_token_level_sets(treebanks: Sequence[Source], folder: Path, seed: int) -> None:
    """Writes a folder for each test, from sentences with UniMorph bundles; where tokens are few, a smaller one."""
    settings = settings_of("probing_sets")
    changes = {"items": settings["rows"], "sizes": "scaled", "labels": "unimorph"}
    options = token_options_of(_RULES, LANGUAGE, seed, _SET_BY_LANGUAGE, **changes)
    maker = TokenLevelTests(options, {"treebanks": treebanks}, refuse)
    _make_all(maker, folder, settings["token"]["tests"])


def write_tree_level_sets(trees: Source, folder: Path, seed: int) -> None:
    """Writes a file for each test beside those that are there, and `about/`, from constituency trees."""
    settings = settings_of("probing_sets")["tree"]
    changes = {"items": settings_of("probing_sets")["rows"], "sizes": "scaled", **settings["options"]}
    options = sentence_options(CONSTITUENCY_TREES.name, seed, **changes)
    maker = SentenceTests(options, {CONSTITUENCY_TREES.name: [trees]}, refuse, CONSTITUENCY_TREES)
    _make_all(maker, folder, list(settings["tests"]))
    for test, name in settings["tests"].items():
        (folder / f"{test}.txt").rename(folder / f"{name}.txt")


def _make_all(maker: Maker, folder: Path, tests: Sequence[str]) -> None:
    for test in maker.make(folder, tests):
        assert isinstance(test, Written), test
