"""Probes a count encoder: a classifier of counts fitted to each test, or probes trained in the bank."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack

from src.display.progress import watched
from src.encoders.base.encoder import CountEncoder
from src.items import Item
from src.models.base.lightning_process import set_threads
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.bank.sparse_rows import SparseRows
from src.probing.baselines.control import control_test
from src.probing.baselines.count_probe import count_outcome
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.expected_time import ExpectedTime
from src.probing.findings import Findings
from src.probing.settings import ProbingSettings
from src.probing.stages import (
    CONTROL,
    MAIN,
    EncodedTests,
    ItemVectors,
    StageOutcomes,
    gold_of,
    n_probes,
    probe_outcomes,
    trained_in_time,
)
from src.probing.study import Study
from src.probing.suites.tests import Examples, ProbingTest


def probe_counts(settings: ProbingSettings, study: Study, encoder: CountEncoder) -> Findings:
    """Probes every test by counts, one test after another, and with all baselines its control task.

    A count encoder has no weights for a random one.
    """
    if isinstance(study.probe, CountClassifier):
        return _by_classifier(settings, study, encoder)
    return _by_bank(settings, study, encoder)


def _by_classifier(settings: ProbingSettings, study: Study, encoder: CountEncoder) -> Findings:
    stages = {MAIN: study.tests}
    if settings.baselines == "all":
        stages[CONTROL] = [control_test(test, study.seeds[0]) for test in study.tests]
    return Findings(study, {stage: _fitted(study, encoder, tests) for stage, tests in stages.items()}, [])


def _fitted(study: Study, encoder: CountEncoder, tests: Sequence[ProbingTest]) -> StageOutcomes:
    outcomes = {}
    with watched("fitting classifiers", "tests", len(tests)) as progress:
        for test in tests:
            outcomes[test.name, 0] = [count_outcome(encoder, study.probe_of(test.name), test)]
            progress.advance()
    return StageOutcomes(encoder.layers, gold_of(tests), outcomes)


def _by_bank(settings: ProbingSettings, study: Study, encoder: CountEncoder) -> Findings:
    """Trains the probes of each test in a bank of its own: a test has features of its own, let go when it is over."""
    set_threads(settings.bank.threads)
    kept = KeptOutcomes(settings.workspace.probes, settings.probe)
    found: dict[str, StageOutcomes] = {}
    of_all = [stage for test in study.tests for stage in _stages(settings, test, encoder)]
    expected = ExpectedTime(settings.bank.is_confirmed, n_probes(study, of_all))
    for test in study.tests:
        of_test, stages = replace(study, tests=[test]), _stages(settings, test, encoder)
        outcomes = probe_outcomes(of_test, stages, partial(trained_in_time, settings.bank, expected), kept, expected)
        found = {stage: _joined(found.get(stage), one) for stage, one in outcomes.items()}
    return Findings(study, found, [])


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
