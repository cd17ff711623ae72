"""One probing run from its configuration to its rows: `python probe.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytorch_lightning as pl
import torch

from src.display.progress import watched
from src.encoders.base.build import make_encoder
from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.encoder import Encoder
from src.encoders.cache.store import check_room, encoded
from src.encoders.checkpoint import CheckpointEncoder
from src.encoders.random import random_counterpart
from src.errors import BadValue, check_at_least, check_choice
from src.formats.files.file_names import file_name
from src.formats.reading.malformed import OnMalformed
from src.models.base.lightning_process import circumstances, flush_denormals, quiet_lightning, set_threads
from src.named import built
from src.probing.bank.bank import bank_trainer, train_bank
from src.probing.bank.jobs import ProbeJob, ProbeOutcome
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.baselines.control import control_test
from src.probing.baselines.count_probe import count_outcome
from src.probing.baselines.coverage import coverages
from src.probing.findings import Findings
from src.probing.minimal_sets.run import HANDLERS, score_minimal_sets
from src.probing.start import counts_of_study, report_start
from src.probing.study import (
    CONTROL,
    MAIN,
    RANDOM_ENCODER,
    EncodedTests,
    LayerVectors,
    StageOutcomes,
    Study,
    gold_of,
    probe_outcomes,
)
from src.probing.suites.availability import available_tests, chosen_tests
from src.probing.suites.chosen import chosen_suite, has_minimal_sets
from src.probing.suites.tests import ProbingTest, load_test
from src.probing.task_score_by_epoch import downstream_rows
from src.resources.data_root import data_root
from src.runs.array_records import write_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.names.identity import identity
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import report_line_ends
from src.runs.results import COUNT_PROBE, ResultRow
from src.runs.workspace import Workspace
from src.seeds import derived_seed

BASELINES = ("cheap", "all")
# Keys of the configuration that have no part in probing.
OF_MINIMAL_SETS = ("predictor", "ties", "unknown_focus", "end_of_sentence", "capitalise")
# Probes trained together: few enough for a CPU's cache, many enough to fill a GPU.
CHUNK_SIZES = {"cpu": 8, "gpu": 256}


def probe(config: Mapping[str, Any]) -> RunDirectory:
    """Probes what a configuration says, or prints what an earlier run of the same found; scores on minimal sets.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values.

    Returns:
        The directory of the finished run.

    Raises:
        PolyprobeError: the encoder, the tests or the run directory are not what they should be.
        BadValue: probes are to be trained, or sets to be scored, in half precision.
    """
    if config["trainer"]["precision"] != "32-true":
        raise BadValue("trainer.precision", config["trainer"]["precision"], "32-true: probe.py computes in float32")
    if config.get("predictor") is not None or has_minimal_sets(config["suite"]):
        return score_minimal_sets(config)
    flush_denormals()
    encoder = make_encoder(config["encoder"])
    check_choice("data.on_malformed", config["data"]["on_malformed"], HANDLERS)
    handler = HANDLERS[config["data"]["on_malformed"]]()
    options = with_own_tests(config, options_in_words(config, "encoder", encoder.model_name is not None))
    study = replace(make_study(config, handler), model=encoder.model_name, options=options)
    check_choice("baselines", config["baselines"], BASELINES)
    downstream = _downstream_rows(encoder)
    directory = RunDirectory(Workspace.of(config["paths"]).runs("probe") / run_name(config, study, encoder))
    work = partial(complete, config, study, encoder, handler, downstream, directory)
    return run_once(directory, config, data=lambda: _versions(study), prepare=lambda: work)


def complete(
    config: Mapping[str, Any],
    study: Study,
    encoder: Encoder | CountEncoder,
    handler: OnMalformed,
    downstream: Sequence[ResultRow],
    directory: RunDirectory,
) -> None:
    """Trains the probes, writes predictions and rows, and marks the run as finished."""
    set_threads(config["trainer"]["threads"])
    is_resumed = directory.begin(_versions(study), **circumstances(config["trainer"]["accelerator"]))
    report_start(directory.path, is_resumed, counts_of_study(study, encoder, config["baselines"] == "all"))
    files = [file for test in study.tests for file in test.files]
    line_ends = report_line_ends(files, Workspace.of(config["paths"]).data)
    findings = probe_layers(config, study, encoder)
    directory.check_there()
    for predictions in findings.predictions():
        write_record(directory.predictions, predictions)
    left_out = [str(place) for place in getattr(handler, "places", ())]
    notes = {"left_out": left_out, "line_ends": line_ends, "threads": torch.get_num_threads()}
    directory.finish([*downstream, *findings.rows()], notes)


def _versions(study: Study) -> dict[str, str]:
    return {test.name: test.version for test in study.tests}


def _downstream_rows(encoder: Encoder | CountEncoder) -> list[ResultRow]:
    if not isinstance(encoder, CheckpointEncoder):
        return []
    return downstream_rows(encoder.run, [layer.epoch for layer in encoder.layers])


def make_study(config: Mapping[str, Any], on_malformed: Any) -> Study:
    """Reads the tests that a configuration asks for."""
    check_at_least("seed", config["seed"], 0)
    check_at_least("seeds", config["seeds"], 1)
    if not isinstance(config["tests"], list | None) or config["tests"] == []:
        raise BadValue("tests", config["tests"], "a list such as [Case,Tense], or null")
    if config["bank"]["chunk_size"] is not None:
        check_at_least("bank.chunk_size", config["bank"]["chunk_size"], 1)
    lang, workspace = config["lang"], Workspace.of(config["paths"])
    root = data_root(lang, workspace)
    suite = chosen_suite(config["suite"])
    names = chosen_tests(available_tests(suite, lang, root), config["tests"])
    return Study(
        lang=lang["code"],
        suite=suite.name,
        encoder=config["choices"]["encoder"],
        probe_name=config["choices"]["probe"],
        probe=built(config["probe"], "probe"),
        tests=[load_test(suite, lang, name, root, workspace.mirror, on_malformed) for name in names],
        seeds=range(config["seed"], config["seed"] + config["seeds"]),
    )


def run_name(config: Mapping[str, Any], study: Study, encoder: Encoder | CountEncoder) -> str:
    """Returns suite, language, encoder, seed and identity: `linspector_type-fi-checkpoint-s1-3f2a9c1e`.

    The encoder enters the identity by its fingerprint, a user's own tests by their names and contents: the same vectors
    and tests from another path are the same run.
    """
    suite, lang, kind = config["choices"]["suite"], config["lang"]["code"], config["choices"]["encoder"]
    config = {key: value for key, value in config.items() if key not in OF_MINIMAL_SETS}
    own = {key: value for key, value in config["suite"].items() if key not in OF_MINIMAL_SETS}
    tests = {"suite": {**own, "path": [[test.name, test.version] for test in study.tests]}} if suite == "own" else {}
    cache = {"cache": config["cache"]["number"]}
    number = identity({**config, **tests, **cache, "encoder": encoder.fingerprint})
    return file_name(f"{suite}-{lang}-{kind}-s{config['seed']}-{number}")


def probe_layers(config: Mapping[str, Any], study: Study, encoder: Encoder | CountEncoder) -> Findings:
    """Encodes every item once and trains all probes in one bank, those of the baselines asked for among them."""
    set_threads(config["trainer"]["threads"])
    quiet_lightning()
    control = [control_test(test, config["seed"]) for test in study.tests] if config["baselines"] == "all" else []
    if isinstance(encoder, CountEncoder):
        return count_findings(study, encoder, control)
    trainer = bank_trainer(config["trainer"]["accelerator"])  # first, since the machine may lack the device
    encoders = [encoder]
    if control:
        encoders.append(random_counterpart(encoder, derived_seed(config["seed"], RANDOM_ENCODER)))
    check_room(encoders, study.items(), config["cache"]["number"], config["cache"]["max_gb"])
    stages = [_encoded_tests(config, study, MAIN, study.tests, encoder)]
    for counterpart in encoders[1:]:
        stages.append(_encoded_tests(config, study, RANDOM_ENCODER, study.tests, counterpart))
        stages.append(replace(stages[0], stage=CONTROL, tests=control))
    kept = KeptOutcomes(Workspace.of(config["paths"]).probes, config["probe"])
    outcomes = probe_outcomes(study, stages, lambda jobs: train_probes(config, trainer, jobs), kept)
    return Findings(study, outcomes, coverages(encoder, study.tests))


def count_findings(study: Study, encoder: CountEncoder, control: Sequence[ProbingTest]) -> Findings:
    """Fits the classifier of a count encoder to each test, and to the control tasks that are asked for.

    Nothing is drawn, so one seed says all; there are no weights for a random encoder; what `probe=` says plays no part.
    """
    study = replace(study, seeds=study.seeds[:1], probe_name=COUNT_PROBE)
    stages = {MAIN: study.tests, **({CONTROL: control} if control else {})}
    return Findings(study, {stage: _count_outcomes(encoder, tests) for stage, tests in stages.items()}, [])


def _count_outcomes(encoder: CountEncoder, tests: Sequence[ProbingTest]) -> StageOutcomes:
    outcomes = {}
    with watched("fitting classifiers", "tests", len(tests)) as progress:
        for test in tests:
            outcomes[test.name, 0] = [count_outcome(encoder, test)]
            progress.advance()
    return StageOutcomes(encoder.layers, gold_of(tests), outcomes)


def _encoded_tests(
    config: Mapping[str, Any], study: Study, stage: str, tests: Sequence[ProbingTest], encoder: Encoder
) -> EncodedTests:
    cache = config["cache"]
    folder = Workspace.of(config["paths"]).encodings
    vectors = encoded(encoder, study.items(), folder, cache["number"], cache["max_gb"])
    return EncodedTests(stage, tests, LayerVectors(vectors, f"{encoder.fingerprint} {cache['number']}"))


def train_probes(config: Mapping[str, Any], trainer: pl.Trainer, jobs: list[ProbeJob]) -> list[ProbeOutcome]:
    """Trains the probes on the trainer's device, with a bar."""
    on_gpu = trainer.strategy.root_device.type == "cuda"
    n_epochs = sum(job.spec.max_epochs for job in jobs)
    with watched(f"training {len(jobs)} probes", "epochs", n_epochs) as progress:
        return train_bank(
            jobs,
            config["bank"]["chunk_size"] or CHUNK_SIZES["gpu" if on_gpu else "cpu"],
            trainer,
            progress.reach,
        )
