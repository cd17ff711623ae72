"""The scores of regions: each test suite in a file that is named after it."""

from dataclasses import fields, replace

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.runs.array_records import RegionScores

SCORES = RegionScores(
    test="number_src",
    numbers=np.array([1, 3]),
    left_out=np.array(["", "too long"]),
    sentences=np.array(["a hen eats", "hens eat"]),
    conditions=np.array(["match", "match"]),
    set_of_sentence=np.array([0, 1]),
    sentence_of_region=np.array([0, 0, 1]),
    region_numbers=np.array([1, 2, 1]),
    models=np.array(["s1"]),
    surprisals=np.array([[1.0, 2.0, 3.0]]),
    predictions=np.array(["(1;%match%) > 0", "(2;%match%) > 5"]),
    margins=np.array([[[1.0, np.nan], [-3.0, np.nan]]]),
)


def test_scores_are_read_as_they_were_written(tmp_path):
    found = RegionScores.read(SCORES.write(tmp_path))
    for field in fields(SCORES):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(SCORES, field.name))


def test_an_item_is_right_by_its_least_margin():
    np.testing.assert_array_equal(SCORES.all_margins, [[-3.0, np.nan]])
    assert SCORES.lemmas.tolist() == ["1", "3"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("set_of_sentence", np.array([0, 2])),
        ("sentence_of_region", np.array([0, 0, -1])),
        ("surprisals", np.zeros((2, 3))),
        ("margins", np.zeros((1, 2, 3))),
        ("conditions", np.array([1, 2])),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(tmp_path, field, value):
    path = replace(SCORES, **{field: value}).write(tmp_path)
    with pytest.raises(PolyprobeError, match=r"number_src\.npz is not a readable file of region scores"):
        RegionScores.read(path)
