"""Reads what runs predicted, item by item: runs of probes, of downstream tasks, of minimal sets. Pairs two of them, and
lists errors, confusions and the F1 of each label of one.

A user names a run as "run", "run:layer", "run:all" or "run:model".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from polyprobe.analysis.output.tables import Cells, Table
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.kinds import Kind
from polyprobe.analysis.results.rows import Row, model_in_words, rows_of_stages
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.metrics.classification import confusion, f1_by_label
from polyprobe.metrics.minimal_sets import TIES
from polyprobe.runs.array_records import NO_PREDICTION, PredictedScores, Predictions, RegionScores, SetScores
from polyprobe.runs.directory import RunDirectory

T = TypeVar("T")
Record = Predictions | PredictedScores | SetScores | RegionScores
Item = tuple[Any, ...]
ALL_LAYERS = "all"  # "run:all"
SEEDLESS = "model"  # name of a model without a seed and an epoch


@dataclass(frozen=True, slots=True)
class Pairing:
    """A kind of scores whose runs keep predictions for single items, by which two runs are paired and compared."""

    kind: Kind
    tables: Callable[[Sequence[Row]], list[Table]]
    """Of rows of one or more runs."""
    records: Callable[[RunDirectory], list[Record]]
    """Reads what a run predicted, a record for each test."""
    parts: Callable[[str, str | None, Record], tuple[str, ...]]
    """Of the name of a run, what a user wrote behind it, and a record: the layers or models that are meant."""
    items: Callable[[Record], list[Item]]
    """What identifies the items of a test, in their order."""
    unlike: Callable[[Sequence[Item], Sequence[Item]], str]
    """Says how two unequal lists of items differ."""
    difference: Callable[[str, "PairedRun", "PairedRun", str | None], Any]
    """How far two runs, each at one layer, differ on a test, by a rule where minimal sets are compared by one."""
    columns: Sequence[str]
    """Of the CSV file of a comparison: fields of what `difference` returns; the first is what the kind calls a test."""
    title: str
    """Of the table of a comparison."""
    notes: Callable[[Sequence[Any], "PairedRun", "PairedRun"], list[str]]
    absent: str
    """What is said of a run without predictions."""
    example: str
    """A list of tests, for errors."""
    runs: str
    """A list of runs, for errors."""
    scored: str
    """What its runs scored, in words."""
    tests: str = "tests"
    """What a suite has, in words."""
    choice: str = "test"
    """What an error calls the name of one."""
    alike: str = "on the same items"
    """What scores must have in common."""
    has_layers: bool = True
    named: Cells = field(default_factory=dict)
    """Columns of the table of a comparison behind the test."""
    counted: Cells = field(default_factory=dict)
    """Columns behind the number of items."""
    judged: Cells = field(default_factory=dict)
    """Columns behind the difference."""


@dataclass(frozen=True)
class PairedRun:
    """What one run predicted for the items of its tests: at all its layers, or by all its models, or at some."""

    pairing: Pairing
    run: RunDirectory
    suite: str
    lang: str
    tests: Mapping[str, Any]
    """A record (`Predictions`, …) for each test, in the order of the run or of the user."""
    parts: tuple[str, ...]
    """The layers that are meant, in the order of the run; of minimal sets the models."""
    which: str
    """The model and its options, in words."""
    reason: str = ""
    """Why the layer was chosen, if it was ("the best on dev")."""

    @cached_property
    def name(self) -> str:
        """The run, and the model where the run has others."""
        has_all = self.pairing.has_layers or len(self.parts) == len(next(iter(self.tests.values())).models)
        return self.run.name if has_all else f"{self.run.name}:{', '.join(self.parts)}"

    @cached_property
    def ties(self) -> str:
        """What a tie is worth in a run of minimal sets, by its configuration; "wrong" where that says nothing."""
        found = self.run.configuration_if_any().get("ties")
        return found if found in TIES else TIES[0]


def is_list(value: object) -> bool:
    """Says whether what a user gives is a list."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def read_paired_run(work: Path, pairing: Pairing, reference: str, names: Sequence[str] | None) -> PairedRun:
    """Reads the predictions that a user names as "run", "run:all", "run:layer" or "run:model".

    Args:
        reference: name or folder of the run, and the layer as its predictions name it ("8", "encoding/8"); of minimal
            sets what its files call the model ("s1", "s1/8"), or an epoch ("8") of all its seeds.
        names: of the tests that are meant, in this order; None for all.
    """
    name, part = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    tests = _in_order(run, pairing.records(run))
    if not tests:
        raise PolyprobeError(f"{run.path} has no {pairing.absent}.")
    row = rows_of_stages(run, pairing.kind.stage)[0]
    parts = pairing.parts(run.name, part, next(iter(tests.values())))
    chosen = chosen_tests(tests, names, pairing.choice, pairing.example)
    return PairedRun(pairing, run, row["suite"], row["lang"], chosen, parts, model_in_words(row))


def predictions_of(run: RunDirectory) -> dict[str, Predictions]:
    """Reads all predictions of labels of a run, in the order of its rows; none where it has none."""
    return _in_order(run, map(Predictions.read, run.arrays(run.predictions)))


def n_trained(predictions: Predictions, layer: str) -> int:
    """Counts the seeds whose probe of this layer did not fail."""
    predicted = predictions.predicted[list(predictions.layers).index(layer)]
    return int((predicted != NO_PREDICTION).all(axis=1).sum())


