"""One run of downstream tasks from its configuration to its rows: `python probe.py suite=senteval_downstream …`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from src.display.progress import watched
from src.encoders.base.build import make_encoder
from src.encoders.base.encoder import CountEncoder, Encoder
from src.encoders.cache.store import check_room, encoded
from src.formats.files.digest import content_version
from src.formats.files.file_names import file_name
from src.models.base.lightning_process import circumstances, flush_denormals, set_threads
from src.probing.bank.bank import bank_trainer
from src.probing.count_classifiers.own_probe import classifier_of_counts
from src.probing.downstream.count_fits import CountFit, count_task_outcome
from src.probing.downstream.findings import DownstreamFindings, RowNames
from src.probing.downstream.layer_fits import TaskOfLayer, layer_outcome
from src.probing.downstream.manners import (
    CLASSIFIER,
    COSINE,
    REGRESSION,
    FitSettings,
    ScoreSettings,
    fit_settings,
    manners_of,
    score_settings,
)
from src.probing.downstream.scored_items import all_sentences
from src.probing.downstream.settings import DownstreamSettings
from src.probing.downstream.task_outcomes import KeptTaskOutcomes, TaskOutcome
from src.probing.expected_time import ExpectedTime
from src.probing.probes.grid import GridProbe
from src.probing.stages import LayerVectors, layer_and_epoch, trained_in_time
from src.probing.start import counts_of_tasks, report_start
from src.probing.suites.downstream_tasks import DownstreamTask, files_of_task, load_task
from src.probing.task_score_by_epoch import rows_of_probed
from src.resources.revisions import sources
from src.runs.array_records import write_array_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import Work, run_once
from src.runs.names.identity import identity
from src.runs.names.options_in_words import options_in_words
from src.runs.predictions import Predictions
from src.runs.record.provenance import report_line_ends

Outcomes = dict[tuple[str, str, int], Sequence[TaskOutcome]]


def score_downstream_tasks(config: Mapping[str, Any], settings: DownstreamSettings) -> RunDirectory:
    """Scores an encoder on the downstream tasks of a configuration, or prints what an earlier run of the same found.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with a suite of downstream tasks.
        settings: what it says.

    Returns:
        The directory of the finished run: rows, and the predictions for every item.

    Raises:
        PolyprobeError: the encoder, the tasks or the run directory are not what they should be.
    """
    flush_denormals()
    encoder = make_encoder(config["encoder"])
    if isinstance(encoder, CountEncoder):
        settings = replace(settings, classifier=classifier_of_counts(config, encoder))
    versions = _versions(settings)
    directory = RunDirectory(settings.workspace.runs("probe") / _run_name(config, settings, versions, encoder))
    prepare = partial(_prepared, config, settings, encoder, directory)
    return run_once(directory, config, data=lambda: versions, prepare=prepare)


def _prepared(
    config: Mapping[str, Any],
    settings: DownstreamSettings,
    encoder: Encoder | CountEncoder,
    directory: RunDirectory,
) -> Work:
    """Reads the tasks; returns what scores them and finishes the run."""
    suite, root, mirror = settings.suite, settings.root, settings.workspace.mirror
    tasks = [load_task(suite, name, root, mirror, settings.protocol, settings.on_malformed) for name in settings.tests]
    options = _options(config, suite.cut_by, encoder)
    names = RowNames(settings.lang["code"], suite.name, settings.encoder_name, encoder.model_name, options)
    return partial(_complete, settings, tasks, names, encoder, directory)


def _options(config: Mapping[str, Any], cut_by: str | None, encoder: Encoder | CountEncoder) -> str | None:
    """Returns the options of the encoder in words, and how sentences are cut where not as each task says."""
    cut = None if cut_by is None else f"suite.cut_by={cut_by}"
    resolved = getattr(encoder, "resolved", None)
    options = options_in_words(config, "encoder", encoder.model_name is not None, resolved)
    return " ".join(filter(None, [options, cut])) or None


def _complete(
    settings: DownstreamSettings,
    tasks: Sequence[DownstreamTask],
    names: RowNames,
    encoder: Encoder | CountEncoder,
    directory: RunDirectory,
) -> None:
    set_threads(settings.bank.threads)
    is_resumed = directory.begin(
        {task.name: task.version for task in tasks}, **circumstances(settings.bank.accelerator)
    )
    report_start(directory.path, is_resumed, counts_of_tasks(tasks, len(encoder.layers), len(settings.seeds)))
    line_ends = report_line_ends([file for task in tasks for file in task.files], settings.workspace.data)
    score = _of_counts if isinstance(encoder, CountEncoder) else _of_layers
    findings = DownstreamFindings(
        names=names,
        suite=settings.suite,
        protocol=settings.protocol,
        tasks=tasks,
        layers=encoder.layers,
        seeds=settings.seeds,
        classifier=CLASSIFIER if settings.classifier is None else settings.classifier.name,
        outcomes=score(settings, tasks, encoder),
    )
    directory.check_there()
    for record in findings.predictions():
        folder = directory.predictions if isinstance(record, Predictions) else directory.predicted_scores
        write_array_record(folder, record)
    left_out = [str(line) for line in settings.on_malformed.places]
    notes = {"left_out": left_out, "line_ends": line_ends, "threads": torch.get_num_threads()}
    read = {task.name: task.files for task in tasks}
    notes["sources"] = sources(encoder.provenance, encoder.model_name, read, settings.root)
    directory.finish(
        [*rows_of_probed(encoder), *findings.rows()], {**notes, "rows": {task.name: task.note for task in tasks}}
    )


def _of_counts(settings: DownstreamSettings, tasks: Sequence[DownstreamTask], encoder: CountEncoder) -> Outcomes:
    outcomes: Outcomes = {}
    fit = CountFit(encoder, settings.classifier)
    with watched("fitting classifiers", "tasks", len(tasks)) as progress:
        for task in tasks:
            for manner in manners_of(task.settings, has_vectors=False):
                outcomes[task.name, manner, 0] = [count_task_outcome(fit, task, manner, settings.suite)]
            progress.advance()
    return outcomes


def _of_layers(settings: DownstreamSettings, tasks: Sequence[DownstreamTask], encoder: Encoder) -> Outcomes:
    """Encodes every sentence once, then fits task by task and layer by layer; what an earlier start found is kept."""
    device = bank_trainer(settings.bank.accelerator).strategy.root_device  # first, since the machine may lack it
    sentences, cache = [one for task in tasks for one in all_sentences(task)], settings.cache
    check_room([encoder], sentences, cache.number, cache.max_gb)
    items = encoded(encoder, sentences, cache.folder, cache.number, cache.max_gb)
    vectors = LayerVectors(items, f"{encoder.fingerprint} {cache.number}")
    kept = KeptTaskOutcomes(settings.workspace.probes, device)
    of_one_layer = sum(_n_fits(settings, task) for task in tasks) * len(settings.seeds)
    expected = ExpectedTime(settings.bank.is_confirmed, of_one_layer * len(encoder.layers))
    return {
        (task.name, manner, place): [
            _outcome(settings, TaskOfLayer(task, vectors, place), manner, seed, kept, expected)
            for seed in (settings.seeds if manner != COSINE else settings.seeds[:1])
        ]
        for task in tasks
        for place in range(len(encoder.layers))
        for manner in manners_of(task.settings, has_vectors=True)
    }


def _outcome(
    settings: DownstreamSettings,
    one: TaskOfLayer,
    manner: str,
    seed: int,
    kept: KeptTaskOutcomes,
    expected: ExpectedTime,
) -> TaskOutcome:
    """Returns the outcome that was kept, or scores now and keeps it; cosines are not kept."""
    train = partial(trained_in_time, settings.bank, expected)
    score = partial(layer_outcome, one, manner, train=train, device=kept.device)
    if manner == COSINE:
        return score(settings=None)
    fit = _fit(settings, one.task, manner, seed)
    name = _name(settings, one, manner, seed)
    found = kept.read(name)
    if found is None:
        found = score(settings=fit)
        kept.write(name, found)
    else:
        expected.leave_out(_n_fits(settings, one.task))
    return found


def _n_fits(settings: DownstreamSettings, task: DownstreamTask) -> int:
    """Counts the fits of a task in the bank, by a layer and a seed: none where its scores are regressed or compared."""
    suite, n_cells = settings.suite, GridProbe(**settings.suite.classifier).n_probes
    of_kind = {
        "nested_folds": suite.folds * (suite.inner_folds * n_cells + 1),
        "folds_then_test": suite.folds * n_cells + 1,
        "split": n_cells,
    }
    return of_kind.get(task.settings.fit, 0)


def _fit(settings: DownstreamSettings, task: DownstreamTask, manner: str, seed: int) -> FitSettings | ScoreSettings:
    if manner == REGRESSION:
        return score_settings(settings.suite, task.settings, settings.protocol, seed)
    return fit_settings(settings.suite, settings.protocol, seed)


def _name(settings: DownstreamSettings, one: TaskOfLayer, manner: str, seed: int) -> str:
    """Names all that an outcome depends on: vectors, items and their labels, layer, settings of the fit, seed."""
    task, suite = one.task, settings.suite
    layer = layer_and_epoch(one.vectors.layers[one.place])
    how = [suite.folds, suite.inner_folds, suite.dev_share, suite.folds_seed]
    fitted = suite.regression if manner == REGRESSION else suite.classifier
    items = content_version([], *task.parts.items())
    return f"{one.vectors.source} {items} {task.settings} {manner} {layer} {seed} {settings.protocol} {how} {fitted}"


def _versions(settings: DownstreamSettings) -> dict[str, str]:
    """Returns a digest of the files of each task, after fetching those that are missing."""
    root, mirror = settings.root, settings.workspace.mirror
    files = {name: files_of_task(settings.suite.tasks[name], root, mirror) for name in settings.tests}
    return {name: content_version(dict.fromkeys(paths.values())) for name, paths in files.items()}


def _run_name(
    config: Mapping[str, Any],
    settings: DownstreamSettings,
    versions: Mapping[str, str],
    encoder: Encoder | CountEncoder,
) -> str:
    """Returns suite, language, encoder, seed and identity, which knows encoder and tasks by their content."""
    suite, lang = settings.suite, settings.lang["code"]
    number = identity(
        {
            "what": [config["choices"]["suite"], lang, settings.encoder_name],
            "tasks": {name: [versions[name], str(suite.tasks[name])] for name in settings.tests},
            "fits": [suite.folds, suite.inner_folds, suite.dev_share, suite.folds_seed],
            "probes": [suite.classifier, suite.regression],
            "rules": [settings.protocol, config["data"]["on_malformed"], list(settings.seeds)],
            "cache": settings.cache.number,
            "encoder": encoder.fingerprint,
            "classifier": settings.classifier and [settings.classifier.name, settings.classifier.settings],
        }
    )
    return file_name(f"{suite.name}-{lang}-{settings.encoder_name}-s{settings.seeds[0]}-{number}")
