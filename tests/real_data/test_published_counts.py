"""The counts of published sets in conf/experiment are those of the published files."""

from collections import Counter
from pathlib import Path

import pytest

from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.splits import SPLITS

pytestmark = pytest.mark.real_data
LANGUAGES = {"de": "german", "es": "spanish", "fi": "finnish", "ru": "russian", "tr": "turkish"}
NOT_IN_THE_TABLE = {"CharacterCount"}  # published as files alone


def counts(test: Path) -> dict[str, int]:
    lines = (line for split in SPLITS for line in (test / f"{split}.txt").read_text(encoding="utf-8").splitlines())
    return dict(Counter(line.rpartition("\t")[2] for line in lines if line))


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_published_counts_are_those_of_the_files(code: str, data_folder: Path):
    rows = choice_settings("experiment", "linspector_sets")["expected"]["languages"][code]["rows"]
    tests = [test for test in (data_folder / "linspector/type" / LANGUAGES[code]).iterdir() if test.is_dir()]
    found = {test.name: counts(test) for test in tests if test.name not in NOT_IN_THE_TABLE}
    assert {row["test"]: row["labels"] for row in rows} == found


@pytest.mark.parametrize("code", sorted({*LANGUAGES} - {"es"}))  # no Spanish file is at hand
def test_the_published_counts_of_token_level_sets_are_those_of_the_files(code: str, data_folder: Path):
    rows = choice_settings("experiment", "linspector_token_sets")["expected"]["languages"][code]["rows"]
    folder = data_folder / "linspector/token" / LANGUAGES[code]
    found = {test.name.replace("Part of Speech", "POS"): counts(test) for test in folder.iterdir()}
    assert {row["test"]: row["labels"] for row in rows} == found
