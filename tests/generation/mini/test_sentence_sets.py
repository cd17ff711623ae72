"""Sentence-level probing sets of the miniature Turkish: labels, shares, and splits that share no sentence."""

from collections import Counter

import pytest

from polyprobe.generation.mini.probing_sets import sentence_level_sets
from polyprobe.generation.mini.sentences import sentences_by_split

LABELS = {
    "sentence_length": set("012345"),
    "tree_depth": set("234"),
    "bigram_shift": {"I", "O"},
    "past_present": {"PAST", "PRES"},
    "subj_number": {"NN", "NNS"},
}


@pytest.fixture(scope="module")
def sentences():
    return sentences_by_split(seed=3)


@pytest.fixture(scope="module")
def sets(sentences):
    return sentence_level_sets(sentences, seed=3)


@pytest.fixture(scope="module")
def analysed(sentences):
    return {" ".join(one.forms): one for split in sentences.values() for one in split}


def test_every_set_has_its_labels_in_every_split(sets):
    assert set(sets) == {*LABELS, "word_content"}
    for test, labels in LABELS.items():
        for partition in ("tr", "va", "te"):
            assert {row[1] for row in sets[test] if row[0] == partition} == labels, (test, partition)
    assert len({label for _, label, _ in sets["word_content"]}) == 20


def test_every_set_has_at_least_300_train_and_80_test_rows(sets):
    for test, rows in sets.items():
        counts = Counter(row[0] for row in rows)
        assert (counts["tr"] >= 300, counts["va"] >= 80, counts["te"] >= 80) == (True, True, True), test


def test_splits_share_no_sentence(sets):
    words = {}
    for test, rows in sets.items():
        for partition, _, text in rows:
            words.setdefault(tuple(sorted(text.split(" "))), set()).add(partition)
        assert len({text for _, _, text in rows}) == len(rows), test
    assert sum(len(partitions) > 1 for partitions in words.values()) <= 0.01 * len(words)


def test_lengths_count_the_full_stop(sets):
    bins = {n: str(sum(n > bound for bound in (3, 4, 5, 7, 9))) for n in range(3, 13)}
    for _, label, text in sets["sentence_length"]:
        assert label == bins[len(text.split(" "))]


@pytest.mark.parametrize("test", ["past_present", "subj_number"])
def test_both_labels_are_equally_frequent(sets, test):
    for partition in ("tr", "va", "te"):
        first, second = Counter(row[1] for row in sets[test] if row[0] == partition).values()
        assert first == second


def test_tense_is_that_of_the_root(sets, analysed):
    for _, label, text in sets["past_present"]:
        root = next(word for word in analysed[text].words if word.head == 0)
        assert ("PST" in root.bundle.split(";")) == (label == "PAST")


def test_the_number_is_that_of_a_noun_that_is_the_subject(sets, analysed):
    for _, label, text in sets["subj_number"]:
        nouns = [word for word in analysed[text].words if word.relation == "nsubj" and word.upos == "NOUN"]
        assert ("PL" if label == "NNS" else "SG") in {code for noun in nouns for code in noun.bundle.split(";")}


def test_half_of_the_sentences_are_shifted_and_the_others_are_as_generated(sets, analysed):
    counts = Counter(label for _, label, _ in sets["bigram_shift"])
    assert abs(counts["I"] - counts["O"]) < 0.1 * counts.total()
    for _, label, text in sets["bigram_shift"]:
        assert label == "I" or text in analysed
        assert text.endswith(" .")


def test_the_word_content_is_the_only_one_of_the_words_in_the_sentence(sets, analysed):
    wanted = {label for _, label, _ in sets["word_content"]}
    for _, label, text in sets["word_content"]:
        lemmas = [word.lemma for word in analysed[text].words if word.upos == "NOUN" and word.lemma in wanted]
        assert lemmas == [label]
