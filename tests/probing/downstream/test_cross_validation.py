"""Nested folds, folds and splits: what is fitted on what, which L2 is chosen, who predicts whom."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.downstream.cross_validation import k_fold_then_test, nested_cross_validation, split_then_test
from tests.probing.downstream.fit_examples import L2_GRID, examples, fit_settings, train


class Recorder:
    """Trains as it is told and keeps the jobs of each call."""

    def __init__(self, training=train):
        self.calls, self._training = [], training

    def __call__(self, jobs):
        self.calls.append(jobs)
        return self._training(jobs)


def predictions(fits):
    """The labels that the fits of all folds predict, in the order of the examples."""
    by_row = {row: label for fit in fits for row, label in zip(fit.rows, fit.predictions, strict=True)}
    return np.array([by_row[row] for row in range(len(by_row))])


def one_by_one(jobs):
    """Trains each fit in a bank of its own, the last first."""
    return [train([job])[0] for job in jobs[::-1]][::-1]


def given_dev_accuracies(dev_accuracy_of):
    """A training that learns nothing: it predicts label 0, and a function of L2 and number of the job is its dev."""

    def training(jobs):
        return [
            ProbeOutcome(
                epochs=1,
                best_epoch=1,
                dev_accuracy=dev_accuracy_of(job.spec.weight_decay, number),
                train_losses=(0.0,),
                test_predictions=np.zeros(len(job.data.test_rows), dtype=np.int64),
            )
            for number, job in enumerate(jobs)
        ]

    return training


def rows(tensor: torch.Tensor) -> set[int]:
    return set(tensor.flatten().tolist())


@pytest.mark.parametrize("n_labels", [2, 6])
def test_labels_are_learnt_and_each_example_is_predicted(n_labels):
    known, recorder = examples(120, n_labels, noise=0.3), Recorder()
    settings = fit_settings(probe={"learning_rate": 0.05, "max_epochs": 20})
    fits = nested_cross_validation(known.features, known.gold, settings, recorder)
    np.testing.assert_array_equal(predictions(fits), known.gold)
    assert sum(map(len, recorder.calls)) == 4 * (3 * 4 + 1)


def test_every_fit_sees_its_rows_and_no_other():
    known, recorder = examples(92, 2), Recorder()
    nested_cross_validation(known.features, known.gold, fit_settings(), recorder)
    choosing, final = recorder.calls
    assert (len(choosing), len(final)) == (48, 4)
    tests = [rows(job.data.test_rows) for job in final]
    assert sorted(row for test in tests for row in test) == list(range(92))
    for number, test in enumerate(tests):
        outside, inner = set(range(92)) - test, choosing[12 * number : 12 * number + 12]
        assert all(rows(job.data.train_rows) == outside - rows(job.data.dev_rows) for job in inner)
        assert sorted(row for job in inner[::4] for row in rows(job.data.dev_rows)) == sorted(outside)
        assert [job.spec.weight_decay for job in inner] == L2_GRID * 3
        train_rows, dev_rows = final[number].data.train_rows, final[number].data.dev_rows
        assert len(dev_rows) == 3  # 5 % of 69, rounded down
        assert rows(train_rows) == outside - rows(dev_rows)


def test_the_features_are_held_once():
    known, recorder = examples(60, 2), Recorder()
    nested_cross_validation(known.features, known.gold, fit_settings(), recorder)
    addresses = {job.data.vectors.data_ptr() for jobs in recorder.calls for job in jobs}
    assert addresses == {known.features.ctypes.data}


def test_together_is_the_same_as_one_by_one():
    known = examples(90, 3)
    settings = fit_settings(folds=3, inner_folds=2)
    together = nested_cross_validation(known.features, known.gold, settings, train)
    alone = nested_cross_validation(known.features, known.gold, settings, one_by_one)
    np.testing.assert_array_equal(predictions(together), predictions(alone))
    assert [fit.chosen_l2 for fit in together] == [fit.chosen_l2 for fit in alone]
    assert [fit.dev_accuracy for fit in together] == [fit.dev_accuracy for fit in alone]


def test_a_seed_gives_the_same_twice_and_another_seed_something_else():
    known = examples(90, 2)
    first, again = (nested_cross_validation(known.features, known.gold, fit_settings(), train) for _ in range(2))
    np.testing.assert_array_equal(predictions(first), predictions(again))
    other = nested_cross_validation(known.features, known.gold, fit_settings(seed=2), train)
    assert (predictions(first) != predictions(other)).any()


def test_l2_is_chosen_by_the_mean_over_inner_folds_of_a_loop():
    known, recorder = examples(90, 2, noise=4.0), Recorder()
    probe = {"weight_decay": [1e-4, 0.3, 3.0], "learning_rate": 0.05}
    settings = fit_settings(probe=probe)
    fits = nested_cross_validation(known.features, known.gold, settings, recorder)
    by_hand = []
    for number in range(4):
        sums = {}
        for job in recorder.calls[0][9 * number : 9 * number + 9]:
            dev_accuracy = train([job])[0].dev_accuracy
            sums[job.spec.weight_decay] = sums.get(job.spec.weight_decay, 0.0) + dev_accuracy
        by_hand.append(min(sums, key=lambda l2: (-sums[l2], l2)))
    assert [fit.chosen_l2 for fit in fits] == by_hand
    assert len(set(by_hand)) > 1
    assert [job.spec.weight_decay for job in recorder.calls[1]] == by_hand


@pytest.mark.parametrize(("dev_decimals", "l2"), [(None, 1e-2), (4, 1e-5)])
def test_means_that_are_equal_when_rounded_are_equal_by_the_released_rule(dev_decimals, l2):
    known = examples(60, 2)
    training = given_dev_accuracies(lambda weight_decay, number: 0.8 + weight_decay / 1000)
    settings = fit_settings(dev_decimals)
    fits = nested_cross_validation(known.features, known.gold, settings, training)
    assert [fit.chosen_l2 for fit in fits] == [l2] * 4


def test_the_mean_does_not_depend_on_which_fold_had_which_accuracy():
    known, thirds = examples(60, 2), (0.1, 0.2, 0.3)  # 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in a running sum
    turned = given_dev_accuracies(lambda weight_decay, number: thirds[(number // 4 + number % 4) % 3])
    fits = nested_cross_validation(known.features, known.gold, fit_settings(), turned)
    assert [fit.chosen_l2 for fit in fits] == [1e-5] * 4


def test_with_one_chance_for_all_fits_folds_of_a_size_share_their_keys():
    known = examples(96, 2)
    for chance, n_keys in [("of_each_fit", 4 * 3 + 4), ("of_all_fits", 1)]:
        recorder = Recorder()
        nested_cross_validation(known.features, known.gold, fit_settings(chance=chance), recorder)
        assert len({(job.seed, job.key) for jobs in recorder.calls for job in jobs}) == n_keys


def test_folds_of_the_train_part_choose_for_the_test_part():
    everything, recorder = examples(160, 6, noise=0.3), Recorder()
    known = replace(everything, features=everything.features[:120], gold=everything.gold[:120])
    settings = fit_settings(folds=5, probe={"learning_rate": 0.05, "max_epochs": 20})
    outcome = k_fold_then_test(known, everything.features[120:], settings, recorder)
    np.testing.assert_array_equal(outcome.predictions, everything.gold[120:])
    choosing, (final,) = recorder.calls
    assert len(choosing) == 5 * 4
    assert rows(final.data.test_rows) == set(range(120, 160))
    assert rows(final.data.train_rows) | rows(final.data.dev_rows) == set(range(120))
    assert all(max(rows(job.data.train_rows) | rows(job.data.dev_rows)) < 120 for job in choosing)


def test_a_split_chooses_by_dev_and_predicts_by_that_fit():
    everything, recorder = examples(160, 5, noise=2.0), Recorder()
    features, label_ids = everything.features, everything.gold
    known, dev = (replace(everything, features=features[part], gold=label_ids[part]) for part in np.s_[:80, 80:120])
    outcome = split_then_test(known, dev, features[120:], fit_settings(probe={"weight_decay": [1e-4, 5.0]}), recorder)
    (jobs,) = recorder.calls
    alone = [train([job])[0] for job in jobs]
    best = max(alone, key=lambda one: one.dev_accuracy)
    assert outcome.chosen_l2 == jobs[alone.index(best)].spec.weight_decay
    assert outcome.dev_accuracy == best.dev_accuracy == (best.dev_predictions == label_ids[80:120]).mean()
    np.testing.assert_array_equal(outcome.predictions, best.test_predictions)


def test_a_label_rarer_than_the_inner_folds_is_refused_before_any_fit():
    known, recorder = examples(60, 2), Recorder()
    known.gold[:3], known.gold[3:] = 1, 0
    with pytest.raises(PolyprobeError, match=r"Label 1 has 2 of 40 examples in the train part of fold 1, .* 3 folds"):
        nested_cross_validation(known.features, known.gold, fit_settings(folds=3), recorder)
    assert recorder.calls == []


def test_a_feature_that_is_no_number_is_refused_with_its_example():
    known = examples(60, 2)
    known.features[7, 3] = np.nan
    with pytest.raises(PolyprobeError, match=r"example 8 of 60 has a value that is not finite"):
        nested_cross_validation(known.features, known.gold, fit_settings(), train)


def test_a_fit_that_fails_ends_the_task():
    known = examples(60, 2)
    failing = lambda jobs: [ProbeOutcome(1, 0, float("nan"), (), failed="fold 1: no number") for _ in jobs]  # noqa: E731
    with pytest.raises(PolyprobeError, match="A fit has failed: fold 1: no number"):
        nested_cross_validation(known.features, known.gold, fit_settings(), failing)
