"""The work of a probing run: reads the tests, trains the probes and writes what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack

from src.display.progress import watched
from src.encoders.base.encoder import CountEncoder, Encoder
from src.encoders.cache.store import check_room, encoded
from src.encoders.random import random_counterpart
from src.items import Item
from src.models.base.lightning_process import circumstances, flush_denormals, set_threads
from src.probing.all_layers import layers_together
from src.probing.bank.bank import bank_trainer
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.bank.sparse_rows import SparseRows
from src.probing.baselines.control import control_test
from src.probing.baselines.count_probe import count_outcome
from src.probing.baselines.coverage import coverages
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.design import Design, check_probe_of_counts, check_probe_of_vectors, read_design
from src.probing.earlier_run import encoder_note
from src.probing.expected_time import ExpectedTime
from src.probing.findings import Findings
from src.probing.neuron_records import design_of_neurons, neuron_weights
from src.probing.settings import ProbingSettings, VectorCache
from src.probing.stages import (
    CONTROL,
    MAIN,
    RANDOM_ENCODER,
    EncodedTests,
    ItemVectors,
    LayersTogether,
    LayerVectors,
    StageOutcomes,
    gold_of,
    n_probes,
    probe_outcomes,
    trained_in_time,
)
from src.probing.suites.tests import Examples, ProbingTest
from src.probing.task_score_by_epoch import rows_of_probed
from src.resources.revisions import sources
from src.runs.directory import RunDirectory
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import report_line_ends
from src.runs.results import ResultRow
from src.runs.study import Outcome, Work, in_a_line
from src.seeds import derived_seed


@dataclass(frozen=True)
class ProbingWork(Work):
    """Trains the probes of a design."""

    settings: ProbingSettings
    design: Design
    encoder: Encoder | CountEncoder
    downstream: Sequence[ResultRow]
    """Of the run whose checkpoints are probed: the scores of its task."""

    def versions(self) -> Mapping[str, str]:
        return self.design.versions

    def circumstances(self) -> Mapping[str, Any]:
        set_threads(self.settings.bank.threads)
        return circumstances(self.settings.bank.accelerator)

    def start(self) -> Sequence[str]:
        return [in_a_line(counts_of_design(self.design, self.encoder, self.settings.baselines == "all"))]

    def work(self, run: RunDirectory) -> Outcome:
        settings, design, encoder = self.settings, self.design, self.encoder
        line_ends = report_line_ends([file for test in design.tests for file in test.files], settings.workspace.data)
        probed = probe_counts if isinstance(encoder, CountEncoder) else probe_layers
        findings = probed(settings, design, encoder)
        run.check_there()
        for predictions in findings.predictions():
            predictions.write(run.predictions)
        if design.probe.over_all_layers:
            for record in neuron_weights(design, encoder, findings.stages):
                record.write(run.neurons)
        read = {test.name: test.files for test in design.tests}
        notes = {
            "left_out": [str(line) for line in settings.on_malformed.places],
            "line_ends": line_ends,
            "threads": torch.get_num_threads(),
            "sources": sources(encoder.provenance, encoder.model_name, read, settings.root),
            **({"encoder": encoder_note(encoder)} if isinstance(encoder, Encoder) else {}),
        }
        return [*self.downstream, *findings.rows()], notes


def prepared(
    config: Mapping[str, Any],
    settings: ProbingSettings,
    tests: Sequence[ProbingTest],
    encoder: Encoder | CountEncoder,
) -> ProbingWork:
    """Checks what a probing run needs.

    Raises:
        PolyprobeError: the probe cannot be built or is not for such an encoder, or the machine lacks the device.
    """
    flush_denormals()
    resolved = getattr(encoder, "resolved", None)
    options = options_in_words(config, "encoder", encoder.model_name is not None, resolved)
    options = with_own_tests(config, options)
    design = replace(read_design(settings, tests), model=encoder.model_name, options=options)
    check = check_probe_of_counts if isinstance(encoder, CountEncoder) else check_probe_of_vectors
    check(design)
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


def probe_layers(settings: ProbingSettings, design: Design, encoder: Encoder) -> Findings:
    """Encodes every item once and trains all probes in one bank, those of the requested baselines among them."""
    set_threads(settings.bank.threads)
    stages = _encoded_stages(settings, design, encoder)
    kept = KeptOutcomes(settings.workspace.probes, settings.probe)
    expected = ExpectedTime(settings.bank.is_confirmed, n_probes(design, stages))
    outcomes = probe_outcomes(design, stages, partial(trained_in_time, settings.bank, expected), kept, expected)
    return Findings(design, outcomes, coverages(encoder, design.tests))


def _encoded_stages(settings: ProbingSettings, design: Design, encoder: Encoder) -> list[EncodedTests]:
    """Encodes the tests; with all baselines also by a random encoder, and with the labels of their control tasks."""
    cache, seed = settings.cache, settings.seeds[0]
    if settings.baselines != "all":
        check_room([encoder], design.items(), cache.number, cache.max_gb)
        return [EncodedTests(MAIN, design.tests, _vectors(encoder, design, cache))]
    counterpart = random_counterpart(encoder, derived_seed(seed, RANDOM_ENCODER))
    check_room([encoder, counterpart], design.items(), cache.number, cache.max_gb)
    main = EncodedTests(MAIN, design.tests, _vectors(encoder, design, cache))
    random = EncodedTests(RANDOM_ENCODER, design.tests, _vectors(counterpart, design, cache))
    control = replace(main, stage=CONTROL, tests=[control_test(test, seed) for test in design.tests])
    return [main, random, control]


def _vectors(encoder: Encoder, design: Design, cache: VectorCache) -> LayerVectors:
    vectors = encoded(encoder, design.items(), cache.folder, cache.number, cache.max_gb)
    kind = LayersTogether if design.probe.over_all_layers else LayerVectors
    return kind(vectors, f"{encoder.fingerprint} {cache.number}")


def probe_counts(settings: ProbingSettings, design: Design, encoder: CountEncoder) -> Findings:
    """Probes every test by counts, one test after another, and with all baselines its control task.

    A count encoder has no weights for a random one.
    """
    if isinstance(design.probe, CountClassifier):
        return _by_classifier(settings, design, encoder)
    return _by_bank(settings, design, encoder)


def _by_classifier(settings: ProbingSettings, design: Design, encoder: CountEncoder) -> Findings:
    stages = {MAIN: design.tests}
    if settings.baselines == "all":
        stages[CONTROL] = [control_test(test, design.seeds[0]) for test in design.tests]
    return Findings(design, {stage: _fitted(design, encoder, tests) for stage, tests in stages.items()}, [])


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


class CountVectors(ItemVectors):
    """The counts of the examples of one test, learned from its train; a pair of items has one row.

    Args:
        encoder: that counts.
        test: the test.
    """

    def __init__(self, encoder: CountEncoder, test: ProbingTest):
        self.source, self.layers = encoder.fingerprint, encoder.layers
        self._encoder, self._splits = encoder, [split.items for split in (test.train, test.dev, test.test)]

    @cached_property
    def matrices(self) -> list[SparseRows]:
        """The counts of each example that is another: float32 `[examples, features]`."""
        features = vstack([csr_matrix(split) for split in self._encoder.features(*self._splits)], format="csr")
        return [SparseRows.of(features[self._places])]

    def rows(self, examples: Examples) -> torch.Tensor:
        return torch.tensor([self._row_of[items] for items in examples.items])[:, None]

    @cached_property
    def _row_of(self) -> dict[tuple[Item, ...], int]:
        return {items: row for row, items in enumerate(dict.fromkeys(self._examples()))}

    @cached_property
    def _places(self) -> np.ndarray:
        """Where each row first stands among the examples of all splits: int64 `[rows]`."""
        places: dict[tuple[Item, ...], int] = {}
        for place, items in enumerate(self._examples()):
            places.setdefault(items, place)
        return np.array(list(places.values()))

    def _examples(self) -> list[tuple[Item, ...]]:
        return [items for split in self._splits for items in split]
