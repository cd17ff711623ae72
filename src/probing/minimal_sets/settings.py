"""How minimal sets are scored, as a configuration says: read and checked once, before torch is imported."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from src.encoders.transformer.named_checkpoints import ModelOptions
from src.errors import BadValue, PolyprobeError
from src.formats.reading.malformed import Handler, handler_named
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.settings import check_precision, check_tests
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import REGIONS, ConstructionFile, SetFiles, available, chosen, root_of
from src.runs.command.overrides import choices
from src.runs.workspace import Workspace

OPTIONS = ("run", "epoch", "seed")  # of a predictor: each may be a list


@dataclass(frozen=True, slots=True)
class MinimalSetSettings:
    """Which minimal sets are scored, by which models and rules."""

    lang: Mapping[str, Any]
    """The content of `conf/lang/<code>.yaml`."""
    files: SetFiles
    """Of the suite."""
    root: Path
    """The folder that the paths of the suite start from."""
    constructions: Sequence[ConstructionFile]
    """Their files."""
    on_malformed: Handler
    """Called with every bad line of a file."""
    rules: ScoringRules
    """By which the sets are scored."""
    predictors: Sequence[Mapping[str, Any]]
    """Of each model, the content of a file of conf/predictor."""
    threads: int | None
    """Of torch; None: as many as it chooses."""
    workspace: Workspace
    """Of the command."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "MinimalSetSettings":
        """Reads the configuration of probe.py."""
        check_precision(config["trainer"]["precision"])
        lang, predictor = config["lang"], str(config["choices"].get("predictor"))
        rules = ScoringRules(lang["code"], predictor, config["ties"], config["unknown_focus"])
        on_malformed = handler_named(config["data"]["on_malformed"])
        check_tests(config["tests"], "[simple_agrmt,vp_coord]")
        files, workspace = chosen_set_files(config["suite"]), Workspace.of(config["paths"])
        if files.format == REGIONS and rules.ties == "released":
            raise BadValue(
                "ties", rules.ties, f"wrong, half or correct with suite={files.name}: it is of CLAMS's scorer"
            )
        root = root_of(files, lang, workspace)
        return cls(
            lang=lang,
            files=files,
            root=root,
            constructions=chosen(available(files, lang, root), files, config["tests"]),
            on_malformed=on_malformed,
            rules=rules,
            predictors=_predictors(config.get("predictor"), files.name),
            threads=config["trainer"]["threads"],
            workspace=workspace,
        )


def _predictors(settings: Mapping[str, Any] | None, suite: str) -> list[dict[str, Any]]:
    if settings is None:
        known = ", ".join(choices("predictor", "probe"))
        raise PolyprobeError(
            f"suite={suite} has minimal sets, on which language models are scored, and no predictor "
            f"is chosen. Expected predictor= one of {known}, such as predictor=lstm predictor.run=<run of task=lm>."
        )
    return list(_combinations(settings))


def _combinations(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the settings of each predictor: a list of runs, epochs, checkpoints or seeds stands for several."""
    for one in _of_checkpoints(settings):
        yield from _of_lists(one)


def _of_checkpoints(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the settings of each checkpoint of a transformer's training, or of the one model."""
    if not settings.keys() & {"folders", "revisions"}:
        yield settings
        return
    rest = {key: value for key, value in settings.items() if key not in ("folders", "revisions")}
    named = (settings.get(key) for key in ("model", "revision", "folders", "revisions", "weights"))
    for one in ModelOptions("predictor", *named).checkpoints():
        yield {**rest, "model": one.model, "revision": one.revision, "epoch": one.epoch}


def _of_lists(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    several = {key: settings[key] for key in OPTIONS if isinstance(settings.get(key), list)}
    for key, values in several.items():
        if not values:
            raise BadValue(f"predictor.{key}", values, "a value, or a list with at least one")
    for values in product(*several.values()):
        yield {**settings, **dict(zip(several, values, strict=True))}
