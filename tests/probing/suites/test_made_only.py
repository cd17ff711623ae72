import pytest

from src.errors import PolyprobeError
from src.probing.suites.chosen import chosen_suite


def test_a_suite_that_is_made_says_how_it_is_made_and_probed():
    settings = {
        "_target_": "src.probing.suites.made_only.refuse_to_probe",
        "name": "sentences",
        "format": "senteval",
        "level": "sentence",
        "lowercase": False,
    }
    with pytest.raises(PolyprobeError, match=r"generate.py suite=sentences lang=.*suite=own suite.path=.*senteval"):
        chosen_suite(settings)
