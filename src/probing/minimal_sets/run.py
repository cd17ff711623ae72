"""One run of minimal sets from its configuration to its rows: `python probe.py suite=clams predictor=…`."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from polyprobe.display.shown import plural
from polyprobe.encoders.transformer.model_options import check_alike
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.shared_work import sharing
from polyprobe.models.base.torch_process import flush_denormals, set_threads
from polyprobe.named import built
from polyprobe.predictors.base.predictor import KeptBlocks, Predictor
from polyprobe.predictors.word_level.trained_run import LanguageModelRun
from polyprobe.probing.minimal_sets.outcome import ScoredConstruction, distinct_models, unknown_language
from polyprobe.probing.minimal_sets.scoring import score_suite
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.suites.minimal_set_files import load
from polyprobe.probing.suites.minimal_sets import MinimalSuite
from polyprobe.resources.revisions import sources
from polyprobe.runs.array_records import array_record_path
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import differing_settings, identity
from polyprobe.runs.record.provenance import name_of
from polyprobe.runs.study import Outcome, Study, Work, in_a_line, say_start

PATIENCE = 600
"""Seconds to wait for another process that writes the same results."""
MOST_NAMED = 5  # constructions that a warning names
_log = logging.getLogger(__name__)


class MinimalSetStudy(Study, Work):
    """Minimal sets by language models. Equal commands at the same time share the scoring."""

    command, patience = "probe", PATIENCE

    def __init__(self, settings: MinimalSetSettings):
        flush_denormals()
        set_threads(settings.asked.bank.threads)
        check_runs(settings.predictors)  # before missing files are fetched
        files, lang, root, mirror = settings.files, settings.lang, settings.root, settings.workspace.mirror
        self.suite = load(files, lang, settings.constructions, root, mirror, settings.on_malformed)
        self.predictors = make_predictors(settings.predictors)
        is_named = all(one.model_name is not None for one in self.predictors)
        options = settings.asked.suite.with_own_tests(settings.asked.predictor.in_words(is_named))
        self.config, self.workspace, self.machine = settings.asked.kept, settings.workspace, settings.asked.bank
        self.settings = replace(settings, rules=replace(settings.rules, options=options))
        distinct_models(self.predictors)
        if unknown := unknown_language(self.predictors, settings.rules.lang):
            _log.warning("lang=%s: %s.", settings.rules.lang, unknown)

    @property
    def name(self) -> str:
        """Suite, language, kind of model and identity, which knows models and sets by their content."""
        settings, suite, predictors = self.settings, self.suite, self.predictors
        rules = settings.rules
        suite_name, lang, kind = settings.asked.suite.name, rules.lang, rules.predictor
        preparation = settings.files.preparation(settings.lang)
        reading = settings.files.of_identity(list(suite.versions))
        number = identity(
            {
                "what": [suite_name, lang, kind],
                "sets": dict(suite.versions),
                "preparation": [preparation.end_of_sentence, preparation.capitalise, preparation.dotless_i],
                "rules": [rules.ties, rules.unknown_focus, settings.asked.on_malformed],
                "models": [
                    [one.fingerprint, one.epoch] if is_checkpoint(one) else one.fingerprint for one in predictors
                ],
                **({"reading": reading} if reading else {}),
            }
        )
        return file_name(f"{suite_name}-{lang}-{kind}-{number}")

    @property
    def outcome(self) -> list[Path]:
        return [array_record_path(self.run.set_scores, name) for name in self.suite.versions]

    def versions(self) -> Mapping[str, str]:
        return self.suite.versions

    def prepare(self) -> Work:
        """Scores all sets; the run directory is taken when that is done."""
        settings, suite, predictors = self.settings, self.suite, self.predictors
        say_start(self.run, [in_a_line(counts_of_suite(suite, len(predictors)))])
        self.processes.start()
        keepers = [KeptBlocks(self.workspace.scores / file_name(one.fingerprint)) for one in predictors]
        self._findings = score_suite(suite, predictors, keepers, settings.rules)
        _warn_of_unscored(self._findings.constructions)
        files = {name_of(file, settings.root): [file] for file in suite.files}
        first = predictors[0]
        of_models = {name: one for each in predictors for name, one in each.provenance.get("files", {}).items()}
        self._notes = {
            "conventions": self._findings.conventions,
            "models": [
                {
                    "name": model.name,
                    "model": self._findings.label,
                    "seed": model.seed,
                    "epoch": model.epoch,
                    "fingerprint": predictor.fingerprint,
                }
                for model, predictor in zip(self._findings.models, predictors, strict=True)
            ],
            "sets": {one.scores.test: one.counts for one in self._findings.constructions},
            "threads": torch.get_num_threads(),
            "sources": sources({**first.provenance, "files": of_models}, first.model_name, files, settings.root),
            "left_out": [str(line) for line in settings.on_malformed.places],
        }
        return self

    def circumstances(self) -> Mapping[str, Any]:
        return {"threads": torch.get_num_threads(), "devices": sharing().n_processes}

    def work(self, run: RunDirectory) -> Outcome:
        """Writes what was scored."""
        for scores in self._findings.set_scores():
            scores.write(run.set_scores)
        return self._findings.rows(), self._notes


def counts_of_suite(suite: MinimalSuite, n_models: int) -> dict[str, int]:
    """Counts constructions, sets, those of them with identical sentences, if any, sentences and models."""
    n_identical = sum(len(one.identical) for one in suite.constructions)
    return {
        "constructions": len(suite.constructions),
        "sets": sum(len(one.sets) for one in suite.constructions),
        **({"of them with identical sentences": n_identical} if n_identical else {}),
        "sentences": sum(one.n_sentences for one in suite.constructions),
        "models": n_models,
    }


def _warn_of_unscored(constructions: Sequence[ScoredConstruction]) -> None:
    """Warns of constructions without a score, with the most frequent reason for leaving out their sets."""
    unscored = [one for one in constructions if (one.scores.left_out != "").all()]
    reasons = sum((Counter(one.left_out) for one in unscored), Counter())
    for reason, count in reasons.most_common(1):
        which = f"{len(unscored)} of {plural(len(constructions), 'construction')}"
        names = ", ".join(one.scores.test for one in unscored[:MOST_NAMED])
        more = ", …" if len(unscored) > MOST_NAMED else ""
        _log.warning("%s without a score: %s%s. Most (%s) for %s.", which, names, more, plural(count, "set"), reason)


OF_MODELS = ("lang.code", "data", "encoder", "model", "task", "trainer")  # what makes a model of a run


def make_predictors(settings: Iterable[Mapping[str, Any]]) -> list[Predictor]:
    """Builds the predictors of a configuration; of equal ones the first alone stays (the best epoch and its number)."""
    made: dict[tuple[str, int | None], Predictor] = {}
    runs: dict[str, Predictor] = {}
    checkpoints: dict[str, Predictor] = {}
    for single in settings:
        predictor = built(single, "predictor")
        made.setdefault((predictor.fingerprint, predictor.epoch), predictor)
        runs.setdefault(str(single.get("run")), predictor)
        if is_checkpoint(predictor):
            checkpoints[str(single["revision"] or single["model"])] = predictor
    _check_alike(runs)
    if checkpoints:
        check_alike("predictor.folders or revisions", {name: one.architecture for name, one in checkpoints.items()})
    return list(made.values())


def check_runs(settings: Iterable[Mapping[str, Any]]) -> None:
    """Checks that the runs that predictors name are trained language models, without reading any weights.

    Args:
        settings: of each predictor. What `run` means to one that is not ours, that one alone knows.
    """
    for single in settings:
        if "run" in single and single["_target_"].startswith("polyprobe.predictors."):
            LanguageModelRun(single["run"], "predictor.run")


def is_checkpoint(predictor: Predictor) -> bool:
    """Says whether a model is one of the checkpoints of somebody else's training, whose epochs are what a user says."""
    return predictor.epoch is not None and predictor.training is None and predictor.architecture is not None


def _check_alike(runs: Mapping[str, Predictor]) -> None:
    """Refuses to average runs that differ in more than their seeds."""
    trained = {run: one.training for run, one in runs.items() if one.training is not None}
    for run, config in trained.items():
        first = next(iter(trained))
        for key, values in differing_settings(trained[first], config, OF_MODELS).items():
            raise PolyprobeError(
                f"predictor.run: {first} and {run} differ in {key} ({values[0]}, {values[1]}). Only runs that differ "
                "in their seeds alone are averaged; score others in separate commands, then compare the runs."
            )
