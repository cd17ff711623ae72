"""Probing sets of whole sentences of the miniature Turkish, in the manner of SentEval (Conneau et al. 2018).

sentence_length, tree_depth (of the dependency tree, the root counts 1), bigram_shift (I: two neighbours have changed
places; neither is the first word or punctuation), past_present and subj_number (of the main clause), word_content
(which of some frequent nouns the sentence has, by lemma). Unlike there, the corpus is small: past_present and
subj_number share words between splits, and lengths and depths are not balanced. Splits share no sentence.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from src.frequency import by_frequency
from src.generation.mini.data_files import probing_settings
from src.generation.mini.sentences import Splits
from src.generation.mini.trees import TaggedSentence, Word

Row = tuple[str, str, str]  # partition, label, sentence with blanks between its words
PARTITIONS = {"train": "tr", "dev": "va", "test": "te"}


def sentence_level_sets(sentences: Splits, seed: int) -> Mapping[str, Sequence[Row]]:
    """Makes the sets: for each test the rows of all splits, train first."""
    content_words = _content_words(sentences["train"])
    sets: dict[str, list[Row]] = {}
    for split, partition in PARTITIONS.items():
        generator, n_rows = random.Random(f"sentence sets {split} {seed}"), probing_settings()["rows"][split]
        for test, rows in _rows(generator, sentences[split], content_words).items():
            drawn = generator.sample(rows, min(n_rows, len(rows)))
            sets.setdefault(test, []).extend((partition, label, text) for label, text in drawn)
    return sets


def shifted(forms: Sequence[str], position: int) -> tuple[str, ...]:
    """Swaps the words at a position and after it."""
    return (*forms[:position], forms[position + 1], forms[position], *forms[position + 2 :])


def _rows(
    generator: random.Random, sentences: Sequence[TaggedSentence], content_words: frozenset[str]
) -> Mapping[str, list[tuple[str, str]]]:
    def labelled(label: Callable[[TaggedSentence], str | None]) -> list[tuple[str, str]]:
        pairs = ((label(sentence), " ".join(sentence.forms)) for sentence in sentences)
        return [(name, text) for name, text in pairs if name is not None]

    return {
        "sentence_length": labelled(_length_bin),
        "tree_depth": labelled(lambda sentence: str(_depth(sentence))),
        "bigram_shift": _bigram_rows(generator, sentences),
        "past_present": _balanced(generator, labelled(_tense)),
        "subj_number": _balanced(generator, labelled(_subject_number)),
        "word_content": labelled(lambda sentence: _only_one(content_words, sentence)),
    }


def _length_bin(sentence: TaggedSentence) -> str:
    return str(sum(len(sentence.words) > bound for bound in probing_settings()["sentence"]["length_bounds"]))


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
        words = shifted(forms, generator.choice(positions)) if number % 2 else forms
        rows.append(("I" if number % 2 else "O", " ".join(words)))
    return rows


def _places(words: Sequence[Word]) -> list[int]:
    def movable(word: Word) -> bool:
        return word.upos != "PUNCT"

    inner = range(1, len(words) - 1)
    return [n for n in inner if movable(words[n]) and movable(words[n + 1]) and words[n].form != words[n + 1].form]


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


def _content_words(sentences: Iterable[TaggedSentence]) -> frozenset[str]:
    counts = Counter(word.lemma for sentence in sentences for word in sentence.words if word.upos == "NOUN")
    ranked = by_frequency(counts)
    return frozenset(ranked[: probing_settings()["sentence"]["content_words"]])


def _balanced(generator: random.Random, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Draws as many rows of every label as the rarest has."""
    rows_of: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        rows_of.setdefault(row[0], []).append(row)
    n_each = min(map(len, rows_of.values()))
    return [row for label in sorted(rows_of) for row in generator.sample(rows_of[label], n_each)]
