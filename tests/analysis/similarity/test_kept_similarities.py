import numpy as np

from polyprobe.analysis.similarity.measures import PairValues, keep, kept

LAYERS = ["transformer 0 ab12", "transformer 1 ab12"]
VALUES = PairValues(
    *(np.full((2, 2), number) for number in (0.5, 0.1, 0.4, np.nan)), np.array([0, 3]), np.array(["", "alike"])
)


def test_what_is_kept_is_read_again(tmp_path):
    keep(tmp_path, "Case", "cka", LAYERS, VALUES)
    found = kept(tmp_path, "Case", "cka", LAYERS)
    for name in ("values", "permuted", "low", "high", "left_out"):
        assert np.array_equal(getattr(found, name), getattr(VALUES, name), equal_nan=True)
    assert found.undefined.tolist() == ["", "alike"]
    assert kept(tmp_path, "Case", "maxcorr", LAYERS) is None
    assert kept(tmp_path, "Number", "cka", LAYERS) is None


def test_similarities_of_other_layers_are_not_taken(tmp_path):
    keep(tmp_path, "Case", "cka", LAYERS, VALUES)
    assert kept(tmp_path, "Case", "cka", LAYERS[::-1]) is None
    assert kept(tmp_path, "Case", "cka", LAYERS[:1]) is None


def test_similarities_of_other_vectors_are_not_taken(tmp_path):
    keep(tmp_path, "Case", "cka", LAYERS, VALUES)
    assert kept(tmp_path, "Case", "cka", [LAYERS[0], "transformer 1 cd34"]) is None


def test_a_damaged_file_is_named_and_its_measure_computed_again(tmp_path, caplog):
    keep(tmp_path, "Case", "cka", LAYERS, VALUES)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert kept(tmp_path, "Case", "cka", LAYERS) is None
    assert str(file) in caplog.text
