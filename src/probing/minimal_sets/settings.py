"""How minimal sets are scored, as a configuration says: read and checked once, before torch is imported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import Handler, handler_named
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.settings import check_precision, check_tests
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import ConstructionFile, SetFiles, available, chosen, root_of
from src.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MinimalSetSettings:
    """Which minimal sets are scored, by which models and rules.

    Attributes:
        lang: the content of `conf/lang/<code>.yaml`.
        files: of the suite.
        root: the folder that the paths of the suite start from.
        constructions: their files.
        on_malformed: called with every bad line of a file.
        rules: by which the sets are scored.
        predictor: the content of a file of conf/predictor; run, epoch and seed may be lists; None: none is chosen.
        threads: of torch; None: as many as it chooses.
        workspace: of the command.
    """

    lang: Mapping[str, Any]
    files: SetFiles
    root: Path
    constructions: Sequence[ConstructionFile]
    on_malformed: Handler
    rules: ScoringRules
    predictor: Mapping[str, Any] | None
    threads: int | None
    workspace: Workspace

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "MinimalSetSettings":
        """Reads the configuration of probe.py.

        Raises:
            BadValue: `tests` is not a list, or sets are to be scored in half precision.
            UnknownChoice: `ties`, `unknown_focus` or `data.on_malformed` is none that there is, or the language has no
                such construction.
            PolyprobeError: the suite has tests for probes, or no sets in the language, or is not what it should be.
        """
        check_precision(config["trainer"]["precision"])
        lang, predictor = config["lang"], str(config["choices"].get("predictor"))
        rules = ScoringRules(lang["code"], predictor, config["ties"], config["unknown_focus"])
        on_malformed = handler_named(config["data"]["on_malformed"])
        check_tests(config["tests"], "[simple_agrmt,vp_coord]")
        files, workspace = chosen_set_files(config["suite"]), Workspace.of(config["paths"])
        root = root_of(files, lang, workspace)
        return cls(
            lang=lang,
            files=files,
            root=root,
            constructions=chosen(available(files, lang, root), files, config["tests"]),
            on_malformed=on_malformed,
            rules=rules,
            predictor=config.get("predictor"),
            threads=config["trainer"]["threads"],
            workspace=workspace,
        )
