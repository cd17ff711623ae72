from dataclasses import replace

import numpy as np

from src.analysis.neurons.ablations import point_of
from src.analysis.neurons.row_names import RETRAINED
from src.analysis.neurons.studied_test import ranked_test, studied_tests
from tests.analysis.neurons.handmade_neurons import PLANTED, planted
from tests.analysis.neurons.linear_spec import linear_spec
from tests.analysis.neurons.neuron_options import settings

TWO_SIZES = settings(rankings=["weights", "gaussian", "random"], shares=[0.16, 0.5], gaussian_neurons=4)


class Retraining:
    """Says that a probe is right on everything if it sees a planted neuron, and wrong on everything else."""

    def __init__(self):
        self.asked = []

    def __call__(self, wanted):
        self.asked.append([(one.task, one.order.ranking, one.order.kept, one.n_neurons) for one in wanted])
        return [self._point(one) for one in wanted]

    def _point(self, one):
        is_right = bool(set(one.columns.tolist()) & set(PLANTED))
        correct = {split: np.full(len(one.probed.rows[split]), is_right) for split in ("dev", "test")}
        return point_of(one.probed, one.order, RETRAINED, one.n_neurons, [correct])


def studied(probed, is_kept=True):
    retrain = Retraining()
    (found,) = studied_tests([ranked_test(probed, linear_spec(), TWO_SIZES, 1, is_kept)], TWO_SIZES, retrain)
    return found, retrain.asked


def test_new_probes_see_both_ends_of_each_ranking_as_far_as_it_goes():
    found, asked = studied(planted())
    assert asked == [
        [
            *(("test", "weights", "top", size) for size in (2, 6)),
            *(("test", "weights", "bottom", size) for size in (2, 6)),
            ("test", "gaussian", "top", 2),
            *(("test", "random", "random", size) for size in (2, 6)),
        ],
        [],
    ]
    assert len(found.points) == 2 * 7
    assert found.full.accuracy == 1
    assert found.full_control is None


def test_a_minimal_set_is_scored_on_the_control_task_by_new_probes_of_the_same_neurons():
    control = {"control_weights": np.zeros((1, 2, 12), np.float32), "control_biases": np.zeros((1, 2), np.float32)}
    found, asked = studied(planted(**control))
    assert {name: point.n_neurons for name, point in found.minimal.items()} == {"weights": 2, "gaussian": 2}
    assert asked[1] == [("control", "weights", "top", 2), ("control", "gaussian", "top", 2)]
    assert set(found.minimal_controls) == {"weights", "gaussian"}
    # Zero weights and biases say "a", the first label, everywhere.
    n_first = found.ranked.control.test.test.label_ids.count(0)
    assert found.full_control.accuracy == n_first / 40


def test_at_other_epochs_neurons_are_ranked_by_weights_and_not_kept():
    found, asked = studied(replace(planted(), epoch=0), is_kept=False)
    assert asked == [[], []]
    assert (found.points, found.minimal) == ([], {})
    assert [ranking.name for ranking in found.ranked.rankings] == ["weights"]
    assert found.full.accuracy == 1
