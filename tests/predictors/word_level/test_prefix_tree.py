"""A tree of shared prefixes gives the numbers of every sentence alone, and runs each prefix once."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.batches.text_vocabulary import END_ID
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor, prefix_log_probabilities
from polyprobe.predictors.word_level.predictor import IdRows, WordOptions, distinct_rows
from tests.predictors.plain_scores import of_network
from tests.predictors.saved_run import MODEL

VOCABULARY = ("a", "b", "c")
MODEL_OF_THREE = build_model({**MODEL, "seed": 3}, {"words": list(VOCABULARY)}).eval()
sentences = st.lists(st.lists(st.sampled_from((*VOCABULARY, "ζ")), min_size=1, max_size=6).map(tuple), max_size=30)
options = st.fixed_dictionaries({
    "start": st.booleans(), "first": st.booleans(), "end": st.booleans(),
    "unknown": st.sampled_from(["scored", "left_out"]),
})  # fmt: skip


def rows_of(*lists: list[int]) -> IdRows:
    return IdRows(np.array([one for row in lists for one in row], np.int32), np.cumsum([len(row) for row in lists]))


def as_lists(rows: IdRows) -> list[list[int]]:
    return [one.tolist() for one in np.split(rows.ids, rows.ends[:-1])]


@given(sentences, options, st.integers(2, 12))
@settings(max_examples=25, deadline=None)
def test_answers_are_those_of_a_full_softmax_at_every_position_of_each_sentence_alone(texts, chosen, block):
    chosen["first"] &= chosen["start"]
    predictor = LanguageModelPredictor("lstm", MODEL_OF_THREE, WordOptions(**chosen, split_off=[]), None, None)
    questions = [Question(text) for text in texts]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("polyprobe.predictors.word_level.in_memory.BLOCK_ROWS", block)
        answers = predictor.answer(questions, NothingKept())
    expected = [of_network(predictor, question) for question in questions]
    np.testing.assert_array_equal(np.diff(answers.ends, prepend=0), [len(one) for one in expected])
    np.testing.assert_allclose(answers.log_probabilities, [one for row in expected for one in row], atol=1e-5)


def test_a_prefix_is_run_once_and_only_where_something_goes_on_from_it(monkeypatch):
    network, run = MODEL_OF_THREE.network, []
    original = network.next_states
    monkeypatch.setattr(network, "next_states", lambda *given: run.extend(given[1].tolist()) or original(*given))
    prefix_log_probabilities(network, rows_of([2], [2, 3], [2, 3, 2], [2, 3, 4], [2, 4], [3]), start=True)
    assert run == [END_ID, 2, 3]


@given(st.lists(st.lists(st.integers(0, 300), min_size=1, max_size=5), max_size=40), st.integers(1, 9))
def test_blocks_are_the_sorted_distinct_rows_in_order(lists, n_rows):
    distinct, number_of = distinct_rows(rows_of(*lists))
    assert [as_lists(distinct)[number] for number in number_of] == lists
    blocks = list(distinct.blocks(n_rows))
    assert [row for block in blocks for row in as_lists(block)] == sorted(map(list, set(map(tuple, lists))))
    assert all(1 <= len(block) <= n_rows for block in blocks)


def test_a_block_ends_where_neighbours_share_the_least():
    rows = rows_of([1, 1, 1], [1, 1, 2], [1, 1, 3], [2, 1, 1], [2, 1, 2], [2, 2, 1])
    assert [as_lists(block)[0] for block in rows.blocks(4)] == [[1, 1, 1], [2, 1, 1]]


def test_the_probabilities_of_all_continuations_of_a_prefix_sum_to_one():
    n_words = len(MODEL_OF_THREE.vocabulary)
    rows = rows_of(*([2, 3, word] for word in range(n_words)))
    found = prefix_log_probabilities(MODEL_OF_THREE.network, rows, start=True)
    assert np.exp(found[rows.ends - 1].astype(np.float64)).sum() == pytest.approx(1, abs=1e-6)


def test_long_and_short_sentences_do_not_disturb_each_other():
    model = MODEL_OF_THREE
    predictor = LanguageModelPredictor(
        "lstm", model, WordOptions(start=True, first=True, end=True, unknown="scored", split_off=[]), None, None
    )
    questions = [Question(("a",)), Question(("b", "c") * 400), Question(("a", "b"))]
    answers = predictor.answer(questions, NothingKept())
    expected = [of_network(predictor, question) for question in questions]
    np.testing.assert_allclose(answers.log_probabilities, [one for row in expected for one in row], atol=1e-5)


def test_a_model_that_is_being_trained_stays_so():
    model = build_model({**MODEL, "seed": 1}, {"words": list(VOCABULARY)}).train()
    predictor = LanguageModelPredictor(
        "lstm", model, WordOptions(start=True, first=True, end=False, unknown="scored", split_off=[]), None, None
    )
    one, other = (predictor.answer([Question(("a", "b", "c"))], NothingKept()) for _ in range(2))
    np.testing.assert_array_equal(one.log_probabilities, other.log_probabilities)  # no dropout
    assert model.training
    assert torch.is_grad_enabled()
