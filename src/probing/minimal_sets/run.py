"""One run of minimal sets from its configuration to its rows: `python probe.py suite=clams predictor=…`."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from src.display.plural import plural
from src.formats.files.file_names import file_name
from src.models.base.lightning_process import flush_denormals, set_threads
from src.predictors.base.predictor import Predictor
from src.predictors.base.score_cache import KeptBlocks
from src.probing.minimal_sets.findings import MinimalSetFindings
from src.probing.minimal_sets.outcome import Scored
from src.probing.minimal_sets.predictors import check_runs, is_checkpoint, make_predictors
from src.probing.minimal_sets.region_scoring import score_regions
from src.probing.minimal_sets.scoring import distinct_models, score_suite, unknown_language
from src.probing.minimal_sets.settings import MinimalSetSettings
from src.probing.start import counts_of_suite, report_start
from src.probing.suites.minimal_set_files import REGIONS, load
from src.probing.suites.minimal_sets import MinimalSuite
from src.probing.suites.region_tests import RegionSuite, load_regions
from src.resources.revisions import sources
from src.runs.array_records import array_record_path, write_array_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import Work, run_once
from src.runs.names.identity import identity
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import name_of, report_line_ends

PATIENCE = 600
"""Seconds to wait for another process that writes the same results."""
MOST_NAMED = 5  # constructions that a warning names
_log = logging.getLogger(__name__)


def score_minimal_sets(config: Mapping[str, Any], settings: MinimalSetSettings) -> RunDirectory:
    """Scores the models of a configuration on its minimal sets, or says that an earlier run of the same has done so.

    The run directory is taken when all is scored, so that equal commands at the same time share the scoring.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with a suite of minimal sets.
        settings: what it says.

    Returns:
        The directory of the finished run: rows, and the scores of every sentence below `set_scores`, or those of every
        region below `region_scores`.

    Raises:
        PolyprobeError: the sets, the models or the run directory are not what they should be.
    """
    flush_denormals()
    set_threads(settings.threads)
    check_runs(settings.predictors)  # before missing files are fetched
    files, lang, root, mirror = settings.files, settings.lang, settings.root, settings.workspace.mirror
    read = load_regions if files.format == REGIONS else load
    suite = read(files, lang, settings.constructions, root, mirror, settings.on_malformed)
    predictors = make_predictors(settings.predictors)
    options = options_in_words(config, "predictor", all(one.model_name is not None for one in predictors))
    rules = replace(settings.rules, options=with_own_tests(config, options))
    distinct_models(predictors)
    if unknown := unknown_language(predictors, rules.lang):
        _log.warning("lang=%s: %s.", rules.lang, unknown)
    directory = RunDirectory(settings.workspace.runs("probe") / _run_name(config, settings, suite, predictors))
    outcome = [array_record_path(_scores_folder(directory, suite), name) for name in suite.versions]
    score = partial(_scored, replace(settings, rules=rules), suite, predictors, directory)
    return run_once(directory, config, lambda: suite.versions, score, outcome, PATIENCE)


def _scored(
    settings: MinimalSetSettings,
    suite: MinimalSuite | RegionSuite,
    predictors: Sequence[Predictor],
    directory: RunDirectory,
) -> Work:
    """Scores all sets; returns what writes the run."""
    workspace = settings.workspace
    report_start(directory.path, False, counts_of_suite(suite, len(predictors)))
    line_ends = report_line_ends(suite.files, workspace.data)
    keepers = [KeptBlocks(workspace.scores / file_name(one.fingerprint)) for one in predictors]
    score = score_regions if isinstance(suite, RegionSuite) else score_suite
    found = score(suite, predictors, keepers, settings.rules)
    _warn_of_unscored(found.constructions)
    left_out = [str(line) for line in settings.on_malformed.places]
    files = {name_of(file, settings.root): [file] for file in suite.files}
    first = predictors[0]
    models = {name: one for each in predictors for name, one in each.provenance.get("files", {}).items()}
    read = {"sources": sources({**first.provenance, "files": models}, first.model_name, files, settings.root)}
    notes = {**_record(found, predictors), **read, "left_out": left_out, "line_ends": line_ends}
    return partial(_write, directory, suite, found, notes)


def _warn_of_unscored(constructions: Sequence[Scored]) -> None:
    """Warns of constructions without a score, with the most frequent reason for leaving out their sets."""
    unscored = [one for one in constructions if (one.scores.left_out != "").all()]
    reasons = sum((Counter(one.left_out) for one in unscored), Counter())
    for reason, count in reasons.most_common(1):
        which = f"{len(unscored)} of {plural(len(constructions), 'construction')}"
        names = ", ".join(one.scores.test for one in unscored[:MOST_NAMED])
        more = ", …" if len(unscored) > MOST_NAMED else ""
        _log.warning("%s without a score: %s%s. Most (%s) for %s.", which, names, more, plural(count, "set"), reason)


def _write(
    directory: RunDirectory, suite: MinimalSuite | RegionSuite, found: MinimalSetFindings, notes: Mapping[str, Any]
) -> None:
    directory.begin(suite.versions, threads=torch.get_num_threads())
    for scores in found.set_scores():
        write_array_record(_scores_folder(directory, suite), scores)
    directory.finish(found.rows(), notes)


def _scores_folder(directory: RunDirectory, suite: MinimalSuite | RegionSuite) -> Path:
    return directory.region_scores if isinstance(suite, RegionSuite) else directory.set_scores


def _run_name(
    config: Mapping[str, Any],
    settings: MinimalSetSettings,
    suite: MinimalSuite | RegionSuite,
    predictors: Sequence[Predictor],
) -> str:
    """Returns suite, language, kind of model and identity, which knows models and sets by their content."""
    rules = settings.rules
    suite_name, lang, kind = config["choices"]["suite"], rules.lang, rules.predictor
    preparation = settings.files.preparation(settings.lang)
    reading = settings.files.of_identity(list(suite.versions))
    number = identity(
        {
            "what": [suite_name, lang, kind],
            "sets": dict(suite.versions),
            "preparation": [preparation.end_of_sentence, preparation.capitalise, preparation.dotless_i],
            "rules": [rules.ties, rules.unknown_focus, config["data"]["on_malformed"]],
            "models": [[one.fingerprint, one.epoch] if is_checkpoint(one) else one.fingerprint for one in predictors],
            **({"reading": reading} if reading else {}),
        }
    )
    return file_name(f"{suite_name}-{lang}-{kind}-{number}")


def _record(found: MinimalSetFindings, predictors: Sequence[Predictor]) -> dict[str, Any]:
    """Returns what run.json says beside the usual: models, conventions, which sets are left out and why."""
    constructions = {construction.scores.test: construction.counts for construction in found.constructions}
    models = [
        {
            "name": model.name,
            "model": found.label,
            "seed": model.seed,
            "epoch": model.epoch,
            "fingerprint": predictor.fingerprint,
        }
        for model, predictor in zip(found.models, predictors, strict=True)
    ]
    return {
        "conventions": found.conventions,
        "models": models,
        "sets": constructions,
        "threads": torch.get_num_threads(),
    }
