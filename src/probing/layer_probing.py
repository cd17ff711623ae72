"""Probes the layers of an encoder: every item is encoded once, all probes are trained in one bank."""

from dataclasses import replace
from functools import partial

from src.encoders.base.encoder import Encoder
from src.encoders.cache.store import check_room, encoded
from src.encoders.random import random_counterpart
from src.models.base.lightning_process import set_threads
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.baselines.control import control_test
from src.probing.baselines.coverage import coverages
from src.probing.expected_time import ExpectedTime
from src.probing.findings import Findings
from src.probing.settings import ProbingSettings, VectorCache
from src.probing.stages import (
    CONTROL,
    MAIN,
    RANDOM_ENCODER,
    EncodedTests,
    LayersTogether,
    LayerVectors,
    n_probes,
    probe_outcomes,
    trained_in_time,
)
from src.probing.study import Study
from src.seeds import derived_seed


def probe_layers(settings: ProbingSettings, study: Study, encoder: Encoder) -> Findings:
    """Encodes every item once and trains all probes in one bank, those of the requested baselines among them."""
    set_threads(settings.bank.threads)
    stages = _encoded_stages(settings, study, encoder)
    kept = KeptOutcomes(settings.workspace.probes, settings.probe)
    expected = ExpectedTime(settings.bank.is_confirmed, n_probes(study, stages))
    outcomes = probe_outcomes(study, stages, partial(trained_in_time, settings.bank, expected), kept, expected)
    return Findings(study, outcomes, coverages(encoder, study.tests))


def _encoded_stages(settings: ProbingSettings, study: Study, encoder: Encoder) -> list[EncodedTests]:
    """Encodes the tests; with all baselines also by a random encoder, and with the labels of their control tasks."""
    cache, seed = settings.cache, settings.seeds[0]
    if settings.baselines != "all":
        check_room([encoder], study.items(), cache.number, cache.max_gb)
        return [EncodedTests(MAIN, study.tests, _vectors(encoder, study, cache))]
    counterpart = random_counterpart(encoder, derived_seed(seed, RANDOM_ENCODER))
    check_room([encoder, counterpart], study.items(), cache.number, cache.max_gb)
    main = EncodedTests(MAIN, study.tests, _vectors(encoder, study, cache))
    random = EncodedTests(RANDOM_ENCODER, study.tests, _vectors(counterpart, study, cache))
    control = replace(main, stage=CONTROL, tests=[control_test(test, seed) for test in study.tests])
    return [main, random, control]


def _vectors(encoder: Encoder, study: Study, cache: VectorCache) -> LayerVectors:
    vectors = encoded(encoder, study.items(), cache.folder, cache.number, cache.max_gb)
    kind = LayersTogether if study.probe.over_all_layers else LayerVectors
    return kind(vectors, f"{encoder.fingerprint} {cache.number}")
