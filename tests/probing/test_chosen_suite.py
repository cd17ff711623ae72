import pytest

from src.formats.errors import PolyprobeError
from src.probing.chosen_suite import chosen_suite


def test_minimal_sets_are_no_suite_for_probes():
    with pytest.raises(PolyprobeError, match=r"suite=clams has minimal sets.*python generate\.py suite=clams"):
        chosen_suite({"name": "clams", "grammars": "clams/grammars/{language}"})
