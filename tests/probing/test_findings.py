"""Rows of a study: every score beside its baselines, and the predictions behind it."""

from dataclasses import replace

import numpy as np
import pytest

from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.encoders.random import random_counterpart
from polyprobe.items import Sentence
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.baselines.columns import SplitCoverage, control_test
from polyprobe.probing.findings import Findings
from polyprobe.probing.item_vectors import LayerVectors
from polyprobe.probing.stages import CONTROL, MAIN, RANDOM_ENCODER, EncodedTests, layer_and_epoch, probe_outcomes
from tests.probing.small_study import SEEDS, encoded_tests, ngrams, study, train
from tests.probing.small_tests import examples, forms_test


@pytest.fixture(scope="module")
def findings(tmp_path_factory) -> Findings:
    """All that a run with baselines=all finds."""
    one, folder = study(), tmp_path_factory.mktemp("cache")
    vectors = LayerVectors(encoded(ngrams(), one.items(), VectorCache(folder=folder)), "ngrams")
    random = LayerVectors(encoded(random_counterpart(ngrams(), 1), one.items(), VectorCache(folder=folder)), "random")
    stages = [
        EncodedTests(MAIN, one.tests, vectors),
        EncodedTests(RANDOM_ENCODER, one.tests, random),
        EncodedTests(CONTROL, [control_test(test, 1) for test in one.tests], vectors),
    ]
    return Findings(
        one,
        probe_outcomes(one, stages, train, KeptOutcomes(folder / "probes", {})),
        [SplitCoverage("Toy", "test", 0.25, 40)],
    )


def averaged(findings: Findings):
    (row,) = [row for row in findings.rows() if row.stage == MAIN and row.seed is None]
    return row


def test_the_averaged_row_is_the_mean_of_the_seeds(findings):
    of_seeds = [row.value for row in findings.rows() if row.stage == MAIN and row.seed is not None]
    assert len(of_seeds) == len(SEEDS)
    assert averaged(findings).value == pytest.approx(np.mean(of_seeds))
    assert averaged(findings).n_seeds == len(SEEDS)


def test_rows_say_what_the_probe_reached_on_dev(findings):
    outcomes = findings.stages[MAIN].outcomes["Toy", 0]
    of_seeds = [row.dev for row in findings.rows() if row.stage == MAIN and row.seed is not None]
    assert of_seeds == [one.dev_accuracy for one in outcomes]
    assert averaged(findings).dev == pytest.approx(np.mean(of_seeds))


def test_rows_say_at_which_scale_vectors_are_and_a_run_says_where_probes_learn_less(findings):
    main, place = findings.stages[MAIN], ("Toy", 0)
    row, of_seeds = averaged(findings), main.outcomes[place]
    assert (row.vector_mean, row.vector_deviation, row.largest_column) == of_seeds[0].scale
    for scale, words in {
        (0.0, 1.0, 2.0): None,
        (0.0, 0.03, 2.0): "deviation 0.03, below 0.2",
        (100.0, 1.0, 1.0): "mean 100, more than 4 deviations of 1",
        (0.0, 1.0, 3000.0): "largest column 3,000 times the median one, more than 100",
    }.items():
        at_scale = replace(main, outcomes={place: [replace(one, scale=scale) for one in of_seeds]})
        said = replace(findings, stages={MAIN: at_scale}).on_scale()
        assert said is None if words is None else f"({layer_and_epoch(main.layers[0])}: {words})" in said


def test_columns_of_random_encoder_and_control_task_are_the_means_of_their_rows(findings):
    rows = list(findings.rows())
    for stage, column in ((RANDOM_ENCODER, "random"), (CONTROL, "control")):
        values = [row.value for row in rows if row.stage == stage]
        assert len(values) == len(SEEDS)
        assert getattr(averaged(findings), column) == pytest.approx(np.mean(values))
    row = averaged(findings)
    assert row.selectivity == pytest.approx(row.value - row.control)


def test_codelengths_of_random_encoder_and_control_task_are_the_means_of_their_rows(findings):
    lengths = {MAIN: 40.0, RANDOM_ENCODER: 60.0, CONTROL: 80.0}
    stages = {
        name: replace(
            of_stage,
            outcomes={
                place: [replace(one, codelength=lengths[name] + n, prior_codelength=20.0) for n, one in enumerate(some)]
                for place, some in of_stage.outcomes.items()
            },
        )
        for name, of_stage in findings.stages.items()
    }
    row = averaged(replace(findings, stages=stages))
    assert (row.codelength, row.random_codelength, row.control_codelength) == (40.5, 60.5, 80.5)
    assert row.prior_compression == pytest.approx((20 / 40 + 20 / 41) / 2)
    assert averaged(findings).random_codelength is None


