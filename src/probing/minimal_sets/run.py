"""One run of minimal sets from its configuration to its rows: `python probe.py suite=clams predictor=…`."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from src.errors import BadValue, check_choice
from src.formats.files.file_names import file_name
from src.formats.reading.malformed import OnMalformed, Skipped, refuse
from src.models.base.lightning_process import flush_denormals, set_threads
from src.predictors.base.score_cache import KeptBlocks
from src.probing.minimal_sets.findings import MinimalSetFindings
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.minimal_sets.predictors import make_predictors
from src.probing.minimal_sets.scoring import distinct_models, score_suite, unknown_language
from src.probing.start import counts_of_suite, report_start
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import SetFiles, available, chosen, load
from src.probing.suites.minimal_sets import MinimalSuite
from src.resources.data_root import data_root
from src.runs.array_records import record_path, write_record
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.names.identity import identity
from src.runs.names.options_in_words import options_in_words, with_own_tests
from src.runs.record.provenance import report_line_ends
from src.runs.workspace import Workspace

PATIENCE = 600
"""Seconds to wait for another process that writes the same results."""
_log = logging.getLogger(__name__)
HANDLERS = {"refuse": lambda: refuse, "skip": Skipped}


def score_minimal_sets(config: Mapping[str, Any]) -> RunDirectory:
    """Scores the models of a configuration on its minimal sets, or says that an earlier run of the same has done so.

    The run directory is taken when all is scored, so that equal commands at the same time share the scoring.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with a suite of minimal sets.

    Returns:
        The directory of the finished run: rows, and the scores of every sentence below `set_scores`.

    Raises:
        PolyprobeError: the sets, the models or the run directory are not what they should be.
    """
    flush_denormals()
    set_threads(config["trainer"]["threads"])
    rules = _scoring_rules(config)
    handler = _handler(config["data"]["on_malformed"])
    suite = make_suite(config, handler)
    predictors = make_predictors(config)
    options = options_in_words(config, "predictor", all(one.model_name is not None for one in predictors))
    rules = replace(rules, options=with_own_tests(config, options))
    distinct_models(predictors)
    if unknown := unknown_language(predictors, config["lang"]["code"]):
        _log.warning("lang=%s: %s.", config["lang"]["code"], unknown)
    fingerprints = [one.fingerprint for one in predictors]
    workspace = Workspace.of(config["paths"])
    directory = RunDirectory(workspace.runs("probe") / _run_name(config, suite, fingerprints))

    def score() -> Callable[[], None]:
        report_start(directory.path, False, counts_of_suite(suite, len(predictors)))
        line_ends = report_line_ends(suite.files, workspace.data)
        found = score_suite(suite, predictors, [KeptBlocks(workspace.scores / name) for name in fingerprints], rules)
        notes = {**_record(found, fingerprints, handler), "line_ends": line_ends}
        return partial(_write, directory, suite.versions, found, notes)

    outcome = [record_path(directory.set_scores, name) for name in suite.versions]
    return run_once(directory, config, lambda: suite.versions, score, outcome, PATIENCE)


def _write(
    directory: RunDirectory, versions: Mapping[str, str], found: MinimalSetFindings, notes: Mapping[str, Any]
) -> None:
    directory.begin(versions, threads=torch.get_num_threads())
    for scores in found.set_scores():
        write_record(directory.set_scores, scores)
    directory.finish(found.rows(), notes)


def _scoring_rules(config: Mapping[str, Any]) -> ScoringRules:
    predictor = str(config["choices"].get("predictor"))
    return ScoringRules(config["lang"]["code"], predictor, config["ties"], config["unknown_focus"])


def make_suite(config: Mapping[str, Any], on_malformed: OnMalformed) -> MinimalSuite:
    """Reads the minimal sets that a configuration asks for; missing files are fetched.

    Args:
        config: with `suite`, `tests`, `lang` and `paths`.
        on_malformed: called with every bad line; its set is left out unless it raises.

    Raises:
        PolyprobeError: the language has no such sets, or a file is not what it should be.
    """
    if not isinstance(config["tests"], list | None) or config["tests"] == []:
        raise BadValue("tests", config["tests"], "a list such as [simple_agrmt,vp_coord], or null")
    lang, files = config["lang"], chosen_set_files(config["suite"])
    root = root_of(files, config)
    places = chosen(available(files, lang, root), files, config["tests"])
    return load(files, lang, places, root, Workspace.of(config["paths"]).mirror, on_malformed)


def root_of(files: SetFiles, config: Mapping[str, Any]) -> Path:
    """Returns the folder that the paths of a suite start from: the data folder, or that of a user's own files."""
    place = Path(files.files)
    return place.parent if place.is_absolute() else data_root(config["lang"], Workspace.of(config["paths"]))


def _handler(on_malformed: str) -> OnMalformed:
    check_choice("data.on_malformed", on_malformed, HANDLERS)
    return HANDLERS[on_malformed]()


def _run_name(config: Mapping[str, Any], suite: MinimalSuite, fingerprints: list[str]) -> str:
    """Returns suite, language, kind of model and identity, which knows models and sets by their content."""
    suite_name, lang, kind = config["choices"]["suite"], config["lang"]["code"], config["choices"]["predictor"]
    preparation = chosen_set_files(config["suite"]).preparation(config["lang"])
    number = identity(
        {
            "what": [suite_name, lang, kind],
            "sets": dict(suite.versions),
            "preparation": [preparation.end_of_sentence, preparation.capitalise, preparation.dotless_i],
            "rules": [config["ties"], config["unknown_focus"], config["data"]["on_malformed"]],
            "models": fingerprints,
        }
    )
    return file_name(f"{suite_name}-{lang}-{kind}-{number}")


def _record(found: MinimalSetFindings, fingerprints: list[str], handler: OnMalformed) -> dict[str, Any]:
    """Returns what run.json says beside the usual: models, conventions, and what is left out for which reason."""
    constructions = {
        construction.scores.test: {
            "sets": len(construction.scores.numbers),
            "left_out": construction.left_out,
            "unknown_focus": construction.n_unknown_focus,
            "unknown_elsewhere": construction.n_unknown_other,
            "bad_lines": construction.n_bad_lines,
            "identical": construction.identical,
        }
        for construction in found.constructions
    }
    models = [
        {"name": model.name, "model": found.label, "seed": model.seed, "epoch": model.epoch, "fingerprint": name}
        for model, name in zip(found.models, fingerprints, strict=True)
    ]
    left_out = [str(place) for place in getattr(handler, "places", ())]
    return {
        "conventions": found.conventions,
        "models": models,
        "sets": constructions,
        "left_out": left_out,
        "threads": torch.get_num_threads(),
    }
