"""Every suite of probing tests that can be made, on the files that lang=mini generates."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.generation.door import making_settings
from polyprobe.generation.grammars.evaluation_sets import PROBING_TESTS
from polyprobe.generation.maker import LeftOut, MakingSettings, Written
from polyprobe.generation.suites import MAKERS
from tests.runs.composed import composed

ONE_TEST = {
    "linspector_type": ["tests=[Tense]"],
    "linspector_token": ["tests=[Possession]"],
    "sentences": ["tests=[NShift]"],
    "pseudowords": ["pseudowords.seed_words=160"],
}


def settings_of(suite: str, mini_folder: Path, folder: Path, *overrides: str) -> MakingSettings:
    made = ["lang=mini", "lang.generator=null", f"paths.data={mini_folder}", f"paths.work={folder}"]
    return making_settings(composed("generate", f"suite={suite}", *made, *overrides))


def made(suite: str, mini_folder: Path, folder: Path, *overrides: str) -> Iterator[Written | LeftOut]:
    settings = settings_of(suite, mini_folder, folder, *overrides)
    return MAKERS[suite].of(settings).make(folder / "sets", settings.tests)


def known(suite: str, mini_folder: Path, folder: Path, *overrides: str) -> Mapping[str, Any]:
    settings = settings_of(suite, mini_folder, folder, *overrides)
    return MAKERS[suite].of(settings).known_by(settings)


@pytest.mark.parametrize("suite", MAKERS)
def test_a_test_of_scaled_size_is_made_of_the_generated_files(suite, mini_folder, tmp_path):
    (test,) = made(suite, mini_folder, tmp_path, *ONE_TEST[suite])
    assert isinstance(test, Written)
    assert 300 <= sum(test.statistics["items"].values()) <= 10_000


@pytest.mark.parametrize("suite", MAKERS)
def test_tests_of_another_capital_of_i_are_another_run(suite, mini_folder, tmp_path):
    dotless, dotted = (known(suite, mini_folder, tmp_path, f"dotless_i={choice}") for choice in ("true", "false"))
    assert dotless != dotted


def test_the_command_says_what_the_capital_of_i_is(mini_folder, tmp_path):
    def options(suite: str):
        (test,) = made(suite, mini_folder, tmp_path, "dotless_i=false", *ONE_TEST[suite])
        return test.statistics["options"]

    assert options("linspector_type")["language"]["dotless_i"] is False
    assert options("pseudowords")["case"] == "unicode"


def test_the_file_of_a_language_sets_what_pairs_of_its_words_are_kept(mini_folder, tmp_path):
    file = ["+lang.made_with.odd_feat={Case: 0.25}", "+lang.made_with.group_size={Case: 4}"]
    asked = "linspector_type", mini_folder, tmp_path, "tests=[OddFeat]"
    assert known(*asked, *file) != known(*asked)
    (test,) = made(*asked, *file)
    of_language = test.statistics["options"]["language"]
    assert of_language["odd_feat"] == {"Case": 0.25}
    assert of_language["group_size"] == {"Polarity": 30, "other": 10, "Case": 4}


MALFORMED = {  # what a test of the suite is made from, and a line that cannot be read
    "linspector_type": ("unimorph", "ev\tevi\n"),
    "sentences": ("treebanks", "1\tev\n\n"),
    "linspector_token": ("treebanks", "1\tev\n\n"),
    "pseudowords": ("syllables", "ev\n"),
}


@pytest.mark.parametrize("suite", MAKERS)
def test_a_malformed_line_is_told_with_the_key_that_leaves_it_out(suite, mini_folder, tmp_path):
    kind, line = MALFORMED[suite]
    (tmp_path / "bad").write_text(line, encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"line 1: .* places: on_malformed=skip$"):
        list(made(suite, mini_folder, tmp_path, f"made_from.{kind}={tmp_path / 'bad'}"))


def test_a_suite_that_cannot_be_made_is_told_which_can():
    assert {*PROBING_TESTS} == set(MAKERS)
