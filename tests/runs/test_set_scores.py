"""The scores of minimal sets: each construction in a file that is named after it."""

from dataclasses import replace

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.arrays import write_fields
from polyprobe.runs.array_records import SetScores
from tests.analysis.handmade_minimal_sets import set_scores

SCORES = set_scores("vp_coord", {"s1": [1, -1]})


def test_a_construction_of_any_name_is_written_into_the_folder_and_read_again(tmp_path):
    path = replace(SCORES, test="../../vp/coord").write(tmp_path / "set_scores")
    assert path.resolve().parent == tmp_path / "set_scores"
    assert SetScores.read(path).test == "../../vp/coord"


def test_a_file_about_another_construction_than_its_name_says_is_refused(tmp_path):
    write_fields(tmp_path / "vp_coord.npz", replace(SCORES, test="../../marker"))
    with pytest.raises(PolyprobeError, match=r"vp_coord\.npz is not a readable file of set scores \(it is about"):
        SetScores.read(tmp_path / "vp_coord.npz")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sums", np.zeros((2, 4))),
        ("models", np.array([1])),
        ("is_identical", np.array([0.0, 1.0])),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(tmp_path, field, value):
    path = replace(SCORES, **{field: value}).write(tmp_path)
    with pytest.raises(PolyprobeError, match=r"vp_coord\.npz is not a readable file of set scores \(\w+ has"):
        SetScores.read(path)
