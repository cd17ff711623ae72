from pathlib import Path

import pytest

from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.errors import PolyprobeError
from polyprobe.runs.workspace import Workspace

SECTION = {"measures": ["cka"], "items": None, "sample": 1000}
SECTION |= {"permutations": 5, "resamples": 50, "seed": 1}
WORKSPACE = Workspace(Path("data"), Path("."), None)


def settings(section=(), tests=None):
    return SimilaritySettings.of_runs(["a", "b"], tests, {**SECTION, **dict(section)}, WORKSPACE)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"measures": ["ckaa"]}, 'measures "ckaa" is unknown. Did you mean cka'),
        ({"sample": 0}, "sample must be an integer of at least 1, got 0"),
        ({"resamples": 1}, "resamples must be an integer of at least 2"),
        ({"items": 8}, "items must be a file"),
    ],
)
def test_a_value_out_of_its_range_is_named_with_its_key(section, words):
    with pytest.raises(PolyprobeError) as error:
        settings(section)
    assert words in str(error.value)


def test_items_are_of_a_file_or_of_tests():
    with pytest.raises(PolyprobeError, match=r"tests must be null where items names a file"):
        settings({"items": "lines.txt"}, tests=["Case"])
