"""Grids: every cell is a probe of its own, dev chooses as the sources do."""

import numpy as np
import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.probes.grid import GridProbe
from tests.probing.probe_examples import SPEC, random_data, trained


def grid(dev_decimals=None, **changes) -> GridProbe:
    return GridProbe(**{**SPEC, **changes}, dev_decimals=dev_decimals)


def outcome_with(dev_accuracy: float, failed: str | None = None) -> ProbeOutcome:
    return ProbeOutcome(4, 2, dev_accuracy, (0.5,), failed=failed)


def chosen(probe: GridProbe, dev_accuracies) -> str | None:
    jobs = probe.jobs(random_data(1), 1, "test")
    return probe.outcome(jobs, [outcome_with(accuracy) for accuracy in dev_accuracies]).cell


def test_every_combination_of_the_lists_is_a_cell():
    probe = grid(hidden_size=[20, 30], dropout=[0.0, 0.1, 0.2], weight_decay=[0.1, 0.01])
    assert len({(spec.hidden_size, spec.dropout, spec.weight_decay) for spec in probe.specs}) == 12


def test_an_option_that_no_probe_has_is_refused_with_the_nearest():
    with pytest.raises(UnknownChoice, match=r'probe: the option "max_epoch" is unknown\. Did you mean max_epochs'):
        grid(max_epoch=3)


def test_a_linear_probe_has_no_dimension_of_dropout():
    probe = grid(hidden_size=None, dropout=[0.0, 0.1, 0.2], weight_decay=[0.1, 0.01])
    assert [(spec.dropout, spec.weight_decay) for spec in probe.specs] == [(0.0, 0.01), (0.0, 0.1)]


def test_the_cell_that_is_best_on_dev_is_named_by_what_differs():
    probe = grid(hidden_size=[20, 30], weight_decay=[0.001, 0.01])
    assert chosen(probe, [0.5, 0.6, 0.8, 0.7]) == "hidden_size=20 weight_decay=0.01"


def test_a_single_cell_has_no_name():
    assert chosen(grid(), [0.5]) is None


@pytest.mark.parametrize(("dev_decimals", "weight_decay"), [(4, "0.01"), (3, "0.001"), (None, "0.01")])
def test_accuracies_are_rounded_first_and_of_equals_the_smaller_decay_wins(dev_decimals, weight_decay):
    probe = grid(dev_decimals, weight_decay=[0.01, 0.001])  # given in falling order
    assert chosen(probe, [0.8123, 0.8124]) == f"weight_decay={weight_decay}"
    assert chosen(probe, [0.81231, 0.81234]) == f"weight_decay={'0.01' if dev_decimals is None else '0.001'}"


def test_a_failed_cell_is_passed_over_and_all_failed_is_a_failure():
    probe = grid(weight_decay=[0.001, 0.01])
    jobs = probe.jobs(random_data(1), 1, "test")
    failed = outcome_with(float("nan"), "not a number")
    assert probe.outcome(jobs, [failed, outcome_with(0.1)]).cell == "weight_decay=0.01"
    assert probe.outcome(jobs, [failed, failed]).failed == "not a number"


def test_a_cell_comes_out_as_the_same_probe_without_a_grid():
    data, whole = random_data(5), grid(hidden_size=[20, 32], dropout=[0.0, 0.5], weight_decay=[0.001, 0.1])
    jobs = whole.jobs(data, 3, "cells")
    outcomes = trained(jobs)
    for spec, outcome in zip(whole.specs, outcomes, strict=True):
        alone = grid(hidden_size=spec.hidden_size, dropout=spec.dropout, weight_decay=spec.weight_decay)
        (other,) = trained(alone.jobs(data, 3, "cells"))
        assert (outcome.train_losses, outcome.dev_accuracy) == (other.train_losses, other.dev_accuracy)
        np.testing.assert_array_equal(outcome.test_losses, other.test_losses)


def test_an_empty_list_is_refused():
    with pytest.raises(BadValue, match=r"probe.weight_decay must be a value or a list of values, got \[\]"):
        grid(weight_decay=[])
