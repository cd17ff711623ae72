"""What a probing run has found: rows, each score with its baselines, predictions, and the weights of neurons."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from polyprobe.encoders.base.encoder import Encoder
from polyprobe.metrics.bootstrap import bootstrap_interval
from polyprobe.metrics.classification import accuracy
from polyprobe.metrics.probe_metrics import probe_metrics, probing_row
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.bank.scaling import far_from_one
from polyprobe.probing.baselines.columns import SplitCoverage, baseline_columns
from polyprobe.probing.design import Design
from polyprobe.probing.item_vectors import layers_together
from polyprobe.probing.stages import CONTROL, MAIN, RANDOM_ENCODER, StageOutcomes, layer_and_epoch
from polyprobe.probing.suites.tests import ProbingTest, inputs_in_words
from polyprobe.runs.array_records import NO_EPOCH, NO_PREDICTION, SEARCHED, NeuronWeights, Predictions
from polyprobe.runs.results import COUNT_PROBES, ResultRow, known_number, note_of
from polyprobe.seeds import derived_seed


@dataclass(frozen=True)
class Findings:
    """What probing by a design has found."""

    design: Design
    stages: Mapping[str, StageOutcomes]
    """The outcomes of the probes of the tests themselves, and of those of the baselines, by stage."""
    coverages: Sequence[SplitCoverage]
    """What the encoder's vocabulary lacks; empty where it composes a vector for every word."""

    def rows(self) -> Iterator[ResultRow]:
        """Yields a row for every probe, one with the seeds averaged for every test and layer, and the coverage."""
        for test in self.design.tests:
            unknown = [one.unknown for one in self.coverages if (one.test, one.split) == (test.name, "test")]
            columns = {**baseline_columns(test), **({"oov": unknown[0]} if unknown else {})}
            for stage in self.stages:
                for place in range(len(self.stages[stage].layers)):
                    yield from self._seed_rows(stage, test, place, columns if stage == MAIN else {})
            for place in range(len(self._main.layers)):
                yield from self._averaged_row(test, place, columns)
        for coverage in self.coverages:
            of_split = {"test": coverage.test, "split": coverage.split, "value": coverage.unknown, "n": coverage.n}
            yield ResultRow(stage="coverage", metric="oov", **self._of_design, **of_split)

    def on_scale(self) -> str | None:
        """Says which layers were probed as they are though probes learn less at their scale; None where none was."""
        found: dict[str, str] = {}
        for (test, place), outcomes in self._main.outcomes.items():
            scales = [one.scale for one in outcomes if one.scale is not None]
            why = far_from_one(*scales[0]) if scales and self.design.probe_of(test).scale == "none" else None
            if why is not None:
                found.setdefault(layer_and_epoch(self._main.layers[place]), why)
        if not found:
            return None
        layers = "; ".join(f"{layer}: {why}" for layer, why in islice(found.items(), 3))
        n_more = f"; {len(found) - 3} more layers" if len(found) > 3 else ""
        return f"vectors at a scale at which probes learn less ({layers}{n_more}): compare probe.scale=standard"

    def predictions(self) -> Iterator[Predictions]:
        """Yields for every test what each probe said of its test items."""
        for test in self.design.tests:
            outcomes = [self._main.outcomes[test.name, place] for place in range(len(self._main.layers))]
            nothing = np.full(len(test.test.label_ids), NO_PREDICTION)
            predicted = [
                [nothing if one.failed is not None else one.test_predictions for one in of_layer]
                for of_layer in outcomes
            ]
            yield Predictions(
                test=test.name,
                inputs=np.array(inputs_in_words(test.test)),
                lines=np.array(test.test.lines),
                labels=np.array(test.labels),
                gold=np.array(test.test.label_ids),
                layers=np.array([layer_and_epoch(layer) for layer in self._main.layers]),
                seeds=np.array(self.design.seeds),
                predicted=np.array(predicted),
            )

    @property
    def _main(self) -> StageOutcomes:
        return self.stages[MAIN]

    def _seed_rows(
        self, stage: str, test: ProbingTest, place: int, columns: Mapping[str, float]
    ) -> Iterator[ResultRow]:
        gold = self.stages[stage].gold[test.name]
        for seed, outcome in zip(self.design.seeds, self.stages[stage].outcomes[test.name, place], strict=True):
            failure = {"value": None, "note": f"failed: {outcome.failed}"}
            scores = failure if outcome.failed is not None else _scores(outcome, gold)
            yield self._row(stage, test, place, seed=seed, **scores, **columns)

    def _averaged_row(self, test: ProbingTest, place: int, columns: Mapping[str, float]) -> Iterator[ResultRow]:
        gold = self._main.gold[test.name]
        trained = _trained(self._main.outcomes[test.name, place])
        if not trained:
            return
        correct = np.mean([one.test_predictions == gold for one in trained], axis=0)
        low, high = bootstrap_interval(correct, derived_seed(0, "bootstrap", test.name))
        yield self._row(
            MAIN,
            test,
            place,
            value=float(np.mean(correct)),
            dev=_mean([known_number(one.dev_accuracy) for one in trained]),
            **_of_vectors(trained[0]),
            interval_low=low,
            interval_high=high,
            n_seeds=len(trained),
            note=_note(self.design, test, len(gold), len(trained), self._of_one_label(place, gold, trained)),
            **{name: _mean([of_probe(gold, one) for one in trained]) for name, of_probe in probe_metrics().items()},
            **self._compared(test, place, float(np.mean(correct))),
            **columns,
        )

    def _of_one_label(self, place: int, gold: np.ndarray, trained: Sequence[ProbeOutcome]) -> str | None:
        """Says how many probes of a layer predict a single label where gold has several, which no score shows."""
        n_such = sum(len(np.unique(one.test_predictions)) == 1 for one in trained)
        if n_such == 0 or len(np.unique(gold)) == 1:
            return None
        layer = layer_and_epoch(self._main.layers[place])
        return f"{n_such} of {len(trained)} probes of layer {layer} predict a single label"

    def _compared(self, test: ProbingTest, place: int, score: float) -> dict[str, float | None]:
        """Returns the columns of the random encoder and the control task, where these were requested."""
        columns = {}
        if RANDOM_ENCODER in self.stages:
            # The counterpart of a checkpoint encoder has each layer once, whatever the epochs.
            names = [layer.name for layer in self.stages[RANDOM_ENCODER].layers]
            counterpart = names.index(self._main.layers[place].name)
            columns["random"] = self._mean_accuracy(RANDOM_ENCODER, test, counterpart)
            columns["random_codelength"] = self._mean_codelength(RANDOM_ENCODER, test, counterpart)
        if CONTROL in self.stages:
            columns["control"] = control = self._mean_accuracy(CONTROL, test, place)
            columns["selectivity"] = None if control is None else score - control
            columns["control_codelength"] = self._mean_codelength(CONTROL, test, place)
        return columns

    def _mean_accuracy(self, stage: str, test: ProbingTest, place: int) -> float | None:
        gold, outcomes = self.stages[stage].gold[test.name], self.stages[stage].outcomes[test.name, place]
        return _mean([accuracy(gold, one.test_predictions) for one in _trained(outcomes)])

    def _mean_codelength(self, stage: str, test: ProbingTest, place: int) -> float | None:
        return _mean([one.codelength for one in _trained(self.stages[stage].outcomes[test.name, place])])

    @property
    def _of_design(self) -> dict[str, Any]:
        """The columns that all rows have."""
        return {name: getattr(self.design, name) for name in ("lang", "suite", "encoder", "model", "options")}

    def _row(self, stage: str, test: ProbingTest, place: int, **columns) -> ResultRow:
        layer = self.stages[stage].layers[place]
        return probing_row()(
            stage=stage,
            test=test.name,
            split="test",
            layer=layer.name,
            epoch=layer.epoch,
            probe=self.design.probe_name,
            metric="accuracy",
            n=len(test.test.label_ids),
            **self._of_design,
            **columns,
        )


