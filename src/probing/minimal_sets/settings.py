"""How minimal sets are scored, as a configuration says: read and checked once, before anything is read or scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from src.formats.reading.malformed import Handler, handler_named
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.settings import check_precision, check_tests
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import SetFiles
from src.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MinimalSetSettings:
    """Which minimal sets are scored, by which models and rules.

    Attributes:
        lang: the content of `conf/lang/<code>.yaml`.
        files: of the suite.
        tests: names of the constructions; None: the suite's own choice.
        on_malformed: called with every bad line of a file.
        rules: by which the sets are scored.
        predictor: the content of a file of conf/predictor; run, epoch and seed may be lists; None: none is chosen.
        threads: of torch; None: as many as it chooses.
        workspace: of the command.
    """

    lang: Mapping[str, Any]
    files: SetFiles
    tests: Sequence[str] | None
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
            UnknownChoice: `ties`, `unknown_focus` or `data.on_malformed` is none that there is.
            PolyprobeError: the suite has tests for probes, or is not what it should be.
        """
        check_precision(config["trainer"]["precision"])
        lang, predictor = config["lang"], str(config["choices"].get("predictor"))
        rules = ScoringRules(lang["code"], predictor, config["ties"], config["unknown_focus"])
        on_malformed = handler_named(config["data"]["on_malformed"])
        check_tests(config["tests"], "[simple_agrmt,vp_coord]")
        return cls(
            lang=lang,
            files=chosen_set_files(config["suite"]),
            tests=config["tests"],
            on_malformed=on_malformed,
            rules=rules,
            predictor=config.get("predictor"),
            threads=config["trainer"]["threads"],
            workspace=Workspace.of(config["paths"]),
        )
