"""The published sentence-level tests as a probing run reads them: rows, odd places, majorities."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.baselines.memory import majority_accuracy
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.tests import load_test
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.splits import SPLITS

pytestmark = pytest.mark.real_data

CONF = Path(__file__).parents[2] / "conf"
SENTEVAL_FORMAT = {
    "rusenteval/gapping": (6233, 1649, 741),
    "eger2020/ru/bigram_shift": (8002, 999, 999),
    "eger2020/ru/subj_number": (9878, 1000, 1000),
    "eger2020/ru/voice": (8002, 999, 999),
    "eger2020/ru/sv_dist": (6587, 822, 822),
    "eger2020/tr/bigram_shift": (8002, 999, 999),
    "eger2020/tr/subj_number": (3040, 500, 500),
    "eger2020/tr/voice": (6419, 999, 999),
    "eger2020/tr/sv_dist": (450, 596, 596),
}
SAMPLES = {
    "sentence_length": 24,
    "word_content": 28,
    "tree_depth": 38,
    "top_constituents": 43,
    "bigram_shift": 36,
    "past_present": 31,
    "subj_number": 26,
    "obj_number": 26,
    "odd_man_out": 24,
    "coordination_inversion": 21,
}
XPROBE = {  # rows of va and te, majority on te in percent, where measured
    "en/bigram_shift": (10000, 10000, 54.81),
    "en/subj_number": (10000, 10000, 50.01),
    "en/word_content": (10000, 10000, None),
    "en/past_present": (5000, 2000, 50.15),
    "en/coordination_inversion": (5000, 2000, 50.40),
    "en/obj_number": (5000, 2000, 50.35),
    "en/odd_man_out": (5000, 2000, 49.90),
    "en/sentence_length": (4998, 2499, None),  # all six labels tie in va
    "ru/bigram_shift": (5000, 2000, 58.30),
    "ru/subj_number": (5000, 2000, 49.00),
    "ru/past_present": (5000, 2000, 51.35),
    "ru/coordination_inversion": (5000, 2000, 51.50),
    "ru/sentence_length": (4998, 2499, None),
    "fi/bigram_shift": (5000, 2000, 56.90),
    "fi/subj_number": (4526, 1831, 50.90),
}
MAJORITIES = {  # percent, exact to two decimals
    ("rusenteval", "ru", "Gapping"): 63.43,
    ("eger2020", "ru", "BShift"): 51.25,
    ("eger2020", "ru", "SubjNum"): 50.00,
    ("eger2020", "ru", "Voice"): 67.97,
    ("eger2020", "ru", "SVDist"): 51.34,
    ("eger2020", "tr", "BShift"): 50.45,
    ("eger2020", "tr", "SubjNum"): 83.40,
    ("eger2020", "tr", "Voice"): 86.29,
    ("eger2020", "tr", "SVDist"): 65.44,
}


def load(suite_name, code, test, root):
    suite = built(yaml.safe_load((CONF / "suite" / f"{suite_name}.yaml").read_text()), "suite")
    language = choice_settings("lang", code)
    return load_test(suite, language, test, root, None, refuse)


def label_names(test, split):
    return [test.labels[label_id] for label_id in getattr(test, split).label_ids]


def majority(test):
    return round(100 * majority_accuracy(label_names(test, "train"), label_names(test, "test")), 2)


@pytest.mark.parametrize("name", SENTEVAL_FORMAT)
def test_files_in_the_format_of_senteval_have_their_rows(name, data_folder):
    file = data_folder / f"{name}.txt"
    rows = list(senteval.read(file, refuse))
    counts = Counter(row.split for row in rows)
    assert tuple(counts[split] for split in SPLITS) == SENTEVAL_FORMAT[name]
    assert senteval.sizes(file) == counts


@pytest.mark.parametrize("name", SENTEVAL_FORMAT)
def test_files_in_the_format_of_senteval_are_written_back_but_for_a_last_line_feed(name, data_folder, tmp_path):
    file = data_folder / f"{name}.txt"
    senteval.write(senteval.read(file, refuse), tmp_path / "copy")
    original = file.read_bytes()
    assert (tmp_path / "copy").read_bytes() == original.removesuffix(b"\n") + b"\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_of_senteval_keeps_its_rows_with_lone_quotation_marks(name, data_folder):
    rows = list(senteval.read(data_folder / f"senteval/samples/{name}.txt", refuse))
    assert len(rows) == SAMPLES[name]
    assert {row.split for row in rows} == {"train", "test"}


def test_the_rows_of_rusentevals_sample_are_read(data_folder):
    assert len(list(senteval.read(data_folder / "rusenteval/samples/sent_len.txt", refuse))) == 6


def test_gapping_has_its_odd_characters(data_folder):
    rows = list(senteval.read(data_folder / "rusenteval/gapping.txt", refuse))
    assert Counter((row.split, row.label) for row in rows) == {
        **{("train", "0"): 4012, ("dev", "0"): 1066, ("test", "0"): 470},
        **{("train", "1"): 2221, ("dev", "1"): 583, ("test", "1"): 271},
    }
    assert sum('"' in row.sentence for row in rows) == 107
    assert sum(row.sentence.count("\u00a0") for row in rows) == 123
    assert sum(row.sentence.count("\x1e") for row in rows) == 1


@pytest.mark.parametrize("name", XPROBE)
def test_parts_of_xprobe_have_their_rows_and_majority_and_are_written_back(name, data_folder, tmp_path):
    folder, (n_va, n_te, published) = data_folder / "xprobe" / name, XPROBE[name]
    parts = {}
    for part in ("va", "te"):
        rows = list(senteval.read_xprobe(folder / f"{part}.txt", refuse))
        senteval.write(rows, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == (folder / f"{part}.txt").read_bytes()
        parts[part] = [row.label for row in rows]
    assert (len(parts["va"]), len(parts["te"])) == (n_va, n_te)
    if published is not None:
        assert round(100 * majority_accuracy(parts["va"], parts["te"]), 2) == published


@pytest.mark.parametrize(("code", "first_row", "first_label"), [("en", 15.77, 17.09), ("ru", 16.37, 17.01)])
def test_of_labels_that_tie_the_first_one_counts_not_that_of_the_first_row(code, first_row, first_label, data_folder):
    folder = data_folder / "xprobe" / code / "sentence_length"
    va, te = ([row.label for row in senteval.read_xprobe(folder / f"{part}.txt", refuse)] for part in ("va", "te"))
    assert set(Counter(va).values()) == {833}
    assert round(100 * te.count(va[0]) / len(te), 2) == first_row
    assert round(100 * majority_accuracy(va, te), 2) == first_label


@pytest.mark.parametrize(("suite_name", "code", "test"), MAJORITIES)
def test_the_majority_is_the_measured_one(suite_name, code, test, data_folder):
    assert majority(load(suite_name, code, test, data_folder)) == MAJORITIES[suite_name, code, test]


@pytest.mark.parametrize(
    ("suite_name", "code", "test", "note"),
    [
        ("rusenteval", "ru", "Gapping", "surplus blanks removed in 40 sentences"),
        ("eger2020", "ru", "SubjNum", "surplus blanks removed in 8 sentences"),
        ("eger2020", "tr", "SubjNum", None),
        ("xprobe", "en", "Tense", "train and dev are 80 and 20 % of va"),
    ],
)
def test_what_a_reader_must_know_is_noted(suite_name, code, test, note, data_folder):
    assert load(suite_name, code, test, data_folder).note == note


def test_the_labels_of_xprobe_are_as_frequent_in_train_as_in_dev(data_folder):
    words = load("xprobe", "en", "WC", data_folder)
    assert (len(words.train.items), len(words.dev.items), len(words.test.items)) == (8000, 2000, 10000)
    assert {*Counter(words.dev.label_ids).values()} <= {1, 2, 3}


@pytest.mark.parametrize(
    ("suite_name", "code"), [("rusenteval", "ru"), ("eger2020", "ru"), ("eger2020", "tr"), ("xprobe", "fi")]
)
def test_the_files_that_are_here_are_present_tests_the_others_can_be_fetched(suite_name, code, data_folder):
    suite = built(yaml.safe_load((CONF / "suite" / f"{suite_name}.yaml").read_text()), "suite")
    language = choice_settings("lang", code)
    states = Counter(status.state for status in available_tests(suite, language, data_folder))
    n_present, n_others = {"rusenteval": (1, 13), "eger2020": (4, 3), "xprobe": (2, 7)}[suite_name]
    assert states == {"present": n_present, "downloadable": n_others}
