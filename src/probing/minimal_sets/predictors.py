"""The models that a configuration names: one for each combination of its runs, epochs, checkpoints and seeds."""

from collections.abc import Iterable, Mapping
from typing import Any

from src.encoders.transformer.named_checkpoints import check_alike
from src.errors import PolyprobeError
from src.named import built
from src.predictors.base.predictor import Predictor
from src.predictors.word_level.trained_run import LanguageModelRun
from src.runs.names.identity import differing_settings

OF_MODELS = ("lang.code", "data", "encoder", "model", "task", "trainer")  # what makes a model of a run


def make_predictors(settings: Iterable[Mapping[str, Any]]) -> list[Predictor]:
    """Builds the predictors of a configuration; of equal ones the first alone stays (the best epoch and its number).

    Args:
        settings: of each.
    """
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
        if "run" in single and single["_target_"].startswith("src.predictors."):
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
                "in their seeds alone are averaged; score others by commands of their own, then compare the runs."
            )
