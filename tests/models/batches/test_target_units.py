"""How targets fall into units and are put together again."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from polyprobe.models.batches.target_units import END_ID, LEAST_PAIR_COUNT, UNKNOWN_ID, TargetUnits

LETTERS = "aäb</w>Ωß\u0301\u00a0\u0085😀"
words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=6)
sentences = st.lists(words, max_size=6)
texts = st.lists(sentences, min_size=1, max_size=8)


def pieces(units: TargetUnits, *sentence: str) -> list[str]:
    return [units.texts[number] for number in units.ids(sentence)]


def pair_counts(spelled: dict[tuple[str, ...], int]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for spelling, count in spelled.items():
        for pair in pairwise(spelling):
            counts[pair] += count
    return counts


def joined(spelling: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    found: list[str] = []
    rest = list(spelling)
    while rest:
        n = 2 if tuple(rest[:2]) == pair else 1
        found.append("".join(rest[:n]))
        del rest[:n]
    return tuple(found)


def test_the_most_frequent_pairs_are_merged():
    text = [["lower", "low"], ["low", "new", "lower"], ["new", "low"]]
    # "l o" occurs 5 times, "o w " 3 times, all others twice; then "lo w " 3 times.
    units = TargetUnits.learned(text, 2)
    assert units.merges == ("l o", "lo w ")
    assert pieces(units, "lower", "low", "low") == ["lo", "w", "e", "r ", "low ", "low "]


def test_a_pair_that_occurs_once_is_not_merged():
    assert TargetUnits.learned([["abc"], ["ab"]], 10).merges == ()
    assert TargetUnits.learned([["abc"], ["abd"]], 10).merges == ("a b",)


def test_no_more_merges_are_done_than_asked_for():
    text = [["aaaa", "aaab", "abab"] * 3]
    assert [len(TargetUnits.learned(text, n).merges) for n in range(4)] == [0, 1, 2, 3]


@given(texts, st.integers(0, 30))
def test_each_merge_is_of_a_pair_than_which_none_is_more_frequent(text, n_merges):
    spelled = {(*word[:-1], word[-1] + " "): n for word, n in Counter(word for one in text for word in one).items()}
    for merge in TargetUnits.learned(text, n_merges).merges:
        pair = tuple(merge.split(" ", 1))
        counts = pair_counts(spelled)
        assert counts[pair] == max(counts.values()) >= LEAST_PAIR_COUNT
        after: Counter[tuple[str, ...]] = Counter()
        for spelling, n in spelled.items():
            after[joined(spelling, pair)] += n
        spelled = dict(after)


@given(texts, st.integers(0, 30), st.data())
def test_every_sentence_of_known_characters_comes_back(text, n_merges, data):
    units = TargetUnits.learned(text, n_merges)
    sentence = (
        data.draw(st.lists(st.text(st.sampled_from(units.characters), min_size=1), max_size=5)) if text[0] else []
    )
    ids = units.ids(sentence)
    assert units.words(ids) == tuple(sentence)
    assert not {END_ID, UNKNOWN_ID} & set(ids.tolist())
    assert all(0 <= number < len(units) for number in ids)


@given(texts, st.integers(0, 30))
def test_units_are_built_again_from_their_settings(text, n_merges):
    for units in (TargetUnits.learned(text, n_merges), TargetUnits.whole_symbols(text)):
        again = TargetUnits(**json.loads(json.dumps(units.settings)))
        assert (again.texts, again.settings) == (units.texts, units.settings)
        for sentence in [*text, ["b", "unseen"]]:
            assert again.ids(sentence).tolist() == units.ids(sentence).tolist()


@given(texts)
def test_whole_symbols_are_not_divided(text):
    units = TargetUnits.whole_symbols(text)
    for sentence in text:
        assert len(units.ids(sentence)) == len(sentence)
        assert units.words(units.ids(sentence)) == tuple(sentence)


def test_an_unknown_symbol_is_one_unit():
    units = TargetUnits.whole_symbols([["(S", "(NP", "NN", ")NP", ")S"]])
    assert len(units) == 2 + 5
    assert units.ids(["(S", "(VP", "NN"]).tolist() == [2 + 1, UNKNOWN_ID, 2 + 4]
    assert units.words([3, UNKNOWN_ID, 6]) == ("(S", "<unk>", "NN")


def test_a_run_of_unknown_characters_is_one_unit():
    units = TargetUnits.learned([["ab", "ab"]], 1)
    assert units.texts == ("", "<unk> ", "a", "b", "a ", "b ", "ab ")
    assert units.ids(["aßßb", "aß", "ß"]).tolist() == [2, UNKNOWN_ID, 5, 2, UNKNOWN_ID, UNKNOWN_ID]
    assert units.words(units.ids(["aß", "ab"])) == ("a<unk>", "ab")


def test_a_character_of_the_middle_is_known_at_the_end():
    assert pieces(TargetUnits.learned([["ab"]], 0), "ba") == ["b", "a "]


def test_text_that_looks_like_the_end_of_a_word_is_text():
    units = TargetUnits.learned([["a</w>", "a</w>", "a", "<unk>", "<unk>"]], 20)
    sentence = ("a", "</w>", "a</w>a", "<unk>")
    assert units.words(units.ids(sentence)) == sentence
    assert UNKNOWN_ID not in units.ids(sentence)


def test_units_without_an_end_of_a_word_are_a_last_word():
    units = TargetUnits.learned([["ab"]], 0)
    assert units.words([2, 5, 2]) == ("ab", "a")
    assert units.words([]) == ()


def test_no_words_have_no_units():
    assert TargetUnits.learned([["a"]], 0).ids([]).shape == (0,)
    assert TargetUnits.learned([], 5).ids(["a"]).tolist() == [UNKNOWN_ID]


def test_units_are_the_same_in_another_process():
    units = TargetUnits.learned([["low", "lower"], ["low", "new"]], 3)
    again = pickle.loads(pickle.dumps(units))
    assert again.ids(["lowest", "new"]).tolist() == units.ids(["lowest", "new"]).tolist()


LEARN = """
import random, sys
from polyprobe.models.batches.target_units import TargetUnits
draw = random.Random(1)
text = [["".join(draw.choices("abcdefäöü", k=draw.randint(1, 7))) for _ in range(20)] for _ in range(300)]
print(TargetUnits.learned(text, 500).settings)
print([name for name in ("torch", "pytorch_lightning", "hydra") if name in sys.modules])
"""


def test_merges_do_not_depend_on_threads_or_hashes_and_need_no_torch():
    outputs = set()
    for threads, hashes in [("1", "1"), ("2", "2"), ("7", "3")]:
        environment = {**os.environ, "RAYON_NUM_THREADS": threads, "PYTHONHASHSEED": hashes}
        command = [sys.executable, "-c", LEARN]
        outputs.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(outputs) == 1
    assert outputs.pop().endswith("\n[]\n")
