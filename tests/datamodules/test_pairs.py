"""Pairs of sentences in batches: each once, on one process or two; shares that add up."""

from types import SimpleNamespace

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.models.inputs.word_batch import NO_LOSS
from tests.models.paired_corpus import EIGHT_PAIRS, pair, pairing


def on_process(rank: int, world_size: int, **settings):
    data = pairing(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def lengths(batches) -> list[tuple[int, int]]:
    found = []
    for batch in batches:
        n_pairs = len(batch.label_ids)
        found += zip(batch.words.lengths[:n_pairs], batch.words.lengths[n_pairs:], strict=True)
    return sorted(found)


ALL_LENGTHS = sorted((len(one.premise), len(one.hypothesis)) for one in EIGHT_PAIRS)


def test_vocabulary_and_labels_come_from_train_alone():
    inputs = pairing(dev=[pair(1, "xyz", "Yes", "not_entailment")]).model_inputs()
    assert inputs["labels"] == ["contradiction", "entailment", "neutral"]
    assert "xyz" not in inputs["reader"]["words"]


def test_pairs_without_a_label_are_counted_and_in_no_batch():
    data = pairing(train=[*EIGHT_PAIRS, pair(9, "Yes", "No", None)], dev=[EIGHT_PAIRS[0], pair(9, "Yes", "No", None)])
    counts = data.counts()
    assert (counts["train pairs"], counts["train pairs without a label"]) == (9, 1)
    assert (data.n_scored, lengths(data.val_dataloader())) == (1, [(4, 4)])
    assert lengths(data.train_dataloader()) == ALL_LENGTHS


def test_test_pairs_that_are_in_train_are_counted():
    data = pairing(test=[EIGHT_PAIRS[0], pair(9, "Yes", "Maybe", "neutral")])
    assert data.counts()["test pairs that are also in train"] == 1


def test_a_process_without_a_pair_counts_nothing_but_takes_part():
    (batch,) = on_process(1, 2, dev=EIGHT_PAIRS[:1]).val_dataloader()
    assert batch.label_ids.tolist() == [NO_LOSS]


def test_the_baseline_sees_the_hypothesis_alone():
    """Of three pairs with one hypothesis it can have one right."""
    name, scores = pairing().baseline_scores(EIGHT_PAIRS[:3])
    values = {(score.metric, score.part): score.value for score in scores}
    assert name == "hypothesis_only"
    assert values["accuracy", ""] == pytest.approx(1 / 3)
    assert values["majority", ""] == pytest.approx(1 / 3)
    assert values["oov", ""] == 0


def test_a_split_without_labels_has_no_baseline():
    assert pairing().baseline_scores([pair(1, "Yes", "No", None)]) == ("hypothesis_only", [])


def test_pairs_whose_label_train_lacks_are_counted_and_none_is_right():
    data = pairing(train=[one for one in EIGHT_PAIRS if one.label != "neutral"])
    counts = data.counts()
    assert counts["dev pairs whose label train lacks"] == 2
    assert "test pairs whose label train lacks" not in counts


def test_a_dev_without_labels_is_refused():
    with pytest.raises(PolyprobeError, match=r"dev has nothing that can be scored .*dev pairs without a label: 1"):
        pairing(dev=[pair(1, "Yes", "No", None)]).check_examples()
    pairing().check_examples()


def test_a_train_of_one_label_is_refused():
    with pytest.raises(PolyprobeError, match=r"train has the labels entailment\. Expected at least two"):
        pairing(train=EIGHT_PAIRS[:1])
