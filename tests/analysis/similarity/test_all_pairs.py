"""All pairs of layers against each pair on its own."""

import numpy as np
import pytest

from polyprobe.analysis.similarity import centred_layer, products
from polyprobe.analysis.similarity.all_pairs import OF_CENTRED_LAYERS, all_pairs
from polyprobe.analysis.similarity.measures import LEAST
from polyprobe.errors import PolyprobeError
from tests.analysis.similarity.made_layers import made_layers, representations
from tests.analysis.similarity.plain_measures import each_pair, plain_similarity

WIDTHS_OF_ITEMS = [(61, (5, 90, 33)), (150, (120, 40, 20)), (400, (16, 8, 9))]
KNOWN_IF_SHUFFLED = ("cka", "lincka")


def test_the_measures_are_those_of_single_pairs():
    assert {*OF_CENTRED_LAYERS} == set(LEAST)


# More columns than items; about as many; far fewer.
@pytest.mark.parametrize(("n_items", "widths"), WIDTHS_OF_ITEMS)
@pytest.mark.parametrize("measure", LEAST)
def test_all_pairs_equal_each_pair_on_its_own(measure, n_items, widths):
    matrices = made_layers(n_items, widths)
    found = all_pairs(representations(matrices), measure, 0, 0, 1)
    np.testing.assert_allclose(found.values, each_pair(matrices, measure), rtol=0, atol=1e-6)
    assert found.left_out.tolist() == [0, 0, 0]


