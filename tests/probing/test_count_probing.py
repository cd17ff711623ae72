"""Counts under the probes of the bank: test by test, kept, as on the dense matrix of their features."""

import numpy as np
import pytest
import torch

from polyprobe.encoders.tfidf import TfIdf
from polyprobe.items import Form
from polyprobe.probing import stages
from polyprobe.probing.door import probe_settings
from polyprobe.probing.item_vectors import CountVectors
from polyprobe.probing.settings import ProbingSettings
from polyprobe.probing.suites.tests import ProbingTest
from tests.probed import probe
from tests.probing.small_tests import examples
from tests.runs.composed import composed

GRID = ["probe=rusenteval_linear", "probe.max_epochs=3"]


def ngrams() -> TfIdf:
    options = {"unit": "char", "tokenizer": None, "min_n": 1, "max_n": 2, "max_features": 50, "min_examples": 1}
    return TfIdf(**options, lowercase=False, dotless_i=False)


def lines(seed: int) -> str:
    random = np.random.default_rng(seed)
    rows = [(part, n % 2, random.integers(99)) for part in ("tr", "va", "te") for n in range(40)]
    return "".join(f"{part}\t{'AB'[label]}\tw{number}{'xy'[label] * 3} end\n" for part, label, number in rows)


@pytest.fixture
def probed(work, tmp_path):
    """Returns the rows of a run on tests of these names, with so many options."""
    for place, name in enumerate(("First", "Second", "Third")):
        (tmp_path / f"{name}.txt").write_text(lines(place), encoding="utf-8")

    def rows(*typed):
        own = [
            "suite=own",
            "lang=fi",
            f"suite.path={tmp_path}",
            "suite.format=senteval",
            "suite.level=sentence",
            "encoder=tfidf",
        ]
        config = composed("probe", *own, f"paths.work={work}", "trainer.threads=1", *typed)
        return list(probe(ProbingSettings.of(probe_settings(config))).rows())

    return rows


def scores(rows, test):
    return [(row["stage"], row.get("seed"), row["value"], row.get("cell")) for row in rows if row["test"] == test]


def test_a_test_is_the_same_alone_and_beside_others_and_is_not_trained_again(probed, monkeypatch):
    together = probed(*GRID, "seeds=2", "baselines=all")
    assert {row["test"] for row in together} == {"First", "Second", "Third"}
    assert {row["stage"] for row in together} == {"probing", "control"}
    assert all("weight_decay=" in row["cell"] for row in together if "seed" in row and row["stage"] == "probing")
    jobs = []
    monkeypatch.setattr(stages, "train_bank", lambda asked, *_: jobs.extend(asked) or [])
    assert scores(probed(*GRID, "seeds=2", "baselines=all", "tests=[Second]"), "Second") == scores(together, "Second")
    assert jobs == []


def test_a_fresh_run_is_the_same_to_the_last_bit(probed, tmp_path):
    one = probed(*GRID, "tests=[Third]")
    other = probed(*GRID, "tests=[Third]", f"paths.work={tmp_path / 'elsewhere'}")
    assert scores(one, "Third") == scores(other, "Third")


def test_naive_bayes_is_fitted_to_the_same_features(probed):
    (row,) = [row for row in probed("tests=[First]", "probe=naive_bayes") if "n_seeds" in row]
    assert (row["probe"], row["value"]) == ("naive_bayes", 1.0)


def test_rows_are_the_features_of_each_example_and_pairs_have_one():
    train = examples([(Form("ab"), Form("c")), (Form("ab"), Form("a")), (Form("ab"), Form("c"))], [0, 1, 0])
    other = examples([(Form("a"), Form("zz")), (Form("ab"), Form("c"))], [1, 0])
    test = ProbingTest("Pairs", "v", ("x", "y"), train, other, other)
    vectors = CountVectors(ngrams(), test)
    (matrix,) = vectors.matrices
    assert vectors.rows(train).tolist() == [[0], [1], [0]]
    assert vectors.rows(other).tolist() == [[2], [0]]
    expected = [split.toarray() for split in ngrams().features(train.items, other.items)]
    for split, features in zip((train, other), expected, strict=True):
        identity = torch.eye(matrix.width)
        found = matrix.taken(vectors.rows(split)[:, 0], len(split.items)).times(identity)
        np.testing.assert_allclose(found.numpy(), features, rtol=1e-6)
