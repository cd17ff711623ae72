"""The models that a configuration names: one for each combination of its runs, epochs and seeds."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from src.errors import BadValue, PolyprobeError
from src.named import built
from src.predictors.base.predictor import Predictor
from src.runs.command.overrides import choices
from src.runs.names.identity import differing_settings

OPTIONS = ("run", "epoch", "seed")  # of a predictor: each may be a list
OF_MODELS = ("lang.code", "data", "encoder", "model", "task", "trainer")  # what makes a model of a run


def make_predictors(settings: Mapping[str, Any] | None, suite: str) -> list[Predictor]:
    """Builds the predictors of a configuration; of equal ones the first alone stays (the best epoch and its number).

    Args:
        settings: the content of a file of conf/predictor, see `combinations`; None: none is chosen.
        suite: its name, for the message.

    Raises:
        PolyprobeError: no predictor is chosen, it does not take these options, there is no such model, or runs differ
            in more than their seeds.
    """
    if settings is None:
        known = ", ".join(choices("predictor", "probe"))
        raise PolyprobeError(
            f"suite={suite} has minimal sets, on which language models are scored, and no predictor "
            f"is chosen. Expected predictor= one of {known}, such as predictor=lstm predictor.run=<run of task=lm>."
        )
    made: dict[str, Predictor] = {}
    runs: dict[str, Predictor] = {}
    for single in combinations(settings):
        predictor = built(single, "predictor")
        made.setdefault(predictor.fingerprint, predictor)
        runs.setdefault(str(single.get("run")), predictor)
    _check_alike(runs)
    return list(made.values())


def combinations(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the settings of each predictor: a list of runs, epochs or seeds stands for several.

    Raises:
        BadValue: a list is empty.
    """
    several = {key: settings[key] for key in OPTIONS if isinstance(settings.get(key), list)}
    for key, values in several.items():
        if not values:
            raise BadValue(f"predictor.{key}", values, "a value, or a list with at least one")
    for values in product(*several.values()):
        yield {**settings, **dict(zip(several, values, strict=True))}


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
