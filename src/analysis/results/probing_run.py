"""The predictions of a probing run: read, chosen by layer, paired with those of another run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.results.collection import find_run
from src.analysis.results.rows import model_in_words
from src.errors import BadValue, PolyprobeError, UnknownChoice
from src.runs.directory import RunDirectory
from src.runs.predictions import NO_PREDICTION, Predictions, read_predictions


@dataclass(frozen=True)
class Predicted:
    """What the probes of one run said, at all its layers or at one.

    Attributes:
        run: the run's folder.
        suite, lang: of its probing rows.
        tests: predictions by the name of the test.
        layers: those that are meant, in the order of the run.
        which: the model and its options, in words.
    """

    run: RunDirectory
    suite: str
    lang: str
    tests: dict[str, Predictions]
    layers: tuple[str, ...]
    which: str


def read_predicted(work: Path, reference: str, names: Sequence[str] | None) -> Predicted:
    """Reads the predictions that a user names as "run" or "run:layer".

    Args:
        work: the work folder.
        reference: name or folder of the run, and the layer as its predictions name it ("8", "encoding/8").
        names: of the tests that are meant, in this order; None for all.

    Raises:
        BadValue: `names` is no list.
        UnknownChoice: there is no such run, layer or test; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    name, layer = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    tests = predictions_of(run)
    if not tests:
        raise PolyprobeError(f"{run.path} has no predictions of test items. Expected a finished run of probe.py.")
    layers = tuple(str(one) for one in next(iter(tests.values())).layers)
    if layer is not None and layer not in layers:
        raise UnknownChoice(f"layer of {run.name}", layer, layers)
    suite, lang = _suite_and_language(run)
    meant = layers if layer is None else (layer,)
    return Predicted(run, suite, lang, _chosen(tests, names), meant, _model_in_words(run))


def _model_in_words(run: RunDirectory) -> str:
    """Says which model was probed; "" where the rows do not know."""
    return next((model_in_words(row) for row in run.rows() if row["stage"] == "probing"), "")


def _chosen(tests: dict[str, Predictions], names: Sequence[str] | None) -> dict[str, Predictions]:
    if names is None:
        return tests
    if not isinstance(names, list) or not names:
        raise BadValue("tests", names, "a list such as [Case,Tense], or null")
    for name in names:
        if name not in tests:
            raise UnknownChoice("test", str(name), tests)
    return {name: tests[name] for name in names}


def split_reference(reference: str) -> tuple[str, str | None]:
    """Splits "run:layer"; the layer is None where only a run is named."""
    name, colon, layer = str(reference).rpartition(":")
    return (name, layer) if colon and not Path(reference).is_dir() else (str(reference), None)


def predictions_of(run: RunDirectory) -> dict[str, Predictions]:
    """Reads all predictions of a run, in the order of its rows; none where it has none."""
    order = list(dict.fromkeys(row.get("test", "") for row in run.rows()))
    tests = {one.test: one for one in map(read_predictions, run.arrays(run.predictions))}
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
    if (first.suite, first.lang) != (second.suite, second.lang):
        raise PolyprobeError(
            f"{first.run.name} has suite={first.suite} of lang={first.lang}, {second.run.name} suite={second.suite} "
            f"of lang={second.lang}. Only runs on the same tests can be compared."
        )
    common = [test for test in first.tests if test in second.tests]
    if not common:
        raise PolyprobeError(
            f"{first.run.name} has {', '.join(first.tests)}, {second.run.name} has {', '.join(second.tests)}: "
            "no test in common."
        )
    for test in common:
        _check_same_items(test, first, second)
    return common


def _check_same_items(test: str, first: Predicted, second: Predicted) -> None:
    one, other = first.tests[test], second.tests[test]
    asked, asked_too = _items(one), _items(other)
    if asked == asked_too:
        return
    names = f"{first.run.name} and {second.run.name}"
    if len(asked) != len(asked_too):
        difference = f"{len(asked)} and {len(asked_too)} test items"
    else:
        place = next(place for place, (it, too) in enumerate(zip(asked, asked_too, strict=True)) if it != too)
        difference = f"as test item {place + 1} " + " and ".join(
            f'"{words}" with label {label}' for words, label in (asked[place], asked_too[place])
        )
    raise PolyprobeError(f"{test}: {names} have {difference}. Only scores on the same items can be compared.")


def _items(predictions: Predictions) -> list[tuple[str, str]]:
    gold = np.asarray(predictions.labels)[predictions.gold]
    return list(zip(predictions.inputs.tolist(), gold.tolist(), strict=True))


def _suite_and_language(run: RunDirectory) -> tuple[str, str]:
    probing = (row for row in run.rows() if row["stage"] == "probing")
    row = next(probing, None)
    if row is None:
        raise PolyprobeError(f"{run.results} has no row of stage probing.")
    return row["suite"], row["lang"]


def _place(order: Sequence[str], test: str) -> int:
    return order.index(test) if test in order else len(order)
