import numpy as np
import pytest

from polyprobe.analysis.neurons.neuron_settings import RANKINGS as KNOWN
from polyprobe.analysis.neurons.rankings import RANKINGS, rankings_of
from tests.analysis.neurons.handmade_neurons import PLANTED, planted


def ranking(name, probed=None):
    (found,) = rankings_of(probed or planted(), [name])
    return found


def test_every_name_of_the_configuration_has_a_method():
    assert set(RANKINGS) == set(KNOWN)


@pytest.mark.parametrize("name", ["weights", "probeless", "mean_select", "iou"])
def test_the_planted_neurons_come_first(name):
    found = ranking(name)
    assert found.name == name
    assert set(found.order[:2].tolist()) == set(PLANTED)
    assert sorted(found.order.tolist()) == list(range(12))


@pytest.mark.parametrize("name", ["weights", "probeless", "mean_select"])
def test_each_label_has_its_own_order(name):
    assert [set(of_label[:2]) for of_label in ranking(name).by_label] == [set(PLANTED)] * 2


def test_by_average_precision_a_neuron_counts_for_the_label_that_it_is_high_for():
    """The planted neurons have an average precision of 1 for "b", and for "a" that of any order: the share of "a"."""
    of_a, of_b = ranking("iou").by_label
    assert set(of_b[:2]) == set(PLANTED)
    assert set(of_a[:2]) != set(PLANTED)


def test_the_random_ranking_is_an_order_that_every_run_draws_again():
    drawn = ranking("random").order
    assert sorted(drawn.tolist()) == list(range(12))
    assert drawn.tolist() != list(range(12))
    assert drawn.tolist() == ranking("random").order.tolist()
    assert drawn.tolist() != ranking("random", planted(seeds=(2,))).order.tolist()


def test_rankings_look_at_train_alone():
    probed = planted()
    vectors = probed.vectors.clone()
    vectors[80:] = vectors[80:].flip(1)  # dev and test have other columns
    changed = planted(vectors=vectors)
    for name in ("probeless", "mean_select", "iou"):
        assert ranking(name, changed).order.tolist() == ranking(name).order.tolist()


def test_half_numbers_are_ranked_as_whole_ones():
    half = planted(vectors=planted().vectors.half())
    assert set(ranking("probeless", half).order[:2].tolist()) == set(PLANTED)


@pytest.mark.parametrize("name", ["weights", "probeless", "mean_select", "iou"])
def test_a_label_without_train_items_has_no_neurons_of_its_own_and_changes_no_ranking(name):
    probed = planted()
    labels = probed.test.__class__(**{**_fields(probed.test), "labels": ("a", "b", "c")})
    # The largest weight of all is that of a row that was never trained.
    weights = np.concatenate([probed.weights, np.eye(1, 12)[None].astype(np.float32) * 9], axis=1)
    found = ranking(name, planted(test=labels, weights=weights))
    assert found.by_label[2].tolist() == []
    assert found.order.tolist() == ranking(name).order.tolist()


def _fields(test):
    return {name: getattr(test, name) for name in ("name", "version", "train", "dev", "test")}


def test_the_order_by_weights_is_that_of_the_first_seed():
    probed = planted(seeds=(1, 2))
    weights = np.stack([np.eye(2, 12, 3), np.eye(2, 12, 8)]).astype(np.float32)
    found = ranking("weights", planted(seeds=(1, 2), weights=weights))
    assert set(found.order[:2].tolist()) == {3, 4}
    assert probed.weights.shape == weights.shape