def common_tests(first: PairedRun, second: PairedRun) -> list[str]:
    """Names the tests that both runs have, after checking that they have the same items."""
    pairing = first.pairing
    if (first.suite, first.lang) != (second.suite, second.lang):
        raise PolyprobeError(
            f"{first.run.name} has suite={first.suite} of lang={first.lang}, {second.run.name} suite={second.suite} "
            f"of lang={second.lang}. Only runs on the same {pairing.tests} can be compared."
        )
    common = [name for name in first.tests if name in second.tests]
    if not common:
        raise PolyprobeError(
            f"{first.run.name} has {', '.join(first.tests)}, {second.run.name} has {', '.join(second.tests)}: "
            f"no {pairing.kind.noun} in common."
        )
    for name in common:
        one, other = pairing.items(first.tests[name]), pairing.items(second.tests[name])
        if one != other:
            raise PolyprobeError(
                f"{name}: {first.run.name} and {second.run.name} have {pairing.unlike(one, other)}. "
                f"Only scores {pairing.alike} can be compared."
            )
    return common


def split_reference(reference: str) -> tuple[str, str | None]:
    """Splits "run:layer"; the layer is None where only a run is named."""
    name, colon, layer = str(reference).rpartition(":")
    return (name, layer) if colon and not Path(reference).is_dir() else (str(reference), None)


def chosen_tests(found: Mapping[str, T], names: Sequence[str] | None, kind: str, example: str) -> dict[str, T]:
    """Returns the tests of a run that a user names, in this order; all of them for None.

    Args:
        kind: what errors call a name, such as "test".
        example: a list of them, for errors.

    Raises:
        BadValue: `names` is not a list, or empty.
        UnknownChoice: the run has no such test; names the nearest.
    """
    if names is None:
        return dict(found)
    if not isinstance(names, list) or not names:
        raise BadValue("tests", names, f"a list such as {example}, or null")
    for name in names:
        if name not in found:
            raise UnknownChoice(kind, str(name), found)
    return {name: found[name] for name in names}


def seed_and_epoch(model: str) -> tuple[str, str]:
    """Splits the name of a model of minimal sets: "s1/8", "s1", or "8"."""
    first, _, epoch = model.partition("/")
    return ("", first) if first.isdigit() else (first, epoch)


def _in_order(run: RunDirectory, records: Iterable[T]) -> dict[str, T]:
    """Returns records by their tests, in the order of the rows of a run; others behind them by name."""
    tests = {one.test: one for one in records}
    places = {test: place for place, test in enumerate(dict.fromkeys(row.get("test", "") for row in run.rows()))}
    return {test: tests[test] for test in sorted(tests, key=lambda test: (places.get(test, len(places)), test))}


ERROR_COLUMNS = ("line", "item", "gold", "predicted", "seeds", "layer")
DIGITS = 9  # sums of thirds differ beyond
LABEL_COLUMNS = ("test", "layer", "label", "f1", "n")


def best_layer(predictions: Predictions) -> str | None:
    """Names the layer with the highest accuracy on the test; None where every probe failed."""
    trained = [str(layer) for layer in predictions.layers if n_trained(predictions, layer)]
    scores = {layer: round(float(predictions.correct(layer).mean()), DIGITS) for layer in trained}
    return max(scores, key=scores.get, default=None)


def error_rows(predictions: Predictions, layer: str) -> Iterator[tuple]:
    """Yields a row for every item and every wrong label that some seed predicted for it, in the order of the test file.

    A row has the columns `ERROR_COLUMNS`; seeds are joined by commas.
    """
    at_layer = _predicted(predictions, layer)
    for place, gold in enumerate(predictions.gold):
        said = at_layer[:, place]
        for label in np.unique(said[(said != gold) & (said != NO_PREDICTION)]):
            seeds = ",".join(str(seed) for seed in predictions.seeds[said == label])
            line, item = int(predictions.lines[place]), str(predictions.inputs[place])
            yield line, item, str(predictions.labels[gold]), str(predictions.labels[label]), seeds, layer


def confusion_counts(predictions: Predictions, layer: str) -> np.ndarray:
    """Counts how often each gold label was predicted as each label, summed over seeds: int64 `[gold, predicted]`."""
    n_labels = len(predictions.labels)
    trained = _trained(predictions, layer)
    return sum((confusion(predictions.gold, one, n_labels) for one in trained), np.zeros((n_labels,) * 2, np.int64))


def label_rows(predictions: Predictions) -> Iterator[tuple]:
    """Yields the F1 of every label in gold at every layer, averaged over seeds, and its number of items."""
    numbers = np.bincount(predictions.gold, minlength=len(predictions.labels))
    for layer in predictions.layers:
        by_seed = [f1_by_label(predictions.gold, one) for one in _trained(predictions, layer)]
        for label in by_seed[0] if by_seed else ():
            f1 = float(np.mean([scores[label] for scores in by_seed]))
            yield predictions.test, str(layer), str(predictions.labels[label]), round(f1, 6), int(numbers[label])


def _predicted(predictions: Predictions, layer: str) -> np.ndarray:
    """Returns the labels that each seed predicted: int64 `[seeds, items]`."""
    return predictions.predicted[list(predictions.layers).index(layer)]


def _trained(predictions: Predictions, layer: str) -> np.ndarray:
    predicted = _predicted(predictions, layer)
    return predicted[(predicted != NO_PREDICTION).all(axis=1)]
