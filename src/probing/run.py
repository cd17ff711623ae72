"""One probing run from its configuration to its rows: `python probe.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from src.encoders.base.build import make_encoder
from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.encoder import Encoder
from src.encoders.checkpoint import CheckpointEncoder
from src.formats.files.file_names import file_name
from src.models.base.lightning_process import circumstances, flush_denormals, set_threads
from src.probing.count_probing import probe_counts
from src.probing.findings import Findings
from src.probing.layer_probing import probe_layers
from src.probing.settings import ProbingSettings
from src.probing.start import counts_of_study, report_start
from src.probing.study import Study, read_study
from src.probing.task_score_by_epoch import downstream_rows
from src.runs.array_records import write_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.names.identity import identity
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import report_line_ends
from src.runs.results import ResultRow

# Keys of the configuration that have no part in probing.
OF_MINIMAL_SETS = ("predictor", "ties", "unknown_focus", "end_of_sentence", "capitalise")


def probe(config: Mapping[str, Any], settings: ProbingSettings) -> RunDirectory:
    """Probes what a configuration says, or prints what an earlier run of the same found.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with tests to train probes on.
        settings: what it says.

    Returns:
        The directory of the finished run.

    Raises:
        PolyprobeError: the encoder, the tests or the run directory are not what they should be.
    """
    flush_denormals()
    encoder = make_encoder(config["encoder"])
    options = with_own_tests(config, options_in_words(config, "encoder", encoder.model_name is not None))
    study = replace(read_study(settings), model=encoder.model_name, options=options)
    downstream = _downstream_rows(encoder)
    directory = RunDirectory(settings.workspace.runs("probe") / run_name(config, study, encoder))
    work = partial(complete, settings, study, encoder, downstream, directory)
    return run_once(directory, config, data=lambda: study.versions, prepare=lambda: work)


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


def complete(
    settings: ProbingSettings,
    study: Study,
    encoder: Encoder | CountEncoder,
    downstream: Sequence[ResultRow],
    directory: RunDirectory,
) -> None:
    """Trains the probes, writes predictions and rows, and marks the run as finished."""
    set_threads(settings.bank.threads)
    is_resumed = directory.begin(study.versions, **circumstances(settings.bank.accelerator))
    report_start(directory.path, is_resumed, counts_of_study(study, encoder, settings.baselines == "all"))
    files = [file for test in study.tests for file in test.files]
    line_ends = report_line_ends(files, settings.workspace.data)
    findings = _findings(settings, study, encoder)
    directory.check_there()
    for predictions in findings.predictions():
        write_record(directory.predictions, predictions)
    left_out = [str(line) for line in settings.on_malformed.places]
    notes = {"left_out": left_out, "line_ends": line_ends, "threads": torch.get_num_threads()}
    directory.finish([*downstream, *findings.rows()], notes)


def _findings(settings: ProbingSettings, study: Study, encoder: Encoder | CountEncoder) -> Findings:
    if isinstance(encoder, CountEncoder):
        return probe_counts(study, encoder, settings.baselines)
    return probe_layers(settings, study, encoder)


def _downstream_rows(encoder: Encoder | CountEncoder) -> list[ResultRow]:
    if not isinstance(encoder, CheckpointEncoder):
        return []
    return downstream_rows(encoder.run, [layer.epoch for layer in encoder.layers])
