"""Measures of similarity, against working by hand, definitions written out, and scipy."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group, spearmanr

from polyprobe.analysis.similarity.all_pairs import similarity
from polyprobe.analysis.similarity.measures import MEASURES, NoSimilarity, constant_columns
from polyprobe.analysis.similarity.subspaces import mean_by_products
from polyprobe.errors import UnknownChoice
from polyprobe.runs.metric_units import METRICS
from tests.analysis.similarity.plain_measures import plain_similarity

DIRECTED = [name for name, measure in MEASURES.items() if measure.is_directed]
SYMMETRIC = [name for name, measure in MEASURES.items() if not measure.is_directed]
STANDARDISED = [name for name, measure in MEASURES.items() if measure.is_standardised]

seeds = st.integers(0, 10_000)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def rotation(n, seed=0):
    return ortho_group.rvs(n, random_state=seed)


def test_the_measures_and_which_of_them_have_a_direction():
    assert DIRECTED == ["maxcorr", "mincorr", "linreg", "pwcca"]
    assert SYMMETRIC == ["svcca", "lincka", "rbfcka", "cka", "rbf_cka", "rsa", "procrustes"]


@pytest.mark.parametrize("measure", SYMMETRIC)
def test_symmetric_measures_are(measure):
    x, y = normal(30, 5), normal(30, 4, seed=1)
    assert similarity(x, y, measure) == pytest.approx(similarity(y, x, measure), abs=1e-12)


@pytest.mark.parametrize("measure", DIRECTED)
def test_directed_measures_ask_how_well_the_second_covers_the_first(measure):
    x = normal(30, 3)
    more = np.hstack([x, normal(30, 3, seed=1)])
    assert similarity(x, more, "maxcorr") == pytest.approx(1)
    assert similarity(x, more, measure) != pytest.approx(similarity(more, x, measure))


@pytest.mark.parametrize("measure", MEASURES)
def test_vectors_are_fully_like_themselves_at_any_scale_and_place(measure):
    x = normal(40, 6)
    assert similarity(x, x, measure) == pytest.approx(1)
    if measure != "pwcca":  # whose weights see where the vectors are
        other = normal(40, 5, seed=2)
        found = similarity(x, other, measure)
        moved = 0 if measure == "rsa" else np.arange(6)  # a shift of some neurons changes correlations over neurons
        assert similarity(1e3 * x + moved, other, measure) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("n_items", [5, 9, 40, 150])
@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_is_what_its_formula_says(measure, n_items):
    x, y = normal(n_items, 12) + 3, normal(n_items, 7, seed=1)
    y[:, :3] += x[:, :3]
    assert similarity(x, y, measure) == pytest.approx(plain_similarity(x, y, measure), abs=1e-11)


def test_maxcorr_is_the_best_correlation_of_each_neuron():
    x = np.array([[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]])
    y = np.array([[1.0], [2.0], [4.0]])
    # Deviations -1, 0, 1 and 1/3, -2/3, 1/3 against -4/3, -1/3, 5/3: 3 / sqrt(2 * 42/9) and 1/3 / sqrt(6/9 * 42/9).
    first, second = 3 / np.sqrt(28 / 3), (1 / 3) / np.sqrt(28 / 9)
    assert similarity(x, y, "maxcorr") == similarity(x, y, "mincorr") == pytest.approx((first + second) / 2)
    assert similarity(y, x, "maxcorr") == pytest.approx(first)


@given(seeds)
@settings(max_examples=20)
def test_maxcorr_does_not_see_order_sign_or_scale_of_neurons(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(20, 4)), random.normal(size=(20, 5))
    order, factors = random.permutation(5), random.choice([-1, 1], size=5) * random.uniform(0.1, 10, size=5)
    assert similarity(x, y[:, order] * factors, "maxcorr") == pytest.approx(similarity(x, y, "maxcorr"))


def test_maxcorr_keeps_its_digits_far_from_zero():
    x, y = np.random.default_rng(0).integers(9, size=(2, 30, 4)).astype(np.float64)
    assert similarity(x + 1e9, y - 1e9, "maxcorr") == pytest.approx(similarity(x, y, "maxcorr"), abs=1e-12)


def test_linreg_is_the_multiple_correlation():
    x, y = normal(25, 3), normal(25, 4, seed=1)
    designs = np.hstack([np.ones((25, 1)), y])
    predicted = designs @ np.linalg.lstsq(designs, x, rcond=None)[0]
    expected = np.mean([np.corrcoef(*pair)[0, 1] for pair in zip(x.T, predicted.T, strict=True)])
    assert similarity(x, y, "linreg") == pytest.approx(expected)
    assert similarity(x, y @ normal(4, 4, seed=2), "linreg") == pytest.approx(expected)
    # A column twice adds no direction.
    assert similarity(x, y[:, [0, 1, 2, 3, 3]], "linreg") == pytest.approx(expected)


def test_linreg_is_one_with_as_many_neurons_as_items():
    assert similarity(normal(10, 3), normal(10, 12, seed=1), "linreg") == pytest.approx(1)


@pytest.mark.parametrize("measure", ["svcca", "pwcca"])
def test_the_direction_that_crosses_99_percent_is_left_out(measure):
    vectors = normal(50, 4)
    a, b, c, d = np.linalg.qr(vectors - vectors.mean(axis=0))[0].T  # uncorrelated
    # Two of three columns are one direction, with two thirds of the variance; the other one reaches 100 %.
    x = np.column_stack([a, -2 * a, b])
    y = np.column_stack([a + np.sqrt(3) * c, a + np.sqrt(3) * c, d])
    assert similarity(x, y, measure) == pytest.approx(1 / 2)


@pytest.mark.parametrize("measure", ["svcca", "pwcca"])
def test_canonical_correlations_need_a_direction_below_99_percent(measure):
    line = np.linspace(-1, 1, 40)[:, None]
    x = line * [1, 2, 3] + 1e-3 * normal(40, 3)
    with pytest.raises(NoSimilarity, match=r"first direction of x holds 100.00 % of the variance of its 3 standard"):
        similarity(x, normal(40, 3, seed=1), measure)
    with pytest.raises(NoSimilarity, match="first direction of y"):
        similarity(normal(40, 3, seed=1), x, measure)


def test_pwcca_of_correlations_that_tie_does_not_depend_on_the_solver():
    x = normal(50, 6)
    y = x @ rotation(6)
    shuffled = np.random.default_rng(1).permutation(50)
    turned = similarity(x[shuffled], y[shuffled] @ rotation(6, seed=2), "procrustes")
    assert turned == pytest.approx(1)
    assert similarity(x[shuffled], y[shuffled], "pwcca") == pytest.approx(similarity(x, y, "pwcca"), abs=1e-9)


def test_pwcca_of_ties_is_that_of_the_mean_weights_over_all_bases():
    # The first three directions are the same in both, the fourth is at 60 degrees: correlations 1, 1, 1, 1/2.
    directions, x = np.linalg.qr(normal(30, 5))[0], normal(30, 4, seed=1) @ np.diag([1, 2, 3, 4])
    of_x = directions[:, :4]
    of_y = np.column_stack([directions[:, :3], directions[:, 3] / 2 + directions[:, 4] * np.sqrt(3) / 2])
    tied = np.abs(np.stack([(of_x[:, :3] @ rotation(3, seed)).T @ x for seed in range(4000)])).sum(axis=(1, 2)).mean()
    single = np.abs(of_x[:, 3] @ x).sum()
    expected = (tied + single / 2) / (tied + single)
    rotation_of_x, correlations, _ = np.linalg.svd(of_x.T @ of_y, full_matrices=False)
    found = mean_by_products(correlations, (of_x @ rotation_of_x).T @ x)
    assert found == pytest.approx(expected, abs=5e-4)


def test_lincka_is_the_cosine_of_centred_gram_matrices_in_either_form():
    for shapes in [((12, 3), (12, 4)), ((6, 20), (6, 30)), ((6, 2), (6, 30))]:
        x, y = normal(*shapes[0]), normal(*shapes[1], seed=1)
        centre = np.eye(len(x)) - 1 / len(x)
        one, other = (centre @ vectors @ vectors.T @ centre for vectors in (x, y))
        expected = (one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other)
        assert similarity(x, y, "lincka") == pytest.approx(expected)


@given(seeds)
@settings(max_examples=20)
def test_cka_does_not_see_rotations_and_one_scale(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(15, 4)), random.normal(size=(15, 5))
    turned = y @ rotation(5, seed) * random.uniform(0.1, 10)
    for measure in ("lincka", "cka", "rbfcka", "rbf_cka", "procrustes"):
        assert similarity(x, turned, measure) == pytest.approx(similarity(x, y, measure))


def gaussian_kernel(vectors):
    squares = np.array([[((one - other) ** 2).sum() for other in vectors] for one in vectors])
    median = sorted(squares.ravel())[(squares.size - 1) // 2]
    return np.exp(-squares / (2 * median))


def unbiased_hsic(first, second):
    """Song et al. (2012), equation 4: the mean over all quadruples of different items."""
    terms = [
        first[i, j] * second[i, j] + first[i, j] * second[q, r] - 2 * first[i, j] * second[i, q]
        for i, j, q, r in permutations(range(len(first)), 4)
    ]
    return np.mean(terms)


def biased_hsic(first, second):
    every = range(len(first))
    of_pairs = np.mean([first[i, j] * second[i, j] for i, j in product(every, every)])
    of_triples = np.mean([first[i, j] * second[i, q] for i, j, q in product(every, every, every)])
    return of_pairs + first.mean() * second.mean() - 2 * of_triples


KERNELS = {
    "lincka": (biased_hsic, lambda vectors: vectors @ vectors.T),
    "rbfcka": (biased_hsic, gaussian_kernel),
    "cka": (unbiased_hsic, lambda vectors: vectors @ vectors.T),
    "rbf_cka": (unbiased_hsic, gaussian_kernel),
}


@pytest.mark.parametrize("measure", KERNELS)
@pytest.mark.parametrize("widths", [(2, 3), (9, 11)])
def test_cka_is_the_share_of_the_hsic_written_out(measure, widths):
    hsic, kernel = KERNELS[measure]
    x, y = normal(7, widths[0]) + 2, normal(7, widths[1], seed=1)
    y[:, 0] += x[:, 0]
    of_x, of_y = kernel(x), kernel(y)
    expected = hsic(of_x, of_y) / np.sqrt(hsic(of_x, of_x) * hsic(of_y, of_y))
    assert similarity(x, y, measure) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("biased", "unbiased"), [("lincka", "cka"), ("rbfcka", "rbf_cka")])
def test_unbiased_cka_of_independent_vectors_is_zero_in_the_mean(biased, unbiased):
    random = np.random.default_rng(0)
    draws = [(random.normal(size=(20, 30)), random.normal(size=(20, 25))) for _ in range(300)]
    found = np.array([similarity(x, y, unbiased) for x, y in draws])
    assert abs(found.mean()) < 3 * found.std() / np.sqrt(300)
    assert similarity(*draws[0], biased) > 0.5


@pytest.mark.parametrize("measure", ["cka", "rbf_cka"])
def test_the_unbiased_hsic_needs_four_items_of_which_some_differ(measure):
    with pytest.raises(NoSimilarity, match=rf"There are 3 items\. {measure} needs at least 4"):
        similarity(normal(3, 2), normal(3, 2, seed=1), measure)
    alike = np.ones((6, 2))
    alike[2] = 3
    with pytest.raises(NoSimilarity, match="at most one item differs" if measure == "cka" else "half of the pairs"):
        similarity(normal(6, 2), alike, measure)


def test_a_kernel_needs_items_that_differ():
    x = np.repeat(normal(2, 3), [8, 2], axis=0)
    with pytest.raises(NoSimilarity, match="At least half of the pairs of 10 items are equal in x"):
        similarity(x, normal(10, 3), "rbfcka")


def test_rsa_ranks_the_distances_of_items():
    x, y = normal(12, 5), normal(12, 7, seed=1)
    x[4], x[5] = x[3], 2 * x[3] + 1  # equal and equally directed: distances that tie
    distances = [np.round(pdist(vectors, "correlation"), 12) for vectors in (x, y)]
    assert similarity(x, y, "rsa") == pytest.approx(spearmanr(*distances)[0])
    assert squareform(distances[0])[3, 5] == 0


def test_rsa_says_what_it_cannot_rank():
    y = normal(4, 3)
    with pytest.raises(NoSimilarity, match=r"There are 2 items\. rsa needs at least 3"):
        similarity(y[:2], y[:2], "rsa")
    with pytest.raises(NoSimilarity, match=r"4 of 4 items have one value in all 1 neurons of y, the first is item 0"):
        similarity(y, y[:, :1], "rsa")
    with pytest.raises(NoSimilarity, match="All pairs of items have the same distance in x"):
        similarity(np.arange(4.0)[:, None] * 2 + np.arange(2.0), y, "rsa")


@pytest.mark.parametrize("shapes", [((20, 4), (20, 4)), ((5, 9), (5, 9))])
def test_procrustes_is_the_distance_that_the_best_rotation_leaves(shapes):
    x, y = normal(*shapes[0]), normal(*shapes[1], seed=1)
    one, other = ((vectors - vectors.mean(axis=0)) for vectors in (x, y))
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    best = orthogonal_procrustes(other, one)[0]
    assert similarity(x, y, "procrustes") == pytest.approx(1 - np.linalg.norm(one - other @ best) ** 2 / 2)
    assert similarity(x, x @ rotation(shapes[0][1]), "procrustes") == pytest.approx(1)


def test_procrustes_is_zero_where_nothing_correlates():
    x = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    assert similarity(x, np.array([[1.0], [1.0], [-1.0], [-1.0]]), "procrustes") == pytest.approx(0)


@pytest.mark.parametrize("measure", STANDARDISED)
def test_a_constant_column_is_refused_where_columns_are_standardised(measure):
    x, y = normal(50, 5), normal(50, 4, seed=1)
    x[:, 3] = 0.1
    with pytest.raises(NoSimilarity, match=r"^column 3 of x is constant over 50 items: it has no correlation"):
        similarity(x, y, measure)
    y[:, [0, 2]] = 1 / 3
    with pytest.raises(NoSimilarity, match=r"^column 0 of y is constant over 50 items \(2 of 4 columns are\)"):
        similarity(x[:, :3], y, measure)
    assert constant_columns(x).tolist() == [3]
    assert constant_columns(y).tolist() == [0, 2]


@pytest.mark.parametrize("measure", ["lincka", "rbfcka", "cka", "rbf_cka", "procrustes"])
def test_a_constant_column_says_nothing_elsewhere_unless_all_are(measure):
    x, y = normal(20, 5), normal(20, 4, seed=1)
    x[:, 3] = 0.1
    assert similarity(x, y, measure) == pytest.approx(similarity(np.delete(x, 3, axis=1), y, measure))
    with pytest.raises(NoSimilarity, match="Y has the same vector for all 20 items"):
        similarity(x, np.full((20, 2), 0.1), measure)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.ones(4), normal(4, 2), r"x has the shape \[4\]"),
        (normal(4, 2), np.ones((4, 0)), r"y has the shape \[4, 0\]"),
        (normal(1, 2), normal(1, 2), r"x has the shape \[1, 2\]"),
        (normal(4, 2), normal(5, 2), "x has 4 items, y has 5"),
        (normal(4, 2), np.array([[1, 2], [3, np.nan], [np.inf, 1], [1, 1]]), r"y has 2 values .* at item 1, column 1"),
    ],
)
@pytest.mark.parametrize("measure", ["maxcorr", "cka"])
def test_vectors_that_cannot_be_compared_are_refused(measure, x, y, message):
    with pytest.raises(NoSimilarity, match=message):
        similarity(x, y, measure)


@pytest.mark.parametrize("measure", MEASURES)
def test_very_large_and_very_small_vectors_are_compared_alike(measure):
    x, y = normal(10, 3), normal(10, 3, seed=1)
    found = similarity(x, y, measure)
    assert similarity(1e200 * x, 1e-200 * y, measure) == pytest.approx(found)
    if MEASURES[measure].is_standardised and measure != "pwcca":
        assert similarity(x * [1, 1e-150, 1e150], y, measure) == pytest.approx(found)


def test_sizes_that_float64_cannot_hold_beside_each_other_are_refused():
    x = normal(10, 3)
    x[:, 0] = 1e300
    with pytest.raises(NoSimilarity, match="cka is nan: the values of x or of y are of too different sizes"):
        similarity(x, normal(10, 2), "lincka")


def test_an_unknown_measure_names_the_nearest():
    with pytest.raises(UnknownChoice, match=r'measure "linkca" is unknown. Did you mean lincka'):
        similarity(normal(4, 2), normal(4, 2), "linkca")


def test_every_measure_is_a_metric_of_rows():
    assert set(MEASURES) <= set(METRICS)
