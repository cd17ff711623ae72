"""Measures of similarity beside what the released code of Wu et al. (2020) returned (`similarity_cases`)."""

import json
from itertools import permutations

import numpy as np
import pytest

from tests.analysis.similarity.made_layers import similarity

pytestmark = pytest.mark.real_data

CASES = (
    "constant_column",
    "fewer_rows_than_columns",
    "independent",
    "large_offset",
    "linear_map_with_noise",
    "one_dominant_direction",
    "permuted_signed_scaled",
    "relu_units",
    "rotated",
    "three_models",
)
WHERE = {  # in `expected.json`: the measure's section, and its name in there
    "maxcorr": ("maxcorr", "similarity"),
    "mincorr": ("mincorr", "similarity"),
    "lincka": ("lincka", "similarity"),
}


@pytest.fixture(params=CASES)
def case(request, data_folder):
    return data_folder / "similarity_cases" / request.param


def read(case):
    expected = json.loads((case / "expected.json").read_text())
    return expected, {name: np.loadtxt(case / f"{name}.csv", delimiter=",", ndmin=2) for name in expected["columns"]}


def tolerance(case, measure):
    return 1e-8 if case.name == "large_offset" and measure in ("maxcorr", "mincorr") else 1e-9


@pytest.mark.parametrize("measure", WHERE)
def test_every_pair_has_the_released_similarity_where_that_is_a_number(case, measure):
    """It is none where a column is constant, which is left out here."""
    expected, vectors = read(case)
    section, name = WHERE[measure]
    for x, y in permutations(vectors, 2):
        released = expected["measures"][section].get(name, {}).get(x, {}).get(y)
        if isinstance(released, float) and np.isfinite(released):
            found = similarity(vectors[x], vectors[y], measure)
            assert found == pytest.approx(released, rel=0, abs=tolerance(case, measure))


def test_the_other_columns_are_compared_without_a_constant_one(data_folder):
    _, vectors = read(data_folder / "similarity_cases/constant_column")
    # The mean of the four numbers that the released code has for the other columns.
    best = [0.3083786232535497, 0.25458966929560317, 0.40736243482549334, 0.18403238580504105]
    assert similarity(vectors["a"], vectors["b"], "maxcorr") == pytest.approx(np.mean(best), abs=1e-9)


def test_unbiased_cka_of_independent_vectors_is_near_zero_where_the_biased_is_not(data_folder):
    _, vectors = read(data_folder / "similarity_cases/fewer_rows_than_columns")
    assert similarity(vectors["a"], vectors["b"], "lincka") > 0.6
    assert abs(similarity(vectors["a"], vectors["b"], "cka")) < 0.1