def test_every_row_says_which_model_it_was(findings):
    named = replace(findings, design=study(model="vectors/fi.vec", options="lowercase=true"))
    assert {(row.model, row.options) for row in named.rows()} == {("vectors/fi.vec", "lowercase=true")}


def test_a_control_score_is_counted_by_the_labels_of_the_control_task(findings):
    control = findings.stages[CONTROL]
    right = control.outcomes["Toy", 0][0].test_predictions == control.gold["Toy"]
    (row, _) = [row for row in findings.rows() if row.stage == CONTROL]
    assert row.value == pytest.approx(right.mean())
    assert not np.array_equal(control.gold["Toy"], findings.stages[MAIN].gold["Toy"])


def test_a_probe_is_the_same_whatever_stands_beside_it(findings, tmp_path):
    one = study()
    alone = probe_outcomes(one, encoded_tests(one, tmp_path), train, KeptOutcomes(tmp_path / "probes", {}))
    for mine, its in zip(alone[MAIN].outcomes["Toy", 0], findings.stages[MAIN].outcomes["Toy", 0], strict=True):
        np.testing.assert_array_equal(mine.test_predictions, its.test_predictions)
        assert mine.train_losses == its.train_losses


def test_words_that_the_vocabulary_lacks_are_told_by_split_and_beside_the_score(findings):
    (coverage,) = [row for row in findings.rows() if row.stage == "coverage"]
    assert (coverage.metric, coverage.split, coverage.value, coverage.n) == ("oov", "test", 0.25, 40)
    assert averaged(findings).oov == 0.25


def test_predictions_have_every_item_layer_and_seed(findings):
    (predictions,) = findings.predictions()
    assert predictions.predicted.shape == (1, len(SEEDS), 40)
    assert predictions.inputs[0] == "katu0ssa"
    assert predictions.correct("char_ngrams").mean() == pytest.approx(averaged(findings).value)


def test_a_failed_probe_has_a_row_that_says_why_and_counts_nowhere_else(findings):
    failed = ProbeOutcome(epochs=1, best_epoch=0, dev_accuracy=float("nan"), train_losses=(), failed="no number")
    main = findings.stages[MAIN]
    outcomes = {("Toy", 0): [main.outcomes["Toy", 0][0], failed]}
    partly = Findings(findings.design, {MAIN: type(main)(main.layers, main.gold, outcomes)}, [])
    first, second, mean = partly.rows()
    assert second.value is None
    assert second.note == "failed: no number"
    assert mean.value == first.value
    assert mean.n_seeds == 1
    (predictions,) = partly.predictions()
    assert (predictions.predicted[0, 1] == -1).all()


def test_probes_that_answer_one_label_only_are_told(findings):
    main = findings.stages[MAIN]
    gold, one = main.gold["Toy"], main.outcomes["Toy", 0][0]
    answers = (np.zeros_like(gold), gold)
    outcomes = {("Toy", 0): [replace(one, test_predictions=predicted) for predicted in answers]}
    told = Findings(findings.design, {MAIN: type(main)(main.layers, main.gold, outcomes)}, [])
    assert averaged(told).note == "1 of 2 probes of layer char_ngrams predict a single label"
    of_one = {"Toy": np.zeros_like(gold)}
    assert averaged(Findings(findings.design, {MAIN: type(main)(main.layers, of_one, outcomes)}, [])).note is None


def test_length_stands_beside_sentences(tmp_path):
    def sentences(count):
        return examples(
            [(Sentence(("a",) * (1 + number % 7)),) for number in range(count)],
            [int(number % 7 > 3) for number in range(count)],
        )

    one = study()
    test = one.tests[0]
    for split in ("train", "dev", "test"):
        object.__setattr__(test, split, sentences(70))
    outcomes = probe_outcomes(one, encoded_tests(one, tmp_path), train, KeptOutcomes(tmp_path / "probes", {}))
    rows = list(Findings(one, outcomes, []).rows())
    assert {row.length for row in rows} == {1.0}


def test_few_items_one_seed_and_what_is_known_of_the_test_are_noted(tmp_path):
    test = forms_test({"talossa": 0, "talolla": 1}, {"autossa": 0}, {"autolla": 1})
    object.__setattr__(test, "note", "one label only")
    one = study(tests=[test], seeds=(1,))
    outcomes = probe_outcomes(one, encoded_tests(one, tmp_path), train, KeptOutcomes(tmp_path / "probes", {}))
    rows = list(Findings(one, outcomes, []).rows())
    assert rows[-1].note == "one label only, fewer than 30 items, one seed"
