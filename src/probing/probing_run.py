"""The work of a probing run: reads the tests, trains the probes and writes what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from src.encoders.base.encoder import CountEncoder, Encoder
from src.models.base.lightning_process import circumstances, flush_denormals, set_threads
from src.probing.bank.bank import bank_trainer
from src.probing.count_probing import probe_counts
from src.probing.earlier_run import encoder_note
from src.probing.findings import Findings
from src.probing.layer_probing import probe_layers
from src.probing.neuron_records import neuron_weights, study_of_neurons
from src.probing.settings import ProbingSettings
from src.probing.start import counts_of_study, report_start
from src.probing.study import Study, check_probe_of_counts, check_probe_of_vectors, read_study
from src.probing.suites.tests import ProbingTest
from src.probing.task_score_by_epoch import rows_of_probed
from src.resources.revisions import sources
from src.runs.array_records import write_array_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import Work
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import report_line_ends
from src.runs.results import ResultRow


def prepared(
    config: Mapping[str, Any],
    settings: ProbingSettings,
    tests: Sequence[ProbingTest],
    encoder: Encoder | CountEncoder,
    directory: RunDirectory,
) -> Work:
    """Checks what a probing run needs; returns what trains its probes and finishes the run.

    Raises:
        PolyprobeError: the probe cannot be built or is not for such an encoder, or the machine lacks the device.
    """
    flush_denormals()
    resolved = getattr(encoder, "resolved", None)
    options = options_in_words(config, "encoder", encoder.model_name is not None, resolved)
    options = with_own_tests(config, options)
    study = replace(read_study(settings, tests), model=encoder.model_name, options=options)
    check = check_probe_of_counts if isinstance(encoder, CountEncoder) else check_probe_of_vectors
    check(study)
    bank_trainer(settings.bank.accelerator)  # it says whether the machine has the device, before the run begins
    if study.probe.over_all_layers:
        study = study_of_neurons(study, encoder)
    return partial(complete, settings, study, encoder, rows_of_probed(encoder), directory)


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
        write_array_record(directory.predictions, predictions)
    if study.probe.over_all_layers:
        for record in neuron_weights(study, encoder, findings.stages):
            write_array_record(directory.neurons, record)
    left_out = [str(line) for line in settings.on_malformed.places]
    notes = {"left_out": left_out, "line_ends": line_ends, "threads": torch.get_num_threads()}
    read = {test.name: test.files for test in study.tests}
    notes["sources"] = sources(encoder.provenance, encoder.model_name, read, settings.root)
    if isinstance(encoder, Encoder):
        notes["encoder"] = encoder_note(encoder)
    directory.finish([*downstream, *findings.rows()], notes)


def _findings(settings: ProbingSettings, study: Study, encoder: Encoder | CountEncoder) -> Findings:
    if isinstance(encoder, CountEncoder):
        return probe_counts(settings, study, encoder)
    return probe_layers(settings, study, encoder)
