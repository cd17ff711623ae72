"""bfloat16: tasks learn with it nearly what they learn without; scores of structures stay in full precision."""

import pytest
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.models.esim import attended
from polyprobe.models.layers.biaffine import Biaffine
from polyprobe.models.layers.packing import Packing
from polyprobe.models.structures.crf import LinearChainCrf
from tests.training.five_tasks import SCORES, trained
from tests.training.same_runs import epochs


def losses_and_best(run, score):
    rows = epochs(run)
    return [row["train/loss"] for row in rows[1:]], max(row[f"dev/{score}"] for row in rows)


@pytest.mark.parametrize("task", ["dep", "srl", "nli"])
def test_losses_and_scores_are_near_those_of_full_precision(task, small_data, tmp_path):
    same = ["model.dropout=0.0", "trainer.max_epochs=3"]
    full = trained(task, small_data, tmp_path / "full", *same)
    mixed = trained(task, small_data, tmp_path / "mixed", *same, "trainer.precision=bf16-mixed")
    assert full.name != mixed.name
    losses, best = losses_and_best(mixed, SCORES[task])
    expected, full_best = losses_and_best(full, SCORES[task])
    assert losses[-1] < losses[0]
    assert losses == pytest.approx(expected, rel=0.02)
    assert best == pytest.approx(full_best, abs=0.1)


@pytest.mark.parametrize("precision", ["bf16-true"])
def test_weights_in_half_precision_are_refused(precision, small_data, tmp_path):
    with pytest.raises(PolyprobeError, match=f"trainer.precision={precision} keeps the weights in half precision"):
        trained("pos", small_data, tmp_path, f"trainer.precision={precision}")
    assert not (tmp_path / "runs").exists()


def test_scores_of_arcs_relations_and_attention_are_those_of_full_precision():
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(6, 8, generator=generator)
    scorer = Biaffine(8, 3)
    scorer.initialise(generator)
    functions = [
        lambda: scorer.all_pairs(vectors[None], vectors[None]),
        lambda: scorer.pairs(vectors, vectors, torch.tensor([0, 0, 2, 2, 2, 5])),
        lambda: attended(vectors, [2, 1, 1, 2]),
    ]
    for function in functions:
        with torch.autocast("cpu", torch.bfloat16):
            half = function()
        assert half.dtype == torch.float32
        assert torch.equal(half, function())


def test_a_chain_is_summed_in_double_precision_whatever_its_emissions_are():
    generator = torch.Generator().manual_seed(1)
    emissions, packing = torch.randn(5, 2, generator=generator).bfloat16(), Packing.of([3, 2])
    crf = LinearChainCrf(["a", "b"], lambda before, after: True, lambda label: True, lambda label: True)
    gold = torch.tensor([0, 1, 1, 0, 1])
    with torch.autocast("cpu", torch.bfloat16):
        half, path = crf.loss(emissions, gold, packing), crf.decode(emissions, packing)
    assert torch.equal(half, crf.loss(emissions.double(), gold, packing))
    assert torch.equal(path, crf.decode(emissions.double(), packing))
