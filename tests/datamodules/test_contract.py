"""What the batches of every labelled task keep: each item once, on one process or several; shares that add up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from polyprobe.errors import BadValue
from tests.models import corpus, paired_corpus, tagged_corpus, treebank


@dataclass(frozen=True)
class Task:
    """One row of the table."""

    make: Callable[..., Any]
    """The datamodule, of settings."""
    model: Callable[..., Any]
    items: Sequence[Any]
    """Eight, of train and of dev."""
    size: str
    """The setting of the size of a batch."""
    names: Callable[[Any], list]
    """What tells the items of a batch apart, sorted alike in every order."""
    n_in_batches: int = 8
    """Of the items, those that are in a batch."""


def identifiers(batch) -> list[str]:
    return [one.identifier for one in batch.sentences]


def lengths_of_pairs(batch) -> list[tuple[int, int]]:
    n_pairs, lengths = len(batch.label_ids), batch.words.lengths
    return list(zip(lengths[:n_pairs], lengths[n_pairs:], strict=True))


TASKS = {
    "pos": Task(
        tagged_corpus.tagging,
        tagged_corpus.tagger,
        tagged_corpus.EIGHT_TAGGED,
        "batch_sentences",
        lambda batch: list(batch.words.lengths),
    ),
    "nli": Task(paired_corpus.pairing, paired_corpus.esim, paired_corpus.EIGHT_PAIRS, "batch_pairs", lengths_of_pairs),
    "dep": Task(treebank.datamodule, treebank.parser, treebank.EIGHT, "batch_sentences", identifiers),
    "srl": Task(corpus.datamodule, corpus.labeller, corpus.EIGHT, "batch_propositions", identifiers, 7),
}


@pytest.fixture(params=TASKS)
def task(request) -> Task:
    return TASKS[request.param]


def on_process(task: Task, rank: int, world_size: int, **settings):
    data = task.make(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def names(task: Task, batches) -> list:
    return sorted(name for batch in batches for name in task.names(batch))


def test_every_item_is_in_one_training_batch_and_evaluated_once_by_two_processes(task):
    every = names(task, task.make().train_dataloader())
    assert len(every) == task.n_in_batches
    shares = [list(on_process(task, rank, 2).val_dataloader()) for rank in (0, 1)]
    assert names(task, [*shares[0], *shares[1]]) == every
    assert all(shares)


def test_the_order_of_batches_is_a_function_of_the_epoch(task):
    loader = task.make(**{task.size: 1}).train_dataloader()
    orders = []
    for epoch in (3, 4, 3):
        loader.batch_sampler.sampler.set_epoch(epoch)
        orders.append([task.names(batch) for batch in loader])
    assert orders[0] == orders[2] != orders[1]


@pytest.mark.parametrize(("size", "n_processes"), [(1, 2), (3, 2), (5, 3), (8, 2), (5, 5)])
def test_the_mean_gradient_of_the_shares_is_the_gradient_of_the_batch(task, size, n_processes):
    model = task.model(task.make())

    def gradient(rank: int, world_size: int) -> torch.Tensor:
        model.zero_grad()
        for batch in on_process(task, rank, world_size, **{task.size: size}).train_dataloader():
            model.loss(batch).backward()
        return torch.cat([one.grad.to_dense().flatten() for one in model.parameters() if one.grad is not None])

    shares = torch.stack([gradient(rank, n_processes) for rank in range(n_processes)])
    torch.testing.assert_close(shares.mean(0), gradient(0, 1), rtol=1e-4, atol=1e-6)


def test_a_batch_of_nothing_is_refused_with_its_key(task):
    with pytest.raises(BadValue, match=f"task.datamodule.{task.size} must be an integer of at least 1, got 0"):
        task.make(**{task.size: 0})
