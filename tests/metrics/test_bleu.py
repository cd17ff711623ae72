"""BLEU worked out by hand, against counting all n-grams, and of a corpus in parts."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.metrics.bleu import N_COUNTS, bleu, bleu_counts, bleu_scores
from polyprobe.metrics.generation import CountSums

CAT = ["the", "cat", "sat", "on", "the", "mat"]
words = st.lists(st.sampled_from(["a", "b", "a\u00a0b", "\u0085", "c"]), max_size=9)
corpora = st.lists(st.tuples(words, words, words), min_size=1, max_size=8)


def ngrams(sentence: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sentence[start : start + n]) for start in range(len(sentence) - n + 1))


def brute_force(generated: list[str], references: list[list[str]]) -> list[int]:
    closest = min((len(one) for one in references), key=lambda length: (abs(length - len(generated)), length))
    right, total = [], []
    for n in (1, 2, 3, 4):
        most = Counter()
        for one in references:
            most |= ngrams(one, n)
        found = ngrams(generated, n)
        right.append((found & most).total())
        total.append(found.total())
    return [len(generated), closest, *right, *total]


def test_a_sentence_is_scored_as_by_hand():
    counts = bleu_counts([["the", "cat", "sat", "on", "mat"]], [CAT])
    assert counts.tolist() == [[5, 6, 5, 3, 2, 1, 5, 4, 3, 2]]
    assert bleu(counts.sum(0)) == pytest.approx(math.exp(1 - 6 / 5) * (5 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))


def test_a_repeated_word_is_right_as_often_as_the_reference_has_it():
    assert bleu_counts([["the"] * 4], [CAT])[0].tolist() == [4, 6, 2, 0, 0, 0, 4, 3, 2, 1]


def test_no_right_4gram_is_0():
    assert bleu(bleu_counts([["the", "cat", "sat"]], [["the", "cat", "sat"]]).sum(0)) == 0


def test_of_two_references_equally_close_the_shorter_one_counts():
    assert bleu_counts([["a"] * 3], [["a"] * 4], [["b"] * 2])[0].tolist()[:2] == [3, 2]


@given(corpora)
def test_counts_equal_those_of_all_ngrams(corpus):
    generated, first, second = zip(*corpus, strict=True)
    expected = [brute_force(one, [others]) for one, others in zip(generated, first, strict=True)]
    assert bleu_counts(generated, first).tolist() == expected
    expected = [brute_force(one, list(others)) for one, *others in corpus]
    assert bleu_counts(generated, first, second).tolist() == expected


@given(corpora, st.data())
def test_any_split_of_a_corpus_over_processes_and_batches_has_its_score(corpus, data):
    generated, gold, _ = zip(*corpus, strict=True)
    places = data.draw(st.lists(st.integers(0, 2), min_size=len(corpus), max_size=len(corpus)))
    processes = [CountSums(bleu=N_COUNTS) for _ in range(3)]
    for process in processes:
        process.update()  # one may have no sentence
    for process, one, other in zip(places, generated, gold, strict=True):
        processes[process].update(bleu=bleu_counts([one], [other]).sum(0))
    sums = sum(process.compute()["bleu"] for process in processes)
    assert bleu(sums) == bleu(bleu_counts(generated, gold).sum(0))


def test_the_score_lies_in_its_interval_and_rests_on_sentences():
    generator = np.random.default_rng(1)
    gold = [generator.choice(list("abcd"), size=12).tolist() for _ in range(60)]
    generated = [[*one[:8], *generator.choice(list("abcd"), size=4)] for one in gold]
    (score,) = bleu_scores(gold, generated)
    assert (score.metric, score.n) == ("bleu", 60)
    assert score.value == bleu(bleu_counts(generated, gold).sum(0))
    assert score.interval_low < score.value < score.interval_high
    assert bleu_scores(gold, generated) == [score]


def test_right_sentences_have_a_score_of_1_without_an_interval_and_no_sentence_has_none():
    (score,) = bleu_scores([CAT] * 3, [CAT] * 3)
    assert (score.value, score.interval_low, score.interval_high) == (1, None, None)
    assert bleu_scores([], []) == []


def test_fewer_sentences_than_references_are_refused():
    with pytest.raises(ValueError, match="longer"):
        bleu_counts([CAT], [CAT, CAT])
