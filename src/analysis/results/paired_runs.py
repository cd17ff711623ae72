"""Reads what runs predicted, item by item: runs of probes, of downstream tasks, of minimal sets. Pairs two of them, and
lists errors, confusions and the F1 of each label of one.

A user names a run as "run", "run:layer", "run:all" or "run:model".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.kinds import KINDS, PROBING, Kind
from polyprobe.analysis.results.rows import Row, best_layer, layer_of_row, model_in_words, rows_of_stages
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice, layer_name
from polyprobe.metrics.classification import confusion, f1_by_label
from polyprobe.metrics.minimal_sets import TIES
from polyprobe.runs.array_records import NO_PREDICTION, ArrayRecord, PredictedScores, Predictions, SetScores
from polyprobe.runs.directory import RunDirectory

T = TypeVar("T")
Item = tuple[int | str, str]
ALL_LAYERS = "all"  # "run:all"
SEEDLESS = "model"  # name of a model without a seed and an epoch


@dataclass(frozen=True)
class PairedRun:
    """What one run predicted for the items of its tests: at all its layers, or by all its models, or at some."""

    kind: Kind
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

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers, each of which is compared by itself; none of minimal sets, whose models are averaged."""
        return () if self.kind.is_of_sets else self.parts

    @cached_property
    def name(self) -> str:
        """The run, and the model where the run has others."""
        if self.layers or len(self.parts) == len(next(iter(self.tests.values())).models):
            return self.run.name
        return f"{self.run.name}:{', '.join(self.parts)}"

    @cached_property
    def ties(self) -> str:
        """What a tie is worth in a run of minimal sets, by its configuration; "wrong" where that says nothing."""
        found = self.run.configuration_if_any().get("ties")
        return found if found in TIES else TIES[0]


def kind_of_runs(work: Path, references: Sequence[str]) -> Kind:
    """Says of which kind all the runs are that a user names; of probing what is neither of the other kinds, or both."""
    runs = [RunDirectory(find_run(work, split_reference(reference)[0])) for reference in references]
    kinds = {run.name: next((kind for kind in KINDS if kind.of_stage(run.rows())), PROBING) for run in runs}
    found = next((kind for kind in KINDS[1:] if kind in kinds.values()), PROBING)
    without = [name for name, kind in kinds.items() if kind is not found]
    if without:
        raise PolyprobeError(
            f"{', '.join(without)} scored no {found.scored}, as the other runs did. They cannot stand together."
        )
    return found


def read_paired_run(work: Path, kind: Kind, reference: str, names: Sequence[str] | None) -> PairedRun:
    """Reads the predictions that a user names as "run", "run:all", "run:layer" or "run:model".

    Args:
        reference: name or folder of the run, and the layer as its predictions name it ("8", "encoding/8"); of minimal
            sets what its files call the model ("s1", "s1/8"), or an epoch ("8") of all its seeds.
        names: of the tests that are meant, in this order; None for all.
    """
    name, part = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    tests = _in_order(run, kind.records_of(run))
    if not tests:
        raise PolyprobeError(f"{run.path} has no {kind.absent}.")
    row = rows_of_stages(run, kind.stage)[0]
    parts = (_models if kind.is_of_sets else _layers)(run.name, part, next(iter(tests.values())))
    chosen = chosen_tests(tests, names, kind.choice, kind.example)
    return PairedRun(kind, run, row["suite"], row["lang"], chosen, parts, model_in_words(row))


def _layers(run: str, layer: str | None, record: Predictions | PredictedScores) -> tuple[str, ...]:
    layers = tuple(map(str, record.layers))
    if layer in (None, ALL_LAYERS):
        return layers
    return (layer_name(f"layer of {run}", layer, layers),)


def _models(run: str, model: str | None, record: SetScores) -> tuple[str, ...]:
    known = list(map(str, record.models))
    chosen = tuple(one for one in known if model in (None, one, seed_and_epoch(one)[1]))
    if not chosen:
        raise UnknownChoice(f"model of {run}", str(model), known)
    seeds = [seed_and_epoch(one)[0] for one in chosen]
    if len(set(seeds)) < len(seeds):
        raise PolyprobeError(f"{run} has several epochs: {', '.join(known)}. Choose one model or epoch: run:model")
    return chosen


