"""Reads the predictions of a probing run, selects layers, and pairs them with those of another run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.results.collection import find_run
from src.analysis.results.paired_runs import PairingWords, common_names, first_difference
from src.analysis.results.rows import Row, model_in_words, probing_rows, rows_of_stages
from src.analysis.results.run_references import chosen_tests, meant_layers, split_reference
from src.errors import PolyprobeError
from src.runs.array_records import NO_PREDICTION, Predictions
from src.runs.directory import RunDirectory


@dataclass(frozen=True)
class Predicted:
    """The predictions of the probes of one run, at all its layers or at one.

    Attributes:
        run: the run's folder.
        suite, lang: of its probing rows.
        tests: predictions by the name of the test.
        layers: those that are meant, in the order of the run.
        which: the model and its options, in words.
        reason: why the layer was chosen, if it was ("the best on dev").
    """

    run: RunDirectory
    suite: str
    lang: str
    tests: dict[str, Predictions]
    layers: tuple[str, ...]
    which: str
    reason: str = ""

    @property
    def names(self) -> list[str]:
        """The names of its tests."""
        return list(self.tests)

    def layer_rows(self) -> list[Row]:
        """Returns the averaged row of each of its tests and layers."""
        return [row for row in probing_rows(self.run.rows()) if row["test"] in self.tests]

    def items(self, test: str) -> list[tuple[str, str]]:
        """Returns the words and the gold label of each test item."""
        one = self.tests[test]
        return list(zip(one.inputs.tolist(), np.asarray(one.labels)[one.gold].tolist(), strict=True))


def read_predicted(work: Path, reference: str, names: Sequence[str] | None) -> Predicted:
    """Reads the predictions that a user names as "run", "run:all" or "run:layer".

    Args:
        work: the work folder.
        reference: name or folder of the run, and the layer as its predictions name it ("8", "encoding/8").
        names: of the tests that are meant, in this order; None for all.

    Raises:
        BadValue: `names` is not a list.
        UnknownChoice: there is no such run, layer or test; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    name, layer = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    tests = predictions_of(run)
    if not tests:
        expected = "Expected a finished run of probe.py in which probes were trained"
        raise PolyprobeError(f"{run.path} has no predictions of test items. {expected}.")
    layers = tuple(str(one) for one in next(iter(tests.values())).layers)
    meant = meant_layers(run.name, layer, layers)
    suite, lang = _suite_and_language(run)
    chosen = chosen_tests(tests, names, "test", "[Case,Tense]")
    return Predicted(run, suite, lang, chosen, meant, _model_in_words(run))


def _model_in_words(run: RunDirectory) -> str:
    """Says which model was probed; "" where the rows do not know."""
    return next((model_in_words(row) for row in run.rows() if row["stage"] == "probing"), "")


def predictions_of(run: RunDirectory) -> dict[str, Predictions]:
    """Reads all predictions of a run, in the order of its rows; none where it has none."""
    order = list(dict.fromkeys(row.get("test", "") for row in run.rows()))
    tests = {one.test: one for one in map(Predictions.read, run.arrays(run.predictions))}
    return {test: tests[test] for test in sorted(tests, key=lambda test: (_place(order, test), test))}


def n_trained(predictions: Predictions, layer: str) -> int:
    """Counts the seeds whose probe of this layer did not fail."""
    predicted = predictions.predicted[list(predictions.layers).index(layer)]
    return int((predicted != NO_PREDICTION).all(axis=1).sum())


def common_tests(first: Predicted, second: Predicted) -> list[str]:
    """Names the tests that both runs have, after checking that they are the same tests.

    Raises:
        PolyprobeError: the runs have other suites, other languages or no test in common, or a test has other items or
            other gold labels.
    """
    return common_names(first, second, PairingWords("tests", "test", "on the same items", _difference))


def _difference(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> str:
    """Says where two lists of words with labels differ first, or that one is longer."""
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} test items"
    place = first_difference(one, other)
    described = [f'"{words}" with label {label}' for words, label in (one[place], other[place])]
    return f"as test item {place + 1} {' and '.join(described)}"


def _suite_and_language(run: RunDirectory) -> tuple[str, str]:
    row = rows_of_stages(run, "probing")[0]
    return row["suite"], row["lang"]


def _place(order: Sequence[str], test: str) -> int:
    return order.index(test) if test in order else len(order)
