"""What files call classes and functions of ours, whatever module they stand in."""

import pytest

from polyprobe.runs.names.identity import lasting_name


@pytest.mark.parametrize(
    "written",
    [
        "src.models.layers.given_vectors.GivenVectors",
        "src.models.inputs.frozen_vectors.GivenVectors",
        "GivenVectors",
        "polyprobe.models.inputs.frozen_vectors.FrozenVectors",
        "FrozenVectors",
    ],
)
def test_frozen_vectors_have_one_name_in_files_of_all_versions(written):
    assert lasting_name(written) == "FrozenVectors"


def test_a_class_of_a_user_keeps_its_module():
    assert lasting_name("mine.GivenVectors") == "mine.GivenVectors"


def test_a_word_that_named_a_reader_only_with_its_module_is_not_taken_for_it():
    assert lasting_name("read") == "read"
    assert lasting_name("src.formats.linspector_pos.read") == "linspector_pos_sentences"
