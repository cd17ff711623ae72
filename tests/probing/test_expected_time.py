"""A run that takes long says so when its first probes are trained; one that takes days asks whether it is meant."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.probing.expected_time import ExpectedTime


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def measured(done: int, due: int, is_confirmed: bool = False, block: int = 400, n_probes: int = 400) -> None:
    """After 30 seconds `done` epochs of `due` are over."""
    clock = Clock()
    expected = ExpectedTime(is_confirmed, n_probes, clock)
    expected.begin(block)
    clock.now = 30.0
    expected.estimate_once(done, due)
    expected.estimate_once(done, due)


def test_less_than_an_hour_is_not_worth_a_word(capsys):
    measured(1, 100)
    assert not capsys.readouterr().out


def test_more_than_an_hour_is_said_once(capsys):
    measured(10, 2400)
    assert capsys.readouterr().out == (
        "400 probes would take about 2.0 hours, extrapolated from the first 30 seconds; at most, "
        "since many probes stop early\n"
    )


def test_more_than_a_day_is_asked_about():
    with pytest.raises(PolyprobeError, match=r"100,000,000 probes would take about 9\.5 years, .*confirm=true"):
        measured(10, 10_000, block=10_000, n_probes=100_000_000)


def test_a_confirmed_run_of_days_goes_on(capsys):
    measured(1, 10_000, is_confirmed=True)
    assert "take about 3.5 days" in capsys.readouterr().out


def test_nothing_is_estimated_from_a_moment(capsys):
    clock = Clock()
    expected = ExpectedTime(False, 400, clock)
    expected.begin(400)
    clock.now = 3.0
    expected.estimate_once(1, 1_000_000)
    assert not capsys.readouterr().out


def test_blocks_that_are_quick_are_measured_together():
    clock = Clock()
    expected = ExpectedTime(False, 100_000_000, clock)
    for _ in range(19):
        expected.begin(100)
        clock.now += 1.0
        expected.estimate_once(10, 10)
    expected.begin(100)
    clock.now += 1.0
    with pytest.raises(
        PolyprobeError, match=r"100,000,000 probes would take about 11\.6 days, extrapolated from the first 20 seconds"
    ):
        expected.estimate_once(10, 10)


def test_probes_that_an_earlier_start_has_kept_take_no_time(capsys):
    clock = Clock()
    expected = ExpectedTime(False, 2_000_000, clock)
    expected.leave_out(1_990_000)
    clock.now = 500.0
    expected.begin(1_000)
    clock.now = 521.0
    expected.estimate_once(1, 100)
    assert "take about 5.8 hours, extrapolated from the first 21 seconds" in capsys.readouterr().out
