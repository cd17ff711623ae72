from dataclasses import replace

import numpy as np

from polyprobe.analysis.neurons.ablations import point_of
from polyprobe.analysis.neurons.neuron_settings import RETRAINED
from polyprobe.analysis.neurons.studied_test import ranked_test, studied_tests
from tests.analysis.neurons.handmade_neurons import PLANTED, planted
from tests.analysis.neurons.linear_spec import linear_spec
from tests.analysis.neurons.neuron_options import settings

TWO_SIZES = settings(rankings=["weights", "gaussian", "random"], shares=[0.16, 0.5], gaussian_neurons=4)


class Retraining:
    """Says that a probe is right on everything if it sees a planted neuron, and wrong on everything else."""

    def __init__(self):
        self.asked = []

    def __call__(self, wanted):
        self.asked.append([(one.task, one.order.name, one.order.kept, one.n_neurons) for one in wanted])
        return [self._point(one) for one in wanted]

    def _point(self, one):
        is_right = bool(set(one.columns.tolist()) & set(PLANTED))
        correct = {split: np.full(len(one.probed.rows[split]), is_right) for split in ("dev", "test")}
        return point_of(one.probed, one.order, RETRAINED, one.n_neurons, [correct])


def studied(probed, is_kept=True):
    retrain = Retraining()
    (found,) = studied_tests([ranked_test(probed, linear_spec(), TWO_SIZES, 1, is_kept)], retrain)
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
    sizes = {name: point and point.n_neurons for name, point in found.minimal.items()}
    assert sizes == {"weights": 2, "gaussian": 2, "random": None}  # none of the six that are drawn first is planted
    assert asked[1] == [("control", "weights", "top", 2), ("control", "gaussian", "top", 2)]
    assert set(found.minimal_controls) == {"weights", "gaussian"}
    # Zero weights and biases say "a", the first label, everywhere.
    n_first = found.control.test.test.label_ids.count(0)
    assert found.full_control.accuracy == n_first / 40


def test_at_other_epochs_neurons_are_ranked_by_weights_and_not_kept():
    found, asked = studied(replace(planted(), epoch=0), is_kept=False)
    assert asked == [[], []]
    assert (found.points, found.minimal) == ([], {})
    assert [ranking.name for ranking in found.rankings] == ["weights"]
    assert found.full.accuracy == 1


def test_a_probe_that_says_the_most_frequent_label_everywhere_has_no_minimal_set():
    # Zero weights and a bias for "a": right where the label is "a", as the majority is.
    found, asked = studied(replace(planted(), weights=np.zeros((1, 2, 12), np.float32)))
    reason = "all neurons are not above the majority on dev"
    assert found.without_minimal == dict.fromkeys(("weights", "gaussian", "random"), reason)
    assert found.minimal == {}
    assert asked[1] == []


def test_a_ranking_that_leaves_neurons_out_has_no_minimal_set_where_these_are_needed():
    one = ranked_test(planted(), linear_spec(), TWO_SIZES, 1, True)
    wrong = replace(one, rankings=[replace(one.rankings[1], order=np.array([0, 1, 2, 3]))])
    (found,) = studied_tests([wrong], Retraining())
    assert found.without_minimal == {"gaussian": "not within its first 2, the most tried of its 4"}
    assert found.minimal == {}
