"""Scoring that is killed goes on from its last block; equal commands share the work. Real processes, a tiny LSTM."""

import signal
from itertools import combinations

import pytest

from tests.predictors.saved_run import WORDS, write_run
from tests.probing.minimal_sets.scored_in_process import ScoringProcess
from tests.probing.minimal_sets.shipped import shipped

PAIRS = "".join(f"True\t{one} {other}\nFalse\t{other} {one}\n" for one, other in combinations(WORDS, 2))


@pytest.fixture
def configured(tmp_path):
    """Returns the configuration of a command that scores a tiny LSTM in some work folder."""
    config, run, sets = shipped(), str(write_run(tmp_path)), tmp_path / "pairs.txt"
    sets.write_text(PAIRS, encoding="utf-8")

    def of(work):
        work.mkdir()
        return {
            **config,
            "paths": {**config["paths"], "work": str(work)},
            "trainer": {**config["trainer"], "threads": 1},
            "suite": {**config["suite"], "path": str(sets), "format": "clams"},
            "predictor": {**config["predictor"], "run": run, "device": "cpu"},
        }

    return of


def ended(*processes):
    """Returns how each process ended, and whether it found the run finished by another."""
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    return [(process.exitcode, "is finished" in process.said) for process in processes]


def results(work):
    return [path.read_text(encoding="utf-8") for path in (work / "runs" / "probe").glob("*/results.jsonl")]


def blocks(work):
    return (work / "log").read_text(encoding="utf-8").split()


def test_scoring_goes_on_where_it_was_killed_and_equal_commands_do_each_block_once(configured, tmp_path):
    killed, shared = tmp_path / "killed", tmp_path / "shared"
    once, twice = configured(killed), configured(shared)
    assert ended(ScoringProcess(once, last=5)) == [(-signal.SIGKILL, False)]
    assert (len(blocks(killed)), results(killed)) == (5, [])
    resumed, *equal = ended(ScoringProcess(once), ScoringProcess(twice), ScoringProcess(twice))
    assert resumed == (0, False)
    assert sorted(equal) == [(0, False), (0, True)]
    assert len(blocks(killed)) == len(set(blocks(killed))) > 10
    assert sorted(blocks(shared)) == sorted(blocks(killed))
    assert results(shared) == results(killed) != []
