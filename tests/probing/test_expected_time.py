"""A run that takes long says so when its first probes are trained; one that takes days asks whether it is meant."""

import pytest

from src.errors import PolyprobeError
from src.probing.expected_time import ExpectedTime


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def measured(done: int, due: int, is_confirmed: bool = False, share: float = 1.0, n_probes: int = 400) -> None:
    """After 30 seconds `done` epochs of `due` are over."""
    clock = Clock()
    expected = ExpectedTime(is_confirmed, n_probes, clock)
    expected.begin(share)
    clock.now = 30.0
    expected.reach(done, due)
    expected.reach(done, due)


def test_less_than_an_hour_is_not_worth_a_word(capsys):
    measured(1, 100)
    assert not capsys.readouterr().out


def test_more_than_an_hour_is_said_once(capsys):
    measured(10, 2400)
    assert capsys.readouterr().out == (
        "400 probes take about 2.0 hours, by the first 30 seconds; at most, since many probes stop early\n"
    )


def test_more_than_a_day_is_asked_about():
    with pytest.raises(PolyprobeError, match=r"100,000,000 probes take about 9\.5 years, .*confirm=true"):
        measured(10, 10_000, share=1 / 10_000, n_probes=100_000_000)


def test_a_confirmed_run_of_days_goes_on(capsys):
    measured(1, 10_000, is_confirmed=True)
    assert "take about 3.5 days" in capsys.readouterr().out


def test_nothing_is_estimated_from_a_moment(capsys):
    clock = Clock()
    expected = ExpectedTime(False, 400, clock)
    clock.now = 3.0
    expected.reach(1, 1_000_000)
    assert not capsys.readouterr().out
