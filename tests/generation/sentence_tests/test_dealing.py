from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.generation.sentence_tests.labelled_sentences import LabelledSentence
from polyprobe.generation.sentence_tests.sentence_splits import documents_dealt, sentences_dealt
from polyprobe.splits import SPLITS

SHARES = {"train": 0.7, "dev": 0.15, "test": 0.15}
ITEMS = {"train": 10, "dev": 1, "test": 1}
SENTENCES = st.lists(
    st.builds(
        lambda label, targets, document: LabelledSentence(("a", "b"), label, tuple(targets), document, {}),
        st.sampled_from("XY"),
        st.lists(st.sampled_from("pqrstuvw"), max_size=2),
        st.sampled_from("abcdefghij"),
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(sentences=SENTENCES)
def test_neither_a_document_nor_a_target_stands_in_two_splits(sentences):
    of_documents = documents_dealt("abcdefghij", SHARES, np.random.default_rng(1))
    pools, step = sentences_dealt(sentences, of_documents, ITEMS)
    documents = [{one.document for one in pools[split]} for split in SPLITS]
    targets = [{target for one in pools[split] for target in one.targets} for split in SPLITS]
    for of_splits in (documents, targets):
        assert sum(map(len, of_splits)) == len(set().union(*of_splits))
    left = sum(map(len, pools.values()))
    assert (step.taken, step.left) == (len(sentences) - left, left)
    assert all(one in sentences for split in SPLITS for one in pools[split])


def test_without_targets_nothing_is_lost():
    sentences = [LabelledSentence(("a",), "X", (), document, {}) for document in "abcdefghij"]
    of_documents = documents_dealt("abcdefghij", SHARES, np.random.default_rng(1))
    _, step = sentences_dealt(sentences, of_documents, ITEMS)
    assert step.taken == 0


def test_documents_are_dealt_by_their_sentences():
    documents = [str(number) for number in range(100) for _ in range(1 + number % 7)]
    dealt = documents_dealt(documents, SHARES, np.random.default_rng(1))
    counts = Counter(dealt[document] for document in documents)
    assert all(abs(counts[split] / len(documents) - SHARES[split]) < 0.02 for split in SPLITS)


def test_documents_are_dealt_alike_in_whatever_order_they_come():
    documents = [str(number % 30) for number in range(90)]
    one, other = (documents_dealt(order, SHARES, np.random.default_rng(1)) for order in (documents, documents[::-1]))
    assert one == other


def test_a_target_of_one_document_goes_where_the_document_is():
    sentences = [LabelledSentence(("a",), "X", (document,), document, {}) for document in "abcdefghij"]
    of_documents = documents_dealt("abcdefghij", SHARES, np.random.default_rng(1))
    _, step = sentences_dealt(sentences, of_documents, ITEMS)
    assert step.taken == 0
