"""Frozen vectors with and without learned offsets, on numbers small enough to check by hand."""

import numpy as np
import pytest
import torch

from polyprobe.models.inputs.frozen_vectors import FrozenVectors


class Numbers:
    """A source whose vector of the word number n is (n, -n)."""

    fingerprint = "numbers"

    def __init__(self):
        self.words = []

    def meet(self, sentences):
        self.words += [word for words in sentences for word in words if word not in self.words]

    def numbers(self, words):
        self.meet([words])
        return np.array([self.words.index(word) for word in words])

    def vectors(self, numbers):
        return np.stack([numbers, -numbers], axis=1).astype(np.float32)

    def known(self, words):
        return None


def reader(tuned=(), case="kept") -> FrozenVectors:
    made = FrozenVectors(2, False, "numbers", list(tuned), case)
    made.initialise(torch.Generator().manual_seed(1))
    made.attach(Numbers())
    return made


def vectors(made: FrozenVectors, *sentences):
    batch = made.coder.batch([made.coder.numbers(words) for words in sentences])
    return made(batch)[batch.input_of_cell]


def test_a_cell_has_the_vector_of_its_word_and_each_distinct_word_stands_once():
    made = reader()
    batch = made.coder.batch([made.coder.numbers(words) for words in [("a", "b"), ("b", "a", "b")]])
    assert batch.inputs.vectors.tolist() == [[0, 0], [1, -1]]
    assert batch.input_of_cell.tolist() == [0, 1, 1, 0, 1]
    assert batch.lengths == (2, 3)


def test_frozen_vectors_have_no_parameter():
    assert not list(reader().parameters())


def test_offsets_are_zero_at_the_start():
    assert torch.equal(vectors(reader(["b"]), ("a", "b")), vectors(reader(), ("a", "b")))


def test_an_offset_is_learnt_for_tuned_words_and_for_no_other():
    made = reader(["b"])
    optimizer = torch.optim.SGD(made.parameters(), lr=1.0)
    vectors(made, ("a", "b", "c")).sum().backward()
    optimizer.step()
    assert vectors(made, ("a", "b", "c")).tolist() == [[0, 0], [0, -2], [2, -2]]


def test_spellings_that_are_looked_up_as_one_word_share_their_offset():
    made = reader(["ılık"], case="turkish")
    torch.nn.init.ones_(made.offsets.weight)
    batch = made.coder.batch([made.coder.numbers(("ILIK", "ılık", "ilik"))])
    assert batch.inputs.offset_ids.tolist() == [1, 1, 0]


def test_the_source_of_other_vectors_is_refused():
    made = FrozenVectors(2, False, "other numbers", [], "kept")
    with pytest.raises(AssertionError):
        made.attach(Numbers())


def test_a_batch_moves_whole():
    made = reader(["b"])
    moved = made.coder.batch([made.coder.numbers(("a", "b"))]).to(torch.device("meta"))
    assert moved.inputs.vectors.is_meta
    assert moved.inputs.offset_ids.is_meta
