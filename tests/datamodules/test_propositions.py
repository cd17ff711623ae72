"""The datamodule: every proposition once, on one process or two; shares that add up."""

import json
from types import SimpleNamespace

import pytest
import torch

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.models.inputs.word_batch import NO_LOSS
from tests.commands.forked import run_script
from tests.models.corpus import EIGHT, datamodule, labeller, sentence


def on_process(rank: int, world_size: int, **settings):
    data = datamodule(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def identifiers(batches) -> list[str]:
    return sorted(one.identifier for batch in batches for one in batch.sentences)


WITH_PREDICATE = ["1", "2", "3", "4", "6", "7", "8"]


def test_every_sentence_with_a_predicate_is_in_one_training_batch():
    batches = list(datamodule().train_dataloader())
    assert identifiers(batches) == WITH_PREDICATE
    assert sum(batch.n_items for batch in batches) == 9
    assert max(batch.n_items for batch in batches) <= 4


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


def test_lightning_tells_the_epoch_to_the_sampler():
    loader = datamodule(batch_propositions=1).train_dataloader()
    loader.batch_sampler.sampler.set_epoch(3)
    third = [batch.sentences for batch in loader]
    loader.batch_sampler.sampler.set_epoch(4)
    assert third != [batch.sentences for batch in loader]
    loader.batch_sampler.sampler.set_epoch(3)
    assert third == [batch.sentences for batch in loader]


def test_two_processes_evaluate_every_sentence_once():
    shares = [list(on_process(rank, 2).val_dataloader()) for rank in (0, 1)]
    assert identifiers([*shares[0], *shares[1]]) == WITH_PREDICATE
    assert all(shares)


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


@pytest.mark.parametrize("n_processes", [2, 3, 5])
def test_the_mean_gradient_of_the_shares_is_the_gradient_of_the_batch(n_processes):
    def gradients(rank: int, world_size: int) -> list[torch.Tensor]:
        data = on_process(rank, world_size, batch_propositions=5)
        model = labeller(data)
        for batch in data.train_dataloader():
            model.loss(batch).backward()
        return [parameter.grad.to_dense() for parameter in model.parameters()]

    shares = zip(*(gradients(rank, n_processes) for rank in range(n_processes)), strict=True)
    for whole, parts in zip(gradients(0, 1), shares, strict=True):
        torch.testing.assert_close(torch.stack(parts).mean(0), whole, rtol=1e-4, atol=1e-6)


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


@pytest.mark.parametrize("name", ["batch_propositions"])
def test_an_empty_batch_size_is_refused_with_its_key(name):
    with pytest.raises(BadValue, match=f"task.datamodule.{name} must be an integer of at least 1, got 0"):
        datamodule(**{name: 0})
