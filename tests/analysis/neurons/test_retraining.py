from dataclasses import replace

import numpy as np
import pytest
import torch

from src.analysis.neurons.ablations import KeptNeurons, KeptOrder, retrained_points, with_control_labels
from src.probing.bank.bank import bank_trainer, train_bank
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.baselines.control import control_test
from tests.analysis.neurons.handmade_neurons import PLANTED, planted
from tests.analysis.neurons.linear_spec import linear_spec

TOP = KeptOrder("weights", "top", np.array([*PLANTED, 0, 1, 2]))
BOTTOM = KeptOrder("weights", "bottom", np.array([0, 1, 2, *PLANTED]))
SAME_SET = KeptOrder("probeless", "top", np.array([*reversed(PLANTED), 0, 1, 2]))


class Trained:
    """Trains jobs and remembers how many of which width."""

    def __init__(self):
        self.widths: list[list[int]] = []

    def __call__(self, jobs):
        self.widths.append([job.data.input_width for job in jobs])
        return train_bank(jobs, 8, bank_trainer("cpu"), lambda done, due: None)


def wanted(order, n_neurons, probed=None, task="test"):
    return KeptNeurons(probed or planted(), order, n_neurons, task, linear_spec())


@pytest.fixture
def kept(tmp_path):
    return KeptOutcomes(tmp_path, {"of": "a test"})


def test_a_new_probe_learns_from_the_planted_neurons_and_not_from_noise(kept):
    top, bottom = retrained_points([wanted(TOP, 2), wanted(BOTTOM, 3)], "planted", Trained(), kept)
    assert (top.accuracy, top.dev_accuracy, top.manner, top.n_neurons) == (1, 1, "retrained", 2)
    assert top.correct.tolist() == [1.0] * 40
    assert bottom.accuracy < 0.85
    assert bottom.accuracy == pytest.approx(bottom.correct.mean())


def test_probes_of_one_width_are_trained_together_and_equal_ones_once(kept):
    train = Trained()
    points = retrained_points([wanted(TOP, 2), wanted(BOTTOM, 3), wanted(SAME_SET, 2)], "planted", train, kept)
    assert train.widths == [[16, 16]]
    assert points[0].correct.tolist() == points[2].correct.tolist()
    assert [point.ranking for point in points] == ["weights", "weights", "probeless"]


def test_what_was_trained_before_is_not_trained_again(kept):
    before = retrained_points([wanted(TOP, 2)], "planted", Trained(), kept)
    train = Trained()
    again = retrained_points([wanted(TOP, 2), wanted(TOP, 3)], "planted", train, kept)
    assert train.widths == [[16]]
    assert again[0].correct.tolist() == before[0].correct.tolist()


def test_another_source_and_other_labels_are_trained_anew(kept):
    train = Trained()
    probed = planted()
    turned = replace(probed, label_ids={split: 1 - ids for split, ids in probed.label_ids.items()})
    for one, source in [(probed, "planted"), (probed, "others"), (turned, "planted")]:
        retrained_points([wanted(TOP, 2, one)], source, train, kept)
    assert train.widths == [[16], [16], [16]]


def test_each_seed_has_a_probe_and_the_accuracy_is_their_mean(kept):
    train = Trained()
    (point,) = retrained_points([wanted(BOTTOM, 3, planted(seeds=(1, 2)))], "planted", train, kept)
    alone = [
        retrained_points([wanted(BOTTOM, 3, planted(seeds=(seed,)))], "planted", train, kept)[0] for seed in (1, 2)
    ]
    assert point.n_seeds == 2
    assert train.widths == [[16, 16], [], []]
    assert point.correct.tolist() == [(one + two) / 2 for one, two in zip(*(of.correct for of in alone), strict=True)]


def test_a_probe_sees_the_items_of_its_test_alone():
    probed = planted()
    more = torch.cat([torch.full((5, 12), 99.0), probed.vectors])
    moved = replace(probed, vectors=more, rows={split: rows + 5 for split, rows in probed.rows.items()})
    (job,) = wanted(TOP, 2, moved).jobs()
    assert job.data.vectors[:, :2].tolist() == probed.vectors[:, list(PLANTED)].tolist()
    assert job.data.vectors[:, 2:].tolist() == [[0.0] * 14] * 160
    assert job.data.test_rows.tolist() == [[row] for row in range(120, 160)]


def test_control_labels_are_those_that_the_run_drew():
    weights = np.zeros((1, 2, 12), np.float32)
    probed = planted(control_weights=weights, control_biases=np.zeros((1, 2), np.float32))
    control = with_control_labels(probed, 1)
    drawn = control_test(probed.test, 1)
    assert control.label_ids["train"].tolist() == list(drawn.train.label_ids)
    assert control.label_ids["train"].tolist() != probed.label_ids["train"].tolist()
    assert control.weights is weights