def predictions_of(run: RunDirectory) -> dict[str, Predictions]:
    """Reads all predictions of labels of a run, in the order of its rows; none where it has none."""
    return _in_order(run, PROBING.records_of(run))


def common_tests(first: PairedRun, second: PairedRun) -> list[str]:
    """Names the tests that both runs have, after checking that they have the same items."""
    kind = first.kind
    if (first.suite, first.lang) != (second.suite, second.lang):
        raise PolyprobeError(
            f"{first.run.name} has suite={first.suite} of lang={first.lang}, {second.run.name} suite={second.suite} "
            f"of lang={second.lang}. Only runs on the same {kind.tests} can be compared."
        )
    common = [name for name in first.tests if name in second.tests]
    if not common:
        raise PolyprobeError(
            f"{first.run.name} has {', '.join(first.tests)}, {second.run.name} has {', '.join(second.tests)}: "
            f"no {kind.noun} in common."
        )
    for name in common:
        one, other = _items(first.tests[name]), _items(second.tests[name])
        if one != other:
            pairs = enumerate(zip(one, other, strict=False), start=1)
            found = next((f"{pair[0]} and {pair[1]} at {number}" for number, pair in pairs if pair[0] != pair[1]), "")
            raise PolyprobeError(
                f"{name}: {first.run.name} and {second.run.name} have other {kind.items} "
                f"({found or f'{len(one)} and {len(other)}'}). Only scores of the same ones can be compared."
            )
    return common


def _items(record: ArrayRecord) -> list[Item]:
    """Returns what identifies the items of a test: words with gold label or score; of minimal sets set and sentence."""
    match record:
        case Predictions():
            gold = record.labels[record.gold]
        case PredictedScores():
            gold = record.gold
        case SetScores():
            return list(zip(record.set_of_sentence.tolist(), record.sentences.tolist(), strict=True))
    return list(zip(record.inputs.tolist(), map(str, gold.tolist()), strict=True))


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
LABEL_COLUMNS = ("test", "layer", "label", "f1", "n")


def best_layer_of_test(rows: Iterable[Row], predictions: Predictions) -> str | None:
    """Names the layer of a test that does best on dev, see `best_layer`; None where every probe failed.

    Args:
        rows: of the run whose predictions these are.
    """
    scored = [row for kind in KINDS for row in kind.rows(rows) if row["test"] == predictions.test]
    known = [row for row in scored if row["value"] is not None and layer_of_row(row) in predictions.layers]
    return best_layer(known)[0] if known else None


def error_rows(predictions: Predictions, layer: str) -> Iterator[tuple]:
    """Yields a row for every item and every wrong label that some seed predicted for it, in the order of the test file.

    A row has the columns `ERROR_COLUMNS`; seeds are joined by commas.
    """
    at_layer = predictions.at_layer(layer)
    for place, gold in enumerate(predictions.gold):
        said = at_layer[:, place]
        for label in np.unique(said[(said != gold) & (said != NO_PREDICTION)]):
            seeds = ",".join(str(seed) for seed in predictions.seeds[said == label])
            line, item = int(predictions.lines[place]), str(predictions.inputs[place])
            yield line, item, str(predictions.labels[gold]), str(predictions.labels[label]), seeds, layer


def confusion_counts(predictions: Predictions, layer: str) -> np.ndarray:
    """Counts how often each gold label was predicted as each label, summed over seeds: int64 `[gold, predicted]`."""
    n_labels = len(predictions.labels)
    trained = predictions.trained(layer)
    return sum((confusion(predictions.gold, one, n_labels) for one in trained), np.zeros((n_labels,) * 2, np.int64))


def label_rows(predictions: Predictions) -> Iterator[tuple]:
    """Yields the F1 of every label in gold at every layer, averaged over seeds, and its number of items."""
    numbers = np.bincount(predictions.gold, minlength=len(predictions.labels))
    for layer in predictions.layers:
        by_seed = [f1_by_label(predictions.gold, one) for one in predictions.trained(layer)]
        for label in by_seed[0] if by_seed else ():
            f1 = float(np.mean([scores[label] for scores in by_seed]))
            yield predictions.test, str(layer), str(predictions.labels[label]), round(f1, 6), int(numbers[label])
