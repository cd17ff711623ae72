"""SentEval's downstream tasks as published: rows, and tf-idf equal to scikit-learn's own pipeline."""

import numpy as np
import pytest

from polyprobe.encoders.tfidf import TfIdf
from polyprobe.formats.reading.malformed import raised
from polyprobe.probing.count_classifiers.logistic_regression import LogisticRegressionOfCounts
from polyprobe.probing.downstream.fits import count_task_outcome
from polyprobe.probing.downstream.scores import similarity_scores
from polyprobe.probing.downstream.task_outcomes import CLASSIFIER, COSINE, gold_scores, label_ids, scored_items
from polyprobe.probing.suites.downstream_tasks import load_task
from tests.probing.downstream import small_tasks

pytestmark = pytest.mark.real_data
# Items of each part: every line of the files, but blank ones and pairs without a score.
ITEMS = {
    "MR": [10662],
    "CR": [3771],
    "SUBJ": [10000],
    "MPQA": [10603],
    "SST2": [67349, 872, 1821],
    "SST5": [8544, 1101, 2210],
    "TREC": [5452, 500],
    "MRPC": [4076, 1725],
    "SICK-E": [4439, 495, 4906],
    "SICK-R": [4439, 495, 4906],
    "STSB": [5749, 1500, 1379],
    "STS12": [750, 459, 750, 399],
    "STS13": [189, 750, 561],
    "STS14": [450, 300, 750, 750, 750, 750],
    "STS15": [375, 750, 375, 750, 750],
    "STS16": [254, 249, 230, 244, 209],
}
# Of scikit-learn alone: tf-idf of lower-cased words at white space, logistic regression with C = 1, folds of seed 1111.
ACCURACIES = {"MR": 0.76064, "TREC": 0.856, "MRPC": 0.704348, "SICK-E": 0.817978}
COSINES = {"SICK-R": 0.608921, "STSB": 0.640220, "STS13": 0.534991, "STS16": 0.659198}


def task(folder, name, cut_by="blanks", protocol="corrected"):
    return load_task(small_tasks.suite(cut_by=cut_by), name, folder, None, protocol, raised)


def words() -> tuple[TfIdf, LogisticRegressionOfCounts]:
    settings = {"unit": "word", "tokenizer": None, "min_n": 1, "max_n": 1, "max_features": 150_000, "min_examples": 1}
    case = {"lowercase": "python", "dotless_i": False}
    return TfIdf(**settings, **case), LogisticRegressionOfCounts(1.0, 1000)


@pytest.mark.parametrize("name", ITEMS)
def test_every_line_is_read_but_blank_ones_and_pairs_without_a_score(data_folder, name):
    assert [len(items) for items in task(data_folder, name).parts.values()] == ITEMS[name]


@pytest.mark.parametrize("name", ACCURACIES)
def test_tf_idf_is_as_accurate_as_scikit_learn_alone(data_folder, name):
    one = task(data_folder, name)
    found = count_task_outcome(*words(), one, CLASSIFIER, small_tasks.suite())
    accuracy = np.mean(found.predictions == label_ids(one, scored_items(one)))
    assert accuracy == pytest.approx(ACCURACIES[name], abs=5e-5)


@pytest.mark.parametrize("name", COSINES)
def test_cosines_of_tf_idf_correlate_as_computed_by_scikit_learn_alone(data_folder, name):
    one = task(data_folder, name)
    found = count_task_outcome(*words(), one, COSINE, small_tasks.suite())
    ends = np.cumsum([0, *map(len, one.parts.values())]).tolist()
    places = [(set_name, slice(*ends[n : n + 2])) for n, set_name in enumerate(one.parts)]
    if one.settings.fit != "cosine":
        places = [("test", slice(0, len(one.parts["test"])))]
    scores = similarity_scores(name, gold_scores(scored_items(one)), places, [found], COSINE, "corrected")
    assert scores[0].value == pytest.approx(COSINES[name], abs=5e-6)


def test_penn_words_of_reviews_are_those_of_the_published_preparation(data_folder):
    reviews = task(data_folder, "MR", cut_by=None)
    n_contracted = sum("n't" in item.sentences[0] for item in reviews.items)
    n_quoted = sum("``" in item.sentences[0] for item in reviews.items)
    assert (n_contracted, n_quoted) == (884, 274)
