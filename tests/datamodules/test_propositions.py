"""The datamodule: every proposition once, on one process or two; shares that add up."""

import json
from types import SimpleNamespace

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.models.inputs.word_batch import NO_LOSS
from tests.commands.forked import run_script
from tests.models.corpus import EIGHT, datamodule, labeller, sentence


def on_process(rank: int, world_size: int, **settings):
    data = datamodule(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def test_sentences_without_a_predicate_are_counted():
    counts = datamodule().counts()
    found = {split: counts[f"{split} sentences without predicate"] for split in ("train", "dev", "test")}
    assert found == {"train": 1, "dev": 1, "test": 0}


@pytest.mark.parametrize(("split", "verb"), [("train", "learned"), ("dev", "scored")])
@pytest.mark.parametrize(("predicates", "n_without"), [([], 1), ([(1, {})], 0)], ids=["predicates", "roles"])
def test_a_split_without_predicates_or_roles_is_refused(split, verb, predicates, n_without):
    data = datamodule(**{split: [sentence(1, "Eilen satoi", *predicates)]})
    expected = rf"{split} has nothing that can be {verb} .*{split} sentences without predicate: {n_without}"
    with pytest.raises(PolyprobeError, match=expected):
        data.check_examples()


def test_vocabulary_and_roles_come_from_train_alone():
    data = datamodule(dev=[sentence(1, "xyz", (0, {0: "AM-NEW"}))])
    inputs = data.model_inputs()
    assert inputs["roles"] == ["_", "A1", "A0", "AM-TMP"]  # 7 A1, 5 A0, 2 AM-TMP
    assert "xyz" not in inputs["reader"]["trigrams"]
    assert next(iter(data.val_dataloader())).role_ids.tolist() == [NO_LOSS]


def test_arguments_whose_role_train_lacks_are_counted():
    counts = datamodule(dev=[sentence(1, "xyz abc", (0, {0: "AM-NEW", 1: "A0"}))]).counts()
    assert counts["dev arguments whose role train lacks"] == 1
    assert counts["test arguments whose role train lacks"] == 0


def test_a_process_without_a_sentence_counts_nothing_but_takes_part():
    (batch,) = on_process(1, 2, dev=EIGHT[:1]).val_dataloader()
    assert [one.propositions for one in batch.sentences] == [()]
    assert labeller(datamodule()).decode(batch) == [()]


def test_two_processes_learn_and_count_what_one_does():
    done = run_script("tests/datamodules/two_processes")
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for one, two in ((outcomes[0], outcomes[1]), (outcomes[2], outcomes[3])):
        assert two == pytest.approx(one, rel=1e-6)
        assert two["dev/role_f1"] == one["dev/role_f1"]


def test_a_process_without_a_share_takes_part_without_a_loss():
    share = next(iter(on_process(1, 2, train=EIGHT[:1]).train_dataloader()))
    assert share.role_ids.tolist() == [NO_LOSS] * 3
    assert share.n_items == 0.5


def test_a_batch_names_each_distinct_word_and_trigram_once():
    data = datamodule()
    talk = sentence(1, "talo talo Talo yö", (0, {}), (1, {}))
    batch = data.coder.batch([data.coder.coded(talk)], 2)
    trigram_ids = batch.words.inputs.trigram_ids.tolist()
    assert len(batch.words.inputs.packing.order) == 2
    assert len(set(trigram_ids)) == len(trigram_ids)
    first, second = batch.input_of_cell.reshape(2, 4).tolist()
    assert first[1] == first[2] == second[0] == second[2]  # talo without the flag
    assert first[0] == second[1] == 2  # the flagged talo, behind the two distinct words
