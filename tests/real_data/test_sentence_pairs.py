"""The published corpora of sentence pairs as their readers see them: counts and majorities."""

from collections import Counter
from functools import partial

import pytest

from polyprobe.formats.pairs import labelled_pairs, pair_tables
from polyprobe.formats.pairs.pair_tables import PairFormat
from polyprobe.formats.reading.malformed import refuse

pytestmark = pytest.mark.real_data

TERRA = {"entailment": "entailment", "not_entailment": "not_entailment"}
WORDS = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"}
XNLI = {
    "separator": "tab",
    "quotes": "none",
    "line_end": "lf",
    "columns": None,
    "premise": "sentence1",
    "hypothesis": "sentence2",
    "label": "gold_label",
    "labels": WORDS,
    "where": {},
}
ES, EN = XNLI | {"where": {"language": "es"}}, XNLI | {"where": {"language": "en"}}
GERMAN = XNLI | {"columns": ["sentence1", "sentence2", "gold_label"]}
TURKISH = XNLI | {"labels": {0: "entailment", 1: "neutral", 2: "contradiction", -1: None}}
SICK = XNLI | {
    "line_end": "crlf",
    "premise": "sentence_A",
    "hypothesis": "sentence_B",
    "label": "entailment_label",
    "labels": {"ENTAILMENT": "entailment", "NEUTRAL": "neutral", "CONTRADICTION": "contradiction"},
}
INFERES = XNLI | {
    "separator": "comma",
    "quotes": "csv",
    "line_end": "crlf",
    "premise": "Premise",
    "hypothesis": "Hypothesis",
    "label": "Label",
    "labels": {"ent": "entailment", "neutral": "neutral", "cnt": "contradiction"},
}
RTE3 = XNLI | {
    "quotes": "csv",
    "line_end": "crlf",
    "premise": "premise",
    "hypothesis": "hypothesis",
    "label": "label_text",
}
PARTS = ("met", "no_met", "nonrelevant")
DEV, TEST = ([f"nli/xnli_es_en/{split}_{part}.tsv" for part in PARTS] for split in ("dev", "test"))

COUNTS = {  # pairs, and those with a label
    "xnli es dev": (ES, DEV, 2490, 2490),
    "xnli en dev": (EN, DEV, 2490, 2490),
    "xnli es test": (ES, TEST, 5010, 5010),
    "xnli en test": (EN, TEST, 5010, 5010),
    "xnli de train": (GERMAN, ["nli/de_xnli/train.txt"], 2245, 2245),
    "xnli de dev": (GERMAN, ["nli/de_xnli/dev.txt"], 250, 250),
    "xnli de test": (GERMAN, ["nli/de_xnli/test.txt"], 5010, 5010),
    "snli tr dev": (TURKISH, ["nli/tr_snli/dev.tsv"], 10_000, 9842),
    "snli tr test": (TURKISH, ["nli/tr_snli/test.tsv"], 10_000, 9824),
    "sick train": (SICK | {"where": {"SemEval_set": "TRAIN"}}, ["nli/en_sick/SICK.txt"], 4439, 4439),
    "sick trial": (SICK | {"where": {"SemEval_set": "TRIAL"}}, ["nli/en_sick/SICK.txt"], 495, 495),
    "sick test": (SICK | {"where": {"SemEval_set": "TEST"}}, ["nli/en_sick/SICK.txt"], 4906, 4906),
    "inferes train": (INFERES, ["nli/es_inferes/train.csv"], 6444, 6444),
    "inferes test": (INFERES, ["nli/es_inferes/test.csv"], 1612, 1612),
    "esxnli es": (ES, ["nli/esxnli/esxnli.tsv"], 2490, 2490),
    "esxnli en": (EN, ["nli/esxnli/esxnli.tsv"], 2490, 2490),
    "rte3 dev": (RTE3, ["nli/fr_rte3/dev.tsv"], 800, 800),
    "rte3 test": (RTE3, ["nli/fr_rte3/test.tsv"], 800, 800),
    "terra train": (None, ["nli/ru_terra/train.jsonl"], 2616, 2616),
    "terra dev": (None, ["nli/ru_terra/dev.jsonl"], 307, 307),
    "terra test": (None, ["nli/ru_terra/test.jsonl"], 3198, 0),
}
MAJORITIES = {  # train, test: percent of test
    ("sick train", "sick test"): 56.87,
    ("sick train", "sick trial"): 56.77,
    ("inferes train", "inferes test"): 36.85,
    ("terra train", "terra dev"): 49.84,
    ("rte3 dev", "rte3 test"): 51.12,
    ("xnli de train", "xnli de test"): 33.33,
    ("xnli de train", "xnli de dev"): 28.00,
    ("snli tr dev", "snli tr test"): 33.68,
    ("xnli es dev", "xnli es test"): 33.33,
    ("xnli en dev", "xnli en test"): 33.33,
}


@pytest.fixture(scope="module")
def pairs(data_folder):
    def read(name):
        layout, files, *_ = COUNTS[name]
        if layout is None:
            reader = partial(labelled_pairs.object_pairs, labels=TERRA)
        else:
            reader = partial(pair_tables.read, layout=PairFormat(**layout))
        return [pair for file in files for pair in reader(data_folder / file, refuse)]

    return read


@pytest.mark.parametrize("name", COUNTS)
def test_pairs_and_labels_are_as_many_as_are_known(name, pairs):
    *_, n, n_labelled = COUNTS[name]
    read = pairs(name)
    assert (len(read), sum(pair.label is not None for pair in read)) == (n, n_labelled)


@pytest.mark.parametrize(("train", "test"), MAJORITIES)
def test_the_majority_label_scores_what_was_measured(train, test, pairs):
    """Pairs without a label count as wrong there (SNLI-TR)."""
    ((majority, _),) = Counter(pair.label for pair in pairs(train)).most_common(1)
    labels = [pair.label for pair in pairs(test)]
    assert round(100 * labels.count(majority) / len(labels), 2) == MAJORITIES[train, test]
