"""Records of a test in arrays: written and read again whole, in files that are named after their tests, or refused."""

from dataclasses import fields, replace

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.arrays import write_fields
from polyprobe.runs.array_records import NO_EPOCH, NeuronWeights, Predictions
from tests.analysis.handmade_minimal_sets import set_scores

PREDICTIONS = Predictions(
    test="Case",
    inputs=np.array(["talo", "talossa", "talon"]),
    lines=np.array([1, 2, 4]),
    labels=np.array(["Essive+In", "Nominative"]),
    gold=np.array([1, 0, 1]),
    layers=np.array(["encoding/0", "encoding/8"]),
    seeds=np.array([1, 2]),
    predicted=np.array([[[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [-1, -1, -1]]]),
)
SCORES = set_scores("vp_coord", {"s1": [1, -1]})
WEIGHTS = NeuronWeights(
    test="Case",
    labels=np.array(["Gen", "Nom"]),
    layers=np.array(["0", "1"]),
    widths=np.array([2, 1]),
    epochs=np.array([NO_EPOCH]),
    seeds=np.array([1]),
    weights=np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3),
    biases=np.zeros((1, 1, 2), np.float32),
    searched=np.zeros((1, 1, 4, 6)),
    control_weights=np.zeros((0, 1, 2, 3), np.float32),
    control_biases=np.zeros((0, 1, 2), np.float32),
)


@pytest.mark.parametrize("record", [PREDICTIONS, SCORES, WEIGHTS], ids=lambda record: record.what)
@pytest.mark.parametrize("name", ["Case", "../../marker", "a/b", "x" * 215, "a\nb", "..", "seed=1,2"])
def test_what_was_written_is_read_again_whatever_its_test_is_called(record, name, tmp_path):
    path = replace(record, test=name).write(tmp_path / "records")
    assert path.resolve().parent == tmp_path / "records"
    read = type(record).read(path)
    assert read.test == name
    for field in fields(record)[1:]:
        np.testing.assert_array_equal(getattr(read, field.name), getattr(record, field.name))


@pytest.mark.parametrize("name", ["../../../../marker", "Tense", "/tmp/marker", ""])
def test_a_file_about_another_test_than_its_name_says_is_refused(name, tmp_path):
    write_fields(tmp_path / "Case.npz", replace(PREDICTIONS, test=name))
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions \(it is about"):
        Predictions.read(tmp_path / "Case.npz")


@pytest.mark.parametrize("damage", [lambda content: content[:-40], lambda content: b"", lambda content: b"x" * 100])
def test_a_damaged_file_is_named(damage, tmp_path):
    path = PREDICTIONS.write(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions"):
        Predictions.read(path)


@pytest.mark.parametrize(
    ("record", "field", "value"),
    [
        (PREDICTIONS, "gold", np.array([1.0, 0.0, 1.0])),
        (PREDICTIONS, "predicted", np.zeros((2, 3), int)),
        (PREDICTIONS, "layers", np.array(["encoding/0"])),
        (PREDICTIONS, "labels", np.array([1, 2])),
        (SCORES, "sums", np.zeros((2, 4))),
        (SCORES, "is_identical", np.array([0.0, 1.0])),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(record, field, value, tmp_path):
    path = replace(record, **{field: value}).write(tmp_path)
    with pytest.raises(PolyprobeError, match=rf"is not a readable file of {record.what} \(\w+ has"):
        type(record).read(path)


def test_correctness_averages_the_seeds_that_did_not_fail():
    np.testing.assert_array_equal(PREDICTIONS.correct("encoding/0"), [1, 0.5, 0.5])
    np.testing.assert_array_equal(PREDICTIONS.correct("encoding/8"), [1, 1, 1])
