"""Reads what a run of downstream tasks predicted, and pairs it with another run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.results.collection import find_run
from src.analysis.results.kinds import DOWNSTREAM_TASK, headline_rows
from src.analysis.results.paired_runs import PairingWords, common_names, first_difference
from src.analysis.results.rows import Row, model_in_words
from src.analysis.results.run_references import chosen_tests, meant_layers, split_reference
from src.errors import PolyprobeError
from src.runs.array_records import PredictedScores, Predictions
from src.runs.directory import RunDirectory

Task = Predictions | PredictedScores


@dataclass(frozen=True)
class DownstreamRun:
    """The predictions of one run for its tasks, at all its layers or at one.

    Attributes:
        run: the run's folder.
        suite, lang: of its rows.
        tests: labels or scores that were predicted, by task, in the order of its rows.
        layers: those that are meant, in the order of the run.
        which: the model and its options, in words.
        reason: why the layer was chosen, if it was ("the last, since dev is not recorded").
    """

    run: RunDirectory
    suite: str
    lang: str
    tests: dict[str, Task]
    layers: tuple[str, ...]
    which: str
    reason: str = ""

    @property
    def names(self) -> list[str]:
        """The names of its tasks."""
        return list(self.tests)

    def layer_rows(self) -> list[Row]:
        """Returns the headline of each of its tasks and layers."""
        return [row for row in headline_rows(self.run.rows()) if row["test"] in self.tests]

    def items(self, task: str) -> list[tuple[str, str]]:
        """Returns the words and the gold label or score of each item."""
        one = self.tests[task]
        gold = one.gold if isinstance(one, PredictedScores) else np.asarray(one.labels)[one.gold]
        return list(zip(one.inputs.tolist(), map(str, gold.tolist()), strict=True))


def are_downstream_runs(work: Path, references: object) -> bool:
    """Says whether all that a user names as "run" or "run:layer" scored downstream tasks.

    Raises:
        PolyprobeError: some did and some did not, or a run is unknown or not finished.
    """
    if not isinstance(references, Sequence) or isinstance(references, str):
        return False
    runs = [RunDirectory(find_run(work, split_reference(reference)[0])) for reference in references]
    scored = {run.name: any(row["stage"] == DOWNSTREAM_TASK for row in run.rows()) for run in runs}
    if any(scored.values()) and not all(scored.values()):
        others = ", ".join(name for name, has_scored in scored.items() if not has_scored)
        raise PolyprobeError(f"{others} scored no downstream tasks, as the other runs did. They cannot stand together.")
    return any(scored.values())


def read_downstream_run(work: Path, reference: str, names: Sequence[str] | None) -> DownstreamRun:
    """Reads the predictions that a user names as "run", "run:all" or "run:layer".

    Args:
        work: the work folder.
        reference: name or folder of the run, and the layer as its predictions name it ("8", "encoding/8").
        names: of the tasks that are meant, in this order; None for all.

    Raises:
        BadValue: `names` is not a list.
        UnknownChoice: there is no such run, layer or task; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    name, layer = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    rows = [row for row in run.rows() if row["stage"] == DOWNSTREAM_TASK]
    read = [*map(Predictions.read, run.arrays(run.predictions))]
    read += map(PredictedScores.read, run.arrays(run.predicted_scores))
    by_name = {one.test: one for one in read}
    tests = {test: by_name[test] for test in dict.fromkeys(row["test"] for row in rows) if test in by_name}
    if not tests:
        raise PolyprobeError(f"{run.path} has no predictions. Expected a finished run of downstream tasks.")
    layers = tuple(str(one) for one in next(iter(tests.values())).layers)
    meant = meant_layers(run.name, layer, layers)
    chosen = chosen_tests(tests, names, "test", "[MR,STS14]")
    return DownstreamRun(run, rows[0]["suite"], rows[0]["lang"], chosen, meant, model_in_words(rows[0]))


def common_tasks(first: DownstreamRun, second: DownstreamRun) -> list[str]:
    """Names the tasks that both runs have, after checking that they have the same items.

    Raises:
        PolyprobeError: the runs have other suites, other languages or no task in common, or a task has other items or
            other gold labels or scores.
    """
    return common_names(first, second, PairingWords("tasks", "task", "on the same items", _difference))


def _difference(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> str:
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} items"
    place = first_difference(one, other)
    described = [f'"{words}" with {gold}' for words, gold in (one[place], other[place])]
    return f"as item {place + 1} {' and '.join(described)}"
