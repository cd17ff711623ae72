"""Settings from the configuration of a run never say what is imported or called."""

import pytest

from src.errors import UnknownChoice
from src.runs.names.closed_table import NotInTable
from src.runs.names.trusted_choice import trusted_settings

CODE = {"_target_": "os.system", "command": "true"}


def test_values_are_those_of_the_run_and_names_those_of_the_choice():
    found = trusted_settings("encoder", "char_ngrams", {"_target_": "os.system", "width": 77, "seed": 3})
    assert found == {"_target_": "src.encoders.char_ngrams.CharNgrams", "width": 77, "seed": 3}


def test_a_name_deeper_down_is_that_of_the_choice_too():
    found = trusted_settings("suite", "xprobe", {"name": "xprobe", "train_from_dev": {**CODE, "share": 0.5}})
    assert found["train_from_dev"]["_target_"] == "src.probing.suites.test_files.TrainFromDev"


@pytest.mark.parametrize("hidden", [CODE, {"deeper": CODE}, [CODE], [{"deeper": [CODE]}]])
def test_nothing_is_built_where_the_choice_builds_nothing(hidden):
    with pytest.raises(NotInTable, match=r"os\.system"):
        trusted_settings("encoder", "char_ngrams", {"width": hidden})


def test_a_lack_of_the_choice_is_said():
    with pytest.raises(UnknownChoice, match="char_ngrams"):
        trusted_settings("encoder", "char_ngram", {})
