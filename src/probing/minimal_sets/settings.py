"""How minimal sets are scored: read and checked once, before torch is imported."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Self

from polyprobe.encoders.transformer.model_options import NamedModels
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.reading.malformed import handler_named
from polyprobe.probing.minimal_sets.outcome import ScoringRules
from polyprobe.probing.settings import AskedSettings, ProbeSettings, check_precision, check_tests
from polyprobe.probing.suites.chosen import chosen_set_files
from polyprobe.probing.suites.minimal_set_files import ConstructionFile, SetFiles, available, chosen, root_of
from polyprobe.runs.command.unknown_names import choices
from polyprobe.runs.names.choice import Choice

OPTIONS = ("run", "epoch", "seed")  # of a predictor: each may be a list


@dataclass(frozen=True, slots=True)
class MinimalSetSettings(AskedSettings):
    """Which minimal sets are scored, by which models and rules."""

    files: SetFiles
    """Of the suite."""
    constructions: Sequence[ConstructionFile]
    """Their files."""
    rules: ScoringRules
    """By which the sets are scored."""
    predictors: Sequence[Mapping[str, Any]]
    """Of each model, the content of a file of conf/predictor."""

    @classmethod
    def of(cls, asked: ProbeSettings) -> Self:
        """Finds the sets and the models that are asked for.

        Raises:
            BadValue: `tests` is not a list, an option of the predictor is an empty one, or half precision is chosen.
            UnknownChoice: `ties` or `unknown_focus` is none that there is, or the language has no such construction.
            PolyprobeError: the suite has tests for probes, or no sets in the language, or is not what it should be; or
                no predictor is chosen.
        """
        check_precision(asked.precision)
        lang, predictor = asked.lang, "None" if asked.predictor is None else asked.predictor.name
        rules = ScoringRules(lang["code"], predictor, asked.ties, asked.unknown_focus)
        check_tests(asked.tests, "[simple_agrmt,vp_coord]")
        files = chosen_set_files(asked.suite.options)
        root = root_of(files, lang, asked.workspace)
        constructions = chosen(available(files, lang, root), files, asked.tests)
        predictors = _predictors(asked.predictor, files.name)
        return cls(asked, root, handler_named(asked.on_malformed), files, constructions, rules, predictors)


def _predictors(predictor: Choice | None, suite: str) -> list[dict[str, Any]]:
    """Returns the settings of each predictor: a list of runs, epochs, checkpoints or seeds stands for several."""
    if predictor is None:
        known = ", ".join(choices("predictor", "probe"))
        raise PolyprobeError(
            f"suite={suite} has minimal sets, on which language models are evaluated, but no predictor "
            f"is chosen. Expected predictor= one of {known}, such as predictor=lstm predictor.run=<run of task=lm>."
        )
    return [each for one in _of_checkpoints(predictor.options) for each in _of_lists(one)]


class _NamedModels(NamedModels, key="predictor"):
    """The models that a predictor names; its class has all its options, and needs torch."""


def _of_checkpoints(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the settings of each checkpoint of a transformer's training, or of the one model."""
    if not settings.keys() & {"folders", "revisions"}:
        yield settings
        return
    rest = {key: value for key, value in settings.items() if key not in ("folders", "revisions")}
    for one in _NamedModels(**{field.name: settings.get(field.name) for field in fields(_NamedModels)}).checkpoints():
        yield {**rest, "model": one.model, "revision": one.revision, "epoch": one.epoch}


def _of_lists(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    several = {key: settings[key] for key in OPTIONS if isinstance(settings.get(key), list)}
    for key, values in several.items():
        if not values:
            raise BadValue(f"predictor.{key}", values, "a value, or a list with at least one")
    for values in product(*several.values()):
        yield {**settings, **dict(zip(several, values, strict=True))}
