from dataclasses import replace

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.arrays import write_fields
from polyprobe.runs.array_records import Predictions


def example() -> Predictions:
    return Predictions(
        test="Case",
        inputs=np.array(["talo", "talossa", "talon"]),
        lines=np.array([1, 2, 4]),
        labels=np.array(["Essive+In", "Nominative"]),
        gold=np.array([1, 0, 1]),
        layers=np.array(["encoding/0", "encoding/8"]),
        seeds=np.array([1, 2]),
        predicted=np.array([[[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [-1, -1, -1]]]),
    )


def test_what_was_written_is_read_again(tmp_path):
    read = Predictions.read(example().write(tmp_path / "predictions"))
    assert read.test == "Case"
    assert read.inputs.tolist() == ["talo", "talossa", "talon"]
    np.testing.assert_array_equal(read.predicted, example().predicted)


def test_correctness_averages_the_seeds_that_did_not_fail():
    np.testing.assert_array_equal(example().correct("encoding/0"), [1, 0.5, 0.5])
    np.testing.assert_array_equal(example().correct("encoding/8"), [1, 1, 1])


@pytest.mark.parametrize("damage", [lambda content: content[:-40], lambda content: b"", lambda content: b"x" * 100])
def test_a_damaged_file_is_named(tmp_path, damage):
    path = example().write(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions"):
        Predictions.read(path)


@pytest.mark.parametrize("name", ["../../../../marker", "Tense", "/tmp/marker", ""])
def test_a_file_about_another_test_than_its_name_says_is_refused(tmp_path, name):
    write_fields(tmp_path / "Case.npz", replace(example(), test=name))
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions \(it is about"):
        Predictions.read(tmp_path / "Case.npz")


@pytest.mark.parametrize("name", ["../../marker", "a/b", "x" * 215, "a\nb", "..", "seed=1,2"])
def test_a_test_of_any_name_is_written_into_the_folder_and_read_again(tmp_path, name):
    path = replace(example(), test=name).write(tmp_path / "predictions")
    assert path.resolve().parent == tmp_path / "predictions"
    assert Predictions.read(path).test == name


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gold", np.array([1.0, 0.0, 1.0])),
        ("predicted", np.zeros((2, 3), int)),
        ("layers", np.array(["encoding/0"])),
        ("labels", np.array([1, 2])),
        ("inputs", np.array(["talo"])),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(tmp_path, field, value):
    path = replace(example(), **{field: value}).write(tmp_path)
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions \(\w+ has"):
        Predictions.read(path)
