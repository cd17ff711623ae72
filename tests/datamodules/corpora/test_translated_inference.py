"""XNLI as LINSPECTOR read it: train translated by machine, its third label spelt otherwise than in dev and test."""

from collections import Counter

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import read_corpus
from polyprobe.runs.names.conf_folders import corpora_of_language

COLUMNS = (
    *(
        "language",
        "gold_label",
        "sentence1_binary_parse",
        "sentence2_binary_parse",
        "sentence1_parse",
        "sentence2_parse",
    ),
    *("sentence1", "sentence2", "promptID", "pairID", "genre", "label1", "label2", "label3", "label4", "label5"),
    *("sentence1_tokenized", "sentence2_tokenized", "match"),
)
SPELLINGS = ("entailment", "neutral", "contradiction")


def row(language, label):
    given = {"language": language, "gold_label": label, "sentence1_tokenized": "Ja .", "sentence2_tokenized": "Nein ."}
    return "\t".join(given.get(column, "x") for column in COLUMNS)


@pytest.fixture
def folder(tmp_path):
    translated, human = tmp_path / "nli/xnli/XNLI-MT-1.0/multinli", tmp_path / "nli/xnli/XNLI-1.0"
    for one in (translated, human):
        one.mkdir(parents=True)
    for language in ("de", "es", "ru", "tr"):
        lines = ["premise\thypo\tlabel", *(f"a b\tc\t{label}" for label in (*SPELLINGS[:2], "contradictory"))]
        (translated / f"multinli.train.{language}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for split in ("dev", "test"):
        rows = [row(language, label) for language in ("de", "tr", "es", "ru", "fr") for label in SPELLINGS]
        (human / f"xnli.{split}.tsv").write_text("\n".join(["\t".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    return tmp_path


def labels(folder, language, corpus):
    settings = corpora_of_language(language)["nli"]["data"]["corpora"][corpus]
    read = read_corpus(corpus, settings, None, folder, None)
    return [Counter(pair.label for pair in split) for split in (read.train, read.dev, read.test)]


@pytest.mark.parametrize("language", ["de", "es", "ru", "tr"])
def test_the_third_label_is_one_in_all_splits(folder, language):
    assert labels(folder, language, "xnli_mt") == [Counter(SPELLINGS)] * 3


@pytest.mark.parametrize("language", ["de", "es", "ru", "tr"])
def test_as_released_no_model_can_learn_the_third_label_of_dev_and_test(folder, language):
    of_train = Counter(["entailment", "neutral", "contradictory"])
    assert labels(folder, language, "xnli_mt_released") == [of_train, Counter(SPELLINGS), Counter(SPELLINGS)]