def _scores(outcome: ProbeOutcome, gold: np.ndarray) -> dict[str, object]:
    return {
        "value": accuracy(gold, outcome.test_predictions),
        "dev": known_number(outcome.dev_accuracy),
        "best_epoch": outcome.best_epoch,
        **_of_vectors(outcome),
        "cell": outcome.cell,
        **{name: of_probe(gold, outcome) for name, of_probe in probe_metrics().items()},
    }


def _of_vectors(outcome: ProbeOutcome) -> dict[str, float]:
    """Returns the columns that say at which scale the vectors are; none for counts."""
    return dict(zip(("vector_mean", "vector_deviation", "largest_column"), outcome.scale or (), strict=False))


def _trained(outcomes: Sequence[ProbeOutcome]) -> list[ProbeOutcome]:
    return [one for one in outcomes if one.failed is None]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _note(design: Design, test: ProbingTest, n_items: int, n_seeds: int, of_one_label: str | None) -> str | None:
    own = design.own_probes.get(test.name)
    notes = [test.note, own and f"probe with {own.difference}", of_one_label]
    return note_of(notes, n_items, None if design.probe_name in COUNT_PROBES else n_seeds)


def neuron_weights(design: Design, encoder: Encoder, stages: dict[str, StageOutcomes]) -> Iterator[NeuronWeights]:
    """Yields for every test the weights of its probes, and of those of its control task where there are any."""
    together = layers_together(encoder.layers)
    layers = [encoder.layers[number] for number in next(iter(together.values()))]
    for test in design.tests:
        main, control = (
            [stages[stage].outcomes[test.name, place] for place in range(len(together))] if stage in stages else []
            for stage in (MAIN, CONTROL)
        )
        n_seeds, n_cells = len(design.seeds), max(len(one.searched) for of_epoch in main for one in of_epoch)
        none = np.full((n_cells, len(SEARCHED)), np.nan)
        biases = np.full(len(test.labels), np.nan, np.float32)
        weights = np.full((len(test.labels), sum(layer.width for layer in layers)), np.nan, np.float32)
        yield NeuronWeights(
            test=test.name,
            labels=np.array(test.labels),
            layers=np.array([layer.name for layer in layers]),
            widths=np.array([layer.width for layer in layers]),
            epochs=np.array([NO_EPOCH if layer.epoch is None else layer.epoch for layer in together]),
            seeds=np.array(design.seeds),
            weights=_stacked(main, n_seeds, "weights", weights),
            biases=_stacked(main, n_seeds, "biases", biases),
            searched=_stacked(main, n_seeds, "searched", none),
            control_weights=_stacked(control, n_seeds, "weights", weights),
            control_biases=_stacked(control, n_seeds, "biases", biases),
        )


def _stacked(
    outcomes: Sequence[Sequence[ProbeOutcome]],
    n_seeds: int,
    name: Literal["weights", "biases", "searched"],
    empty: np.ndarray,
) -> np.ndarray:
    """Returns an array of every outcome, `[epochs, seeds, *its shape]`; `empty` for failed probes."""
    found = [[empty if one.failed is not None else getattr(one, name) for one in of_epoch] for of_epoch in outcomes]
    return np.array(found, empty.dtype).reshape(len(outcomes), n_seeds, *empty.shape)
