"""The work of a probing run: reads the tests, trains the probes and writes what they found."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from polyprobe.display.progress import watched
from polyprobe.display.shown import say
from polyprobe.encoders.base.encoder import CountEncoder, Encoder, Layer
from polyprobe.encoders.cache.encoding_cost import EncodingCost
from polyprobe.encoders.cache.store import check_room, encoded
from polyprobe.encoders.random import random_counterpart
from polyprobe.errors import PolyprobeError
from polyprobe.models.base.lightning_process import flush_denormals, set_threads
from polyprobe.probing.all_layers import layers_together
from polyprobe.probing.bank.bank import bank_trainer, trained
from polyprobe.probing.bank.jobs import ProbeJob, ProbeOutcome
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.baselines.columns import control_test, count_outcome, coverages
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.design import Design, check_probe_of_counts, check_probe_of_vectors, read_design
from polyprobe.probing.earlier_run import encoder_note
from polyprobe.probing.expected_time import ExpectedTime
from polyprobe.probing.findings import Findings
from polyprobe.probing.kept_probe import KeptProbe, digest_of_predictions, load_probe
from polyprobe.probing.settings import ProbingSettings
from polyprobe.probing.stages import (
    CONTROL,
    MAIN,
    RANDOM_ENCODER,
    Cell,
    CountVectors,
    EncodedTests,
    EncoderWork,
    Keep,
    LayersTogether,
    LayerVectors,
    StageOutcomes,
    gold_of,
    n_probes,
    probe_outcomes,
    trained_in_time,
)
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.probing.task_score_by_epoch import rows_of_probed
from polyprobe.runs.array_records import NO_EPOCH, SEARCHED, NeuronWeights
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import with_lasting_names
from polyprobe.runs.record.provenance import provenance
from polyprobe.runs.results import ResultRow
from polyprobe.runs.study import Outcome, in_a_line
from polyprobe.seeds import derived_seed


@dataclass(frozen=True)
class ProbingWork(EncoderWork):
    """Trains the probes of a design."""

    settings: ProbingSettings
    design: Design
    encoder: Encoder | CountEncoder
    downstream: Sequence[ResultRow]
    """Of the run whose checkpoints are probed: the scores of its task."""

    def versions(self) -> Mapping[str, str]:
        return self.design.versions

    @property
    def files(self) -> Mapping[str, Sequence[Path]]:
        return {test.name: test.files for test in self.design.tests}

    def start(self) -> Sequence[str]:
        settings, design, encoder = self.settings, self.design, self.encoder
        counted = in_a_line(counts_of_design(design, encoder, settings.baselines == "all"))
        if isinstance(encoder, CountEncoder):
            return [counted]
        encoders = _encoders_of_stages(settings, encoder)
        return [counted, EncodingCost.of(encoders, design.items(), settings.cache).line()]

    def scored(self, run: RunDirectory) -> Outcome:
        design, encoder, findings = self.design, self.encoder, self._findings(run)
        run.check_there()
        for predictions in findings.predictions():
            predictions.write(run.predictions)
        if design.probe.over_all_layers:
            for record in neuron_weights(design, encoder, findings.stages):
                record.write(run.neurons)
        notes = {"encoder": encoder_note(encoder)} if isinstance(encoder, Encoder) else {}
        return [*self.downstream, *findings.rows()], notes

    def share(self, run: RunDirectory) -> None:
        if not isinstance(self.design.probe, CountClassifier):  # fitted in seconds
            self._findings(run)

    def _findings(self, run: RunDirectory) -> Findings:
        settings, design, encoder = self.settings, self.design, self.encoder
        if isinstance(encoder, CountEncoder):
            return probe_counts(settings, design, encoder)
        keep = _Keeper(settings, design, encoder, run).keep if settings.asked.keep else None
        return probe_layers(settings, design, encoder, keep)


def prepared(settings: ProbingSettings, tests: Sequence[ProbingTest], encoder: Encoder | CountEncoder) -> ProbingWork:
    """Checks what a probing run needs.

    Raises:
        PolyprobeError: the probe cannot be built or is not for such an encoder, or the machine lacks the device.
    """
    flush_denormals()
    asked, resolved = settings.asked, getattr(encoder, "resolved", None)
    options = asked.suite.with_own_tests(asked.encoder.in_words(encoder.model_name is not None, resolved))
    design = replace(read_design(settings, tests), model=encoder.model_name, options=options)
    if isinstance(encoder, Encoder):
        encoder.check_there(design.items())
    check = check_probe_of_counts if isinstance(encoder, CountEncoder) else check_probe_of_vectors
    check(design)
    if settings.asked.keep:
        check_keepable(design, encoder)
    bank_trainer(settings.bank.accelerator)  # it says whether the machine has the device, before the run begins
    if design.probe.over_all_layers:
        design = design_of_neurons(design, encoder)
    return ProbingWork(settings, design, encoder, rows_of_probed(encoder))


def counts_of_design(design: Design, encoder: Encoder | CountEncoder, has_baselines: bool) -> dict[str, int]:
    """Counts tests, layers, seeds, probes and items (as often as the tests have them).

    Args:
        has_baselines: whether a random encoder and a control task are probed, too.
    """
    n_of_one_layer = sum(design.probe_of(test.name).n_probes for test in design.tests)
    if isinstance(encoder, CountEncoder):
        n_stages = 2 if has_baselines else 1
        kind = "classifiers" if isinstance(design.probe, CountClassifier) else "probes"
        counted = {"tests": len(design.tests), kind: n_stages * n_of_one_layer * len(design.seeds)}
    else:
        layers = list(layers_together(encoder.layers)) if design.probe.over_all_layers else encoder.layers
        n_layers = len(layers)
        # The random counterpart of a checkpoint has each layer once, whatever the epochs.
        n_of_baselines = n_layers + len({layer.name for layer in layers}) if has_baselines else 0
        n_probes = n_of_one_layer * len(design.seeds) * (n_layers + n_of_baselines)
        counted = {"tests": len(design.tests), "layers": n_layers, "seeds": len(design.seeds), "probes": n_probes}
    return {**counted, "items": sum(1 for _ in design.items())}


def probe_layers(
    settings: ProbingSettings,
    design: Design,
    encoder: Encoder,
    keep: Keep | None = None,
) -> Findings:
    """Encodes every item once and trains all probes in one bank, those of the requested baselines among them.

    Args:
        keep: see `probe_outcomes`.
    """
    set_threads(settings.bank.threads)
    stages = _encoded_stages(settings, design, encoder)
    kept = KeptOutcomes(settings.workspace.probes, settings.probe)
    expected = ExpectedTime(settings.bank.is_confirmed, n_probes(design, stages))
    outcomes = probe_outcomes(design, stages, partial(trained_in_time, settings.bank, expected), kept, expected, keep)
    return Findings(design, outcomes, coverages(encoder, design.tests))


def check_keepable(design: Design, encoder: Encoder | CountEncoder) -> None:
    """Checks that the probes of a design can be kept.

    Raises:
        PolyprobeError: they are of counts, or of neurons.
    """
    if isinstance(encoder, CountEncoder):
        found = f"encoder={design.encoder} counts words anew for each test, so that its probes fit no other vectors"
    elif design.probe.over_all_layers:
        found = f"the weights of all probes of probe={design.probe_name} are in <run>/neurons/ already"
    else:
        return
    raise PolyprobeError(f"probe.keep=true has no effect: {found}. Leave it out.")


@dataclass(frozen=True)
class _Keeper:
    """Writes the probes of a run."""

    settings: ProbingSettings
    design: Design
    encoder: Encoder
    run: RunDirectory

    def keep(self, outcomes: Sequence[tuple[Cell, ProbeOutcome]]) -> None:
        """Writes the probes of cells, but those that are there; those without parameters are trained again.

        Such are the cell of a grid that dev has chosen, and one whose outcome an earlier run has kept: in any company
        it comes out as it was.
        """
        good = [(cell, one) for cell, one in outcomes if one.failed is None]
        self._write([(cell.place, cell.jobs[0], one) for cell, one in good if one.parameters])
        absent = [(cell, one) for cell, one in good if not (one.parameters or self._is_there(cell, one))]
        jobs = [
            replace(self.design.probe_of(cell.place[0]).kept_job(cell.jobs, one), is_kept=True) for cell, one in absent
        ]
        again = trained(jobs, bank_trainer(self.settings.bank.accelerator), self.settings.bank.chunk_size)
        self._write([(cell.place, job, one) for (cell, _), job, one in zip(absent, jobs, again, strict=True)])

    def _write(self, probes: Sequence[tuple[tuple[str, int], ProbeJob, ProbeOutcome]]) -> None:
        for place, job, outcome in probes:
            self._probe(place, job, outcome).write(self._path(place, job))

    def _path(self, place: tuple[str, int], job: ProbeJob) -> Path:
        layer = self.encoder.layers[place[1]]
        return self.run.probe(place[0], layer.name, layer.epoch, job.seed)

    def _is_there(self, cell: Cell, outcome: ProbeOutcome) -> bool:
        try:
            return load_probe(self._path(cell.place, cell.jobs[0])).predictions == digest_of_predictions(
                outcome.test_predictions
            )
        except PolyprobeError:
            return False

    def _probe(self, place: tuple[str, int], job: ProbeJob, outcome: ProbeOutcome) -> KeptProbe:
        asked, name, layer = self.settings.asked, place[0], self.encoder.layers[place[1]]
        return KeptProbe(
            test=name,
            suite=self.design.suite,
            lang=self.design.lang,
            labels=next(test.labels for test in self.design.tests if test.name == name),
            layer=layer.name,
            epoch=layer.epoch,
            seed=job.seed,
            parts=job.data.train_rows.shape[1],
            encoder={"choice": asked.encoder.name, "options": with_lasting_names(asked.encoder.options)},
            fingerprint=self.encoder.fingerprint,
            number=asked.cache.number,
            spec=job.spec,
            dev_accuracy=outcome.dev_accuracy,
            predictions=digest_of_predictions(outcome.test_predictions),
            versions={"polyprobe": provenance()["polyprobe"]["version"], "torch": torch.__version__},
            parameters=outcome.parameters,
        )


def _encoded_stages(settings: ProbingSettings, design: Design, encoder: Encoder) -> list[EncodedTests]:
    """Encodes the tests; with all baselines also by a random encoder, and with the labels of their control tasks."""
    cache, encoders = settings.cache, _encoders_of_stages(settings, encoder)
    check_room(encoders, design.items(), cache)
    kind, found = LayersTogether if design.probe.over_all_layers else LayerVectors, []
    for stage, one in zip((MAIN, RANDOM_ENCODER), encoders, strict=False):
        items = encoded(one, design.items(), cache)
        found.append(EncodedTests(stage, design.tests, kind(items, f"{one.fingerprint} {cache.number}")))
    if settings.baselines != "all":
        return found
    controls = [control_test(test, settings.seeds[0]) for test in design.tests]
    return [*found, replace(found[0], stage=CONTROL, tests=controls)]


def _encoders_of_stages(settings: ProbingSettings, encoder: Encoder) -> list[Encoder]:
    """Returns the encoder that is probed, with all baselines also its random counterpart."""
    if settings.baselines != "all":
        return [encoder]
    return [encoder, random_counterpart(encoder, derived_seed(settings.seeds[0], RANDOM_ENCODER))]


def probe_counts(settings: ProbingSettings, design: Design, encoder: CountEncoder) -> Findings:
    """Probes every test by counts, one test after another, and with all baselines its control task.

    A count encoder has no weights for a random one.
    """
    if isinstance(design.probe, CountClassifier):
        stages = {MAIN: design.tests}
        if settings.baselines == "all":
            stages[CONTROL] = [control_test(test, design.seeds[0]) for test in design.tests]
        return Findings(design, {stage: _fitted(design, encoder, tests) for stage, tests in stages.items()}, [])
    return _by_bank(settings, design, encoder)


def _fitted(design: Design, encoder: CountEncoder, tests: Sequence[ProbingTest]) -> StageOutcomes:
    outcomes = {}
    with watched("fitting classifiers", "tests", len(tests)) as progress:
        for test in tests:
            outcomes[test.name, 0] = [count_outcome(encoder, design.probe_of(test.name), test)]
            progress.advance()
    return StageOutcomes(encoder.layers, gold_of(tests), outcomes)


def _by_bank(settings: ProbingSettings, design: Design, encoder: CountEncoder) -> Findings:
    """Trains the probes of each test in a bank of its own: a test has features of its own, let go when it is over."""
    set_threads(settings.bank.threads)
    kept = KeptOutcomes(settings.workspace.probes, settings.probe)
    found: dict[str, StageOutcomes] = {}
    of_all = [stage for test in design.tests for stage in _stages(settings, test, encoder)]
    expected = ExpectedTime(settings.bank.is_confirmed, n_probes(design, of_all))
    for test in design.tests:
        of_test, stages = replace(design, tests=[test]), _stages(settings, test, encoder)
        outcomes = probe_outcomes(of_test, stages, partial(trained_in_time, settings.bank, expected), kept, expected)
        found = {stage: _joined(found.get(stage), one) for stage, one in outcomes.items()}
    return Findings(design, found, [])


def _stages(settings: ProbingSettings, test: ProbingTest, encoder: CountEncoder) -> list[EncodedTests]:
    main = EncodedTests(MAIN, [test], CountVectors(encoder, test))
    if settings.baselines != "all":
        return [main]
    return [main, replace(main, stage=CONTROL, tests=[control_test(test, settings.seeds[0])])]


def _joined(one: StageOutcomes | None, other: StageOutcomes) -> StageOutcomes:
    if one is None:
        return other
    return StageOutcomes(one.layers, {**one.gold, **other.gold}, {**one.outcomes, **other.outcomes})


def design_of_neurons(design: Design, encoder: Encoder | CountEncoder) -> Design:
    """Returns the design without tests of pairs, whose neurons stand twice in the input of a probe; says which."""
    if isinstance(encoder, CountEncoder) or len(encoder.layers) == len(layers_together(encoder.layers)):
        names = ", ".join(dict.fromkeys(layer.name for layer in encoder.layers))
        found = "counts of words and no layers" if isinstance(encoder, CountEncoder) else f"one layer ({names})"
        raise PolyprobeError(
            f"encoder={design.encoder} has {found}: there are no neurons of several layers to choose among. Expected "
            "an encoder with several, such as transformer, elmo, or checkpoint of a trained model over words in "
            "sentences."
        )
    kept = [test for test in design.tests if len(test.train.items[0]) == 1]
    left_out = [test.name for test in design.tests if test not in kept]
    if not kept:
        raise PolyprobeError(f"{', '.join(left_out)}: tests of pairs of words. Expected a test of single items.")
    if left_out:
        say(f"left out, as tests of pairs: {', '.join(left_out)}")
    return replace(design, tests=kept)


def neuron_weights(design: Design, encoder: Encoder, stages: dict[str, StageOutcomes]) -> Iterator[NeuronWeights]:
    """Yields for every test the weights of its probes, and of those of its control task where there are any."""
    together = layers_together(encoder.layers)
    layers = [encoder.layers[number] for number in next(iter(together.values()))]
    for test in design.tests:
        yield _record(design, test, layers, [layer.epoch for layer in together], stages)


def _record(
    design: Design,
    test: ProbingTest,
    layers: Sequence[Layer],
    epochs: Sequence[int | None],
    stages: dict[str, StageOutcomes],
) -> NeuronWeights:
    main = _outcomes(stages[MAIN], test, epochs)
    control = _outcomes(stages[CONTROL], test, epochs) if CONTROL in stages else []
    biases = len(design.seeds), len(test.labels)
    weights = *biases, sum(layer.width for layer in layers)
    return NeuronWeights(
        test=test.name,
        labels=np.array(test.labels),
        layers=np.array([layer.name for layer in layers]),
        widths=np.array([layer.width for layer in layers]),
        epochs=np.array([NO_EPOCH if epoch is None else epoch for epoch in epochs]),
        seeds=np.array(design.seeds),
        weights=_stacked(main, "weights", weights),
        biases=_stacked(main, "biases", biases),
        searched=_searched(main),
        control_weights=_stacked(control, "weights", weights),
        control_biases=_stacked(control, "biases", biases),
    )


def _outcomes(stage: StageOutcomes, test: ProbingTest, epochs: Sequence[int | None]) -> list[Sequence[ProbeOutcome]]:
    return [stage.outcomes[test.name, place] for place in range(len(epochs))]


def _stacked(
    outcomes: Sequence[Sequence[ProbeOutcome]], parameter: Literal["weights", "biases"], shape: tuple[int, ...]
) -> np.ndarray:
    """Returns float32 `[epochs, *shape]`, NaN for failed probes.

    Args:
        shape: `[seeds, labels, neurons]` of weights, `[seeds, labels]` of biases.
    """
    stacked = np.full((len(outcomes), *shape), np.nan, np.float32)
    for epoch, of_epoch in enumerate(outcomes):
        for seed, outcome in enumerate(of_epoch):
            if outcome.failed is None:
                stacked[epoch, seed] = getattr(outcome, parameter)
    return stacked


def _searched(outcomes: Sequence[Sequence[ProbeOutcome]]) -> np.ndarray:
    """Returns float64 `[epochs, seeds, cells, 6]`, NaN for failed probes."""
    n_cells = max(len(outcome.searched) for of_epoch in outcomes for outcome in of_epoch)
    none = np.full((n_cells, len(SEARCHED)), np.nan)
    return np.array([[none if one.failed is not None else one.searched for one in of_epoch] for of_epoch in outcomes])