@pytest.mark.parametrize("measure", ["cka", "lincka", "maxcorr"])
def test_dominant_and_far_away_columns_lose_no_digits(measure):
    """As in transformers, where a few neurons have a thousand times the deviation of the others."""
    matrices = made_layers(150, (50, 40))
    for matrix in matrices:
        matrix[:, 3] *= 1000
        matrix[:, 5] += 10_000
    found = all_pairs(representations(matrices), measure, 0, 0, 1).values
    np.testing.assert_allclose(found, each_pair(matrices, measure), rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", LEAST)
def test_the_order_of_layers_only_moves_values(measure):
    matrices = made_layers(70, (12, 5, 20))
    order = [2, 0, 1]
    found = all_pairs(representations(matrices), measure, 3, 6, 1)
    moved = all_pairs(representations([matrices[place] for place in order]), measure, 3, 6, 1)
    for of_all, of_moved in ((found.values, moved.values), (found.low, moved.low), (found.high, moved.high)):
        np.testing.assert_allclose(of_moved, of_all[np.ix_(order, order)], rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", ["cka", "lincka", "maxcorr"])
def test_the_sizes_of_blocks_change_nothing(measure, monkeypatch):
    layers = representations(made_layers(2500, (6, 70, 30)))
    expected = all_pairs(layers, measure, 0, 6, 1)
    monkeypatch.setattr(products, "BUFFER_NUMBERS", 50_000)
    monkeypatch.setattr(centred_layer, "BLOCK_ROWS", 700)
    found = all_pairs(layers, measure, 0, 6, 1)
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.low, expected.low, rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", ["cka", "maxcorr"])
def test_vectors_in_float16_are_taken_as_the_numbers_they_are(measure):
    matrices = [matrix.astype(np.float16) for matrix in made_layers(60, (5, 9))]
    found = all_pairs(representations(matrices), measure, 0, 0, 1).values
    np.testing.assert_allclose(found, each_pair(matrices, measure), rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", LEAST)
def test_constant_columns_are_left_out_and_counted(measure):
    matrices = made_layers(60, (5, 9))
    matrices[1][:, [2, 6]] = [7, 0]
    found = all_pairs(representations(matrices), measure, 2, 4, 1)
    others = [matrices[0], np.delete(matrices[1], [2, 6], axis=1)]
    np.testing.assert_allclose(found.values, each_pair(others, measure), rtol=0, atol=1e-6)
    assert found.left_out.tolist() == [0, 2]
    assert np.isfinite([found.permuted, found.low, found.high]).all()


def test_a_column_that_varies_in_few_items_does_not_count_in_halves_without_them():
    matrices = made_layers(40, (4, 5))
    matrices[0][:, 1] = 0
    matrices[0][17, 1] = 1
    found = all_pairs(representations(matrices), "maxcorr", 0, 20, 1)
    assert np.isfinite([found.low, found.high]).all()


@pytest.mark.parametrize("measure", KNOWN_IF_SHUFFLED)
def test_the_mean_over_shuffles_is_that_of_very_many_drawn(measure):
    x, y = made_layers(12, (4, 3))
    generator = np.random.default_rng(0)
    drawn = [plain_similarity(x, y[generator.permutation(12)], measure) for _ in range(3000)]
    error = np.std(drawn) / np.sqrt(len(drawn))
    found = all_pairs(representations([x, y]), measure, 0, 0, 1).permuted
    assert abs(found[0, 1] - np.mean(drawn)) < 4 * error < 0.02
    np.testing.assert_allclose(found, found.T)


@pytest.mark.parametrize("measure", sorted({*LEAST} - {*KNOWN_IF_SHUFFLED}))
def test_a_shuffled_value_is_that_of_a_side_in_another_order(measure):
    x, y = made_layers(30, (4, 3))
    found = all_pairs(representations([x, y]), measure, 200, 0, 1).permuted
    generator = np.random.default_rng(0)
    orders = [generator.permutation(30) for _ in range(400)]
    forth = [plain_similarity(x, y[order], measure) for order in orders]
    back = [plain_similarity(y, x[order], measure) for order in orders]
    for value, drawn in ((found[0, 1], forth), (found[1, 0], back)):
        assert abs(value - np.mean(drawn)) < 4 * np.std(drawn) / np.sqrt(200)


def test_the_same_seed_gives_the_same_numbers():
    layers = representations(made_layers(50, (4, 3)))
    first, second, other = (all_pairs(layers, "maxcorr", 3, 5, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.permuted, second.permuted)
    np.testing.assert_array_equal(first.low, second.low)
    assert (first.low != other.low).any()


@pytest.mark.parametrize("measure", LEAST)
def test_a_layer_that_never_differs_is_refused(measure):
    layers = representations([*made_layers(20, (3,)), np.ones((20, 3), np.float32)])
    with pytest.raises(PolyprobeError, match="1 of 2 layers have different vectors for the 20 items"):
        all_pairs(layers, measure, 0, 0, 1)


@pytest.mark.parametrize("n_items", [12, 1000])
def test_unbiased_alignment_is_not_defined_where_one_item_differs(n_items):
    one, other = made_layers(n_items, (6, 5))
    lone = np.full((n_items, 4), 3, np.float32)
    lone[7] = [1, 2, 5, 0]
    found = all_pairs(representations([one, lone, other]), "cka", 0, 4, 1)
    assert np.isnan([found.values[1], found.permuted[1], found.low[:, 1], found.high[:, 1]]).all()
    assert np.isfinite([found.values[0, 2], found.permuted[0, 2], found.low[0, 2], found.high[0, 2]]).all()


@pytest.mark.parametrize("measure", LEAST)
def test_a_layer_without_values_leaves_those_of_the_others(measure):
    one, other, same = *made_layers(40, (6, 5)), np.ones((40, 3), np.float32)
    expected = all_pairs(representations([one, other]), measure, 2, 6, 1)
    layers = representations([one, same, other])
    found = all_pairs(layers, measure, 2, 6, 1)
    assert found.left_out.tolist() == [0, 3, 0]
    for name in ("values", "permuted", "low", "high"):
        others = getattr(found, name)[np.ix_([0, 2], [0, 2])]
        np.testing.assert_allclose(others, getattr(expected, name), rtol=0, atol=1e-6)
        assert np.isnan(getattr(found, name)[1]).all()


@pytest.mark.parametrize("measure", LEAST)
def test_halves_in_which_a_layer_has_no_value_count_for_the_other_layers(measure):
    """The third layer varies in three items: many halves have one of them, or none."""
    one, other, nearly_constant = *made_layers(40, (6, 5)), np.ones((40, 3), np.float32)
    nearly_constant[[3, 17, 30]] = [[1, 2, 3], [2, 5, 5], [4, 1, 2]]
    expected = all_pairs(representations([one, other]), measure, 0, 30, 1)
    found = all_pairs(representations([one, other, nearly_constant]), measure, 0, 30, 1)
    for name in ("values", "low", "high"):
        np.testing.assert_allclose(getattr(found, name)[:2, :2], getattr(expected, name), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("measure", "least"), [("cka", -1), ("lincka", 0), ("maxcorr", 0)])
def test_an_interval_stays_in_the_range_of_the_measure(measure, least):
    """Twelve items: unlike and nearly equal layers, whose intervals would reach beyond."""
    one, other = made_layers(12, (2, 3))
    noise = np.random.default_rng(1).standard_normal(one.shape)
    nearly_one = (one + 0.3 * noise).astype(np.float32)
    found = all_pairs(representations([one, other, nearly_one]), measure, 0, 40, 1)
    assert found.high.max() == 1
    assert found.low.min() >= least


def test_a_number_that_is_not_finite_is_refused():
    matrices = made_layers(20, (3, 4))
    matrices[1][5, 2] = np.nan
    with pytest.raises(PolyprobeError, match="layer 1 has values that are not finite"):
        all_pairs(representations(matrices), "cka", 0, 0, 1)
