"""The majority baseline against the published one (LINSPECTOR, Şahin et al. 2020, Table 9)."""

import csv
from pathlib import Path

import pytest

from polyprobe.formats.probing_sets.linspector import read_form_pairs, read_forms
from polyprobe.formats.reading.malformed import refuse
from polyprobe.probing.baselines.memory import majority_accuracy
from polyprobe.runs.names.conf_folders import shipped

PAIR_TESTS = ("OddFeat", "SameFeat")


def published() -> list[tuple[str, str, float]]:
    """Returns language, test and accuracy in percent of each."""
    with (shipped("published") / "linspector.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for cell in csv.DictReader(file) if (cell["table"], cell["of"]) == ("9", "majority")]
    return [(cell["row"].split()[0].lower(), cell["test"], float(cell["value"])) for cell in cells]


def labels(path: Path, test: str) -> list[str]:
    read = read_form_pairs if test in PAIR_TESTS else read_forms
    return [row.label for row in read(path, refuse)]


@pytest.mark.real_data
def test_the_majority_baseline_equals_all_55_published_ones(data_folder):
    assert len(published()) == 55
    found = {}
    for language, test, _ in published():
        folder = data_folder / "linspector" / "type" / language / test
        share = majority_accuracy(labels(folder / "train.txt", test), labels(folder / "test.txt", test))
        found[language, test] = round(100 * share, 1)
    assert found == {(language, test): accuracy for language, test, accuracy in published()}
