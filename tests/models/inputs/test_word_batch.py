"""Sentences as packed cells over distinct words."""

import torch

from polyprobe.models.inputs.vocabularies import WordVocabulary
from polyprobe.models.inputs.word_batch import UNKNOWN_LABEL, LabelledBatch, WordCoder, label_ids_of

SENTENCES = [("Koira", "näki", "koira"), ("sataa",), ("koira", "näki")]


def coder() -> WordCoder:
    return WordCoder(WordVocabulary.counted((word for one in SENTENCES for word in one), 1, (2, 3), 1))


def test_cells_point_at_distinct_words_and_each_distinct_word_stands_once():
    words = coder()
    batch = words.batch([words.numbers(one) for one in SENTENCES])
    assert batch.input_of_cell.tolist() == [0, 1, 2, 3, 2, 1]
    assert batch.inputs.word_ids.tolist() == [1, 2, 1, 3]  # koira and näki twice, sataa once
    assert batch.lengths == (3, 1, 2)
    assert batch.packing.sizes == (3, 2, 1)


def test_each_distinct_word_has_its_own_ngrams():
    words = coder()
    batch = words.batch([words.numbers(one) for one in SENTENCES])
    parts = batch.inputs.ngram_ids.tensor_split(batch.inputs.ngram_starts[1:])
    found = [words.vocabulary.ngram_rows(word) for word in ("Koira", "näki", "koira", "sataa")]
    assert [part.tolist() for part in parts] == found


def test_the_order_of_distinct_words_is_that_in_which_the_coder_met_them():
    words = coder()
    first = words.numbers(("näki",))
    batch = words.batch([words.numbers(("koira",)), first])
    assert batch.input_of_cell.tolist() == [1, 0]


def test_a_label_that_train_lacks_has_an_id_of_its_own():
    assert label_ids_of(("NOUN", "X"), {"NOUN": 0}).tolist() == [0, UNKNOWN_LABEL]


def test_a_batch_moves_whole():
    words = coder()
    batch = LabelledBatch(words.batch([words.numbers(SENTENCES[0])]), torch.tensor([0, 1, 0]), 3.0)
    moved = batch.to(torch.device("meta"))
    tensors = [moved.label_ids, moved.words.inputs.word_ids, moved.words.input_of_cell, moved.words.packing.order]
    assert all(tensor.is_meta for tensor in tensors)
    assert moved.words.lengths == (3,)
