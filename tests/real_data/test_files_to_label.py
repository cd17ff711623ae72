"""The test file of every corpus: a model reads of it what the corpus reads, and right answers score as such."""

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import malformed_handler
from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.metrics.official import conlleval
from polyprobe.training.predict import file_to_label
from tests.real_data.configured_corpora import BY_DOWNLOAD, configured, data_of

pytestmark = pytest.mark.real_data


def reopened(path, settings, data_folder):
    handle = malformed_handler(None, settings, data_folder)
    return file_to_label(path, settings, data_folder, handle)


def answers(task, examples):
    """Returns the gold labels as a model gives its answers."""
    of_one = {
        "pos": lambda one: one.labels,
        "dep": lambda one: (one.heads, one.relations),
        "ner": lambda one: spans_of(one.labels),
        "srl": lambda one: one.propositions,
        "nli": lambda one: one.label or "neutral",
    }
    return [of_one[task](one) for one in examples]


def files_of(settings, data_folder):
    tests = settings["test"] if isinstance(settings["test"], list) else [settings["test"]]
    return [data_folder / file for file in (*tests, *(one["file"] for one in settings.get("beside", {}).values()))]


@pytest.mark.parametrize("name", sorted({*configured()} - BY_DOWNLOAD))
def test_right_answers_are_read_back_as_they_were_written(name, data_folder, tmp_path):
    task, lang, corpus = name.split(" ")
    settings = data_of(task, lang)["corpora"][corpus]
    for path in files_of(settings, data_folder):
        file = reopened(path, settings, data_folder)
        right, written = answers(task, file.examples), tmp_path / path.name
        file.write(right, written)
        if task == "ner":
            scores = conlleval.score_files(written)
            assert scores["gold_phrases"] == scores["found_phrases"] == scores["correct_phrases"] > 0
        elif task == "nli":
            again = reopened(written, settings, data_folder).examples
            assert [one.label for one in again] == right
            assert list(map(without_label, again)) == list(map(without_label, file.examples))
        elif task in ("pos", "dep"):
            assert written.read_bytes() == path.read_bytes()
        else:
            assert answers(task, reopened(written, settings, data_folder).examples) == right


def without_label(pair: LabelledPair) -> tuple:
    return pair.premise, pair.hypothesis
