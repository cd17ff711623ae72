"""Majority and memoriser on every type- and token-level set at hand, against figures measured apart from this code.

A form that has several labels in train equally often is one that the figures label as its first row in train, and we by
the order of labels: `tied` counts the test rows with such a form, the only ones where the two can differ.
"""

import csv
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
import yaml

from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.baselines.memory import majority_accuracy, memoriser_accuracy
from polyprobe.probing.suites.tests import inputs, load_test
from polyprobe.runs.names.conf_folders import choice_files, choice_settings

pytestmark = pytest.mark.real_data

CONF = Path(__file__).parents[2] / "conf"
N_TEST_ROWS = 1000


def measured():
    with open(Path(__file__).parent / "linspector_baselines.csv", encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


@cache
def languages():
    return [choice_settings("lang", code) for code in choice_files("lang")]


def probing_test(level, folder, test_folder, root):
    suite = built(yaml.safe_load((CONF / f"suite/linspector_{level}.yaml").read_text()), "suite")
    name = {folder: test for test, folder in suite.folders.items()}.get(test_folder, test_folder)
    (language,) = (one for one in languages() if (one["linspector"] or {}).get(level) == folder)
    return load_test(suite, language, name, root, None, refuse)


def looked_up(train_inputs, train_labels, test_inputs, test_labels):
    """The share of right labels where the first row in train decides ties, and the test rows whose form ties."""
    counts = defaultdict(Counter)
    for known, label in zip(train_inputs, train_labels, strict=True):
        counts[known][label] += 1
    (majority, _), *_ = Counter(train_labels).most_common(1)
    right = tied = 0
    for asked, label in zip(test_inputs, test_labels, strict=True):
        ranked = counts[asked].most_common() if asked in counts else [(majority, 1)]
        right += ranked[0][0] == label
        tied += len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return right / len(test_labels), tied


def test_there_are_figures_for_all_98_sets_at_hand(data_folder):
    at_hand = {tuple(path.parts[-3:]) for path in data_folder.glob("linspector/*/*/*")}
    assert {(row["level"], row["language"], row["test"]) for row in measured()} == at_hand
    assert len(at_hand) == 98


@pytest.mark.parametrize("row", measured(), ids=lambda row: "-".join(row[key] for key in ("level", "language", "test")))
def test_majority_and_memoriser_are_the_measured_ones(row, data_folder):
    test = probing_test(row["level"], row["language"], row["test"], data_folder)
    labels = {split: [test.labels[n] for n in getattr(test, split).label_ids] for split in ("train", "test")}
    both = inputs(test.train), labels["train"], inputs(test.test), labels["test"]
    memoriser, (first_row, tied) = memoriser_accuracy(*both), looked_up(*both)
    assert round(100 * majority_accuracy(labels["train"], labels["test"]), 1) == float(row["majority"])
    assert abs(memoriser - first_row) <= tied / N_TEST_ROWS + 1e-9
    if row["form_lookup"]:
        assert round(100 * first_row, 1) == float(row["form_lookup"])
    else:  # a memoriser can differ from the majority only where train has the very input
        n_known = int(row["test_inputs_also_in_train"])
        assert abs(100 * memoriser - float(row["majority"])) <= 100 * n_known / N_TEST_ROWS + 1e-9
