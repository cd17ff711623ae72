"""Accumulated gradients: a step over two halves of a batch is the step over the whole one."""

from types import SimpleNamespace

import pytest
import torch

from polyprobe.training.trainer import StepSeeds
from tests.models.tagged_corpus import tagger, tagging
from tests.training.five_tasks import SCORES, trained
from tests.training.same_runs import assert_same, epochs, unfinished_copy

SIZES = {
    "dep": "task.datamodule.batch_sentences",
    "srl": "task.datamodule.batch_propositions",
    "nli": "task.datamodule.batch_pairs",
}


@pytest.mark.parametrize(("task", "size"), SIZES.items())
def test_two_batches_accumulated_learn_as_one_of_their_size(task, size, small_data, tmp_path):
    same = ["model.dropout=0.0", "trainer.max_epochs=2"]
    whole = trained(task, small_data, tmp_path / "whole", *same, f"{size}=10")
    halves = trained(task, small_data, tmp_path / "halves", *same, f"{size}=5", "trainer.accumulate=2")
    assert whole.name != halves.name
    for one, two in zip(epochs(whole)[1:], epochs(halves)[1:], strict=True):
        assert two["train/loss"] == pytest.approx(one["train/loss"], rel=1e-4)
        assert two[f"dev/{SCORES[task]}"] == pytest.approx(one[f"dev/{SCORES[task]}"], abs=0.02)


def test_an_accumulating_run_with_dropout_goes_on_exactly(small_data, tmp_path):
    settings = ["trainer.max_epochs=3", "trainer.accumulate=3"]
    run = trained("ner", small_data, tmp_path / "whole", *settings)
    copy = unfinished_copy(run, tmp_path / "cut")
    (copy / "epochs/03.ckpt").unlink()
    assert trained("ner", small_data, tmp_path / "cut", *settings) == copy
    assert_same(copy, run)


def test_every_piece_of_a_batch_draws_its_own_dropout_on_any_device():
    class Trainer:
        global_step, global_rank, accumulate_grad_batches = 4, 0, 2

    def drawn(device, batch_index):
        StepSeeds(1).on_train_batch_start(Trainer(), SimpleNamespace(device=torch.device(device)), None, batch_index)
        return float(torch.rand(1))

    assert drawn("cpu", 8) != drawn("cpu", 9)
    assert [drawn("cpu", number) for number in (8, 9)] == [drawn("cuda", number) for number in (8, 9)]


def gradient_of_an_epoch(batch_sentences, n_processes, n_pieces):
    """Returns the gradient of all batches together, each share weighed as processes and accumulation weigh it."""
    data = tagging(batch_sentences=batch_sentences)
    model = tagger(data)
    for rank in range(n_processes):
        data.trainer = SimpleNamespace(global_rank=rank, world_size=n_processes, accumulate_grad_batches=n_pieces)
        for batch in data.train_dataloader():
            (model.loss(batch) / (n_processes * n_pieces)).backward()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


@pytest.mark.parametrize(("n_processes", "n_pieces"), [(1, 2), (2, 1), (2, 2), (3, 4)])
def test_shares_of_processes_and_pieces_have_the_gradient_of_the_whole(n_processes, n_pieces):
    whole = gradient_of_an_epoch(4 * n_pieces, 1, 1)
    torch.testing.assert_close(gradient_of_an_epoch(4, n_processes, n_pieces), whole)
