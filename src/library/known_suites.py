"""Which suites there are, and which of their tests a language has."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.library.calls import at_work, configuration, typed_as
from polyprobe.probing.door import probe_settings
from polyprobe.probing.listed import states_of_tests
from polyprobe.runs.command.composed import default_choice
from polyprobe.runs.command.overrides import choices
from polyprobe.runs.names.conf_folders import choice_files


def suites(lang: str | None = None, *, overrides: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Lists the suites of `probe`, `score_minimal_sets` and `score_downstream_tasks`; nothing is fetched.

    Args:
        lang: only suites that have tests of this language.
        overrides: what else a user would type, such as a data folder.

    Returns:
        Of each suite a dictionary: `suite`; `about`, in words; with a language `tests`, of each test whether its files
        are "present", "downloadable" or "missing".

    Raises:
        PolyprobeError: there is no such language.
    """
    about = {
        name: choice_files("suite")[name].read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for name in choices("suite", "probe")
    }
    found = [{"suite": name, "about": text} for name, text in about.items()]
    if lang is None:
        return found
    with at_work(is_quiet=True):
        config, _ = configuration("probe", [*typed_as({"lang": lang}), *overrides])
        asked, with_tests = probe_settings(config), []
        for one in found:
            with suppress(PolyprobeError):  # it has none of this language
                suite = default_choice(config, "suite", one["suite"])
                with_tests.append({**one, "tests": states_of_tests(replace(asked, suite=suite))})
    return with_tests
