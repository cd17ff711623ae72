"""Settings from the configuration of a run never say what is imported or called."""

import pytest

from polyprobe.errors import UnknownChoice
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.foreign_names import ForeignName, trusted_language, trusted_settings

CODE = {"_target_": "os.system", "command": "true"}


def test_values_are_those_of_the_run_and_names_those_of_the_choice():
    found = trusted_settings("encoder", "char_ngrams", {"_target_": "os.system", "width": 77, "seed": 3})
    assert found == {"_target_": "polyprobe.encoders.char_ngrams.CharNgrams", "width": 77, "seed": 3}


def test_a_name_deeper_down_is_that_of_the_choice_too():
    found = trusted_settings("suite", "xprobe", {"name": "xprobe", "train_from_dev": {**CODE, "share": 0.5}})
    assert found["train_from_dev"]["_target_"] == "polyprobe.probing.suites.test_files.TrainFromDev"


def test_a_setting_that_came_later_is_as_earlier_runs_had_it():
    settings = choice_settings("encoder", "transformer")
    earlier = {key: value for key, value in settings.items() if key != "reading"}
    assert trusted_settings("encoder", "transformer", earlier)["reading"] == "words"
    assert trusted_settings("encoder", "transformer", settings)["reading"] == "text"


@pytest.mark.parametrize("hidden", [CODE, {"deeper": CODE}, [CODE], [{"deeper": [CODE]}]])
def test_nothing_is_built_where_the_choice_builds_nothing(hidden):
    with pytest.raises(ForeignName, match=r"os\.system"):
        trusted_settings("encoder", "char_ngrams", {"width": hidden})


def test_a_lack_of_the_choice_is_said():
    with pytest.raises(UnknownChoice, match="char_ngrams"):
        trusted_settings("encoder", "char_ngram", {})


def test_a_language_without_a_file_is_what_the_run_says_and_nothing_of_it_is_built():
    lang = {"code": "xno", "name": "xno", "linspector": None, "generator": None}
    assert trusted_language(lang) == lang
    with pytest.raises(ForeignName, match=r"lang.generator._target_: .*os.system"):
        trusted_language({**lang, "generator": {"_target_": "os.system", "seed": 1}})


def test_a_language_with_a_file_is_built_as_the_file_says():
    lang = {"code": "mini", "name": "Mini", "generator": {"_target_": "os.system", "seed": 2}}
    own = choice_settings("lang", "mini")["generator"]
    assert trusted_language(lang)["generator"] == {"_target_": own["_target_"], "seed": 2}
