"""What `python probe.py list=…` prints: tests of a language, which languages have which, or what is in the files."""

from collections.abc import Callable, Mapping
from typing import Any

from src.errors import PolyprobeError, UnknownChoice
from src.probing.settings import check_tests
from src.probing.suites.chosen import has_downstream_tasks, has_minimal_sets, is_own

LANGUAGES, STATISTICS = "languages", "statistics"
Listing = Callable[[Mapping[str, Any]], None]


def print_list(config: Mapping[str, Any]) -> None:
    """Prints what `list` asks for; nothing is fetched.

    Args:
        config: of probe.py; `list` is true, "languages" or "statistics".

    Raises:
        BadValue: `tests` is an empty list, or none.
        UnknownChoice: `list` is another word.
        PolyprobeError: the suite has nothing of the kind, or the language has no test of the suite.
    """
    asked, suite = config["list"], config["suite"]
    check_tests(config["tests"], "[Case,Tense], of the names that list=true prints")
    if asked is True:
        _of_language(suite)(config)
    elif asked not in (LANGUAGES, STATISTICS):
        raise UnknownChoice("list", str(asked), ["true", "false", LANGUAGES, STATISTICS])
    elif has_downstream_tasks(suite) or (has_minimal_sets(suite) and asked == STATISTICS):
        what = "minimal sets" if has_minimal_sets(suite) else "downstream tasks"
        raise PolyprobeError(
            f"suite={suite['name']} has {what}: list={asked} says nothing of them. Expected list=true."
        )
    elif asked == LANGUAGES and is_own(suite):
        raise PolyprobeError(
            f"suite={suite['name']} has the files of suite.path, whatever the language: list={asked} says nothing of "
            f"them. Expected list=true."
        )
    elif asked == LANGUAGES:
        from src.probing.language_listing import print_languages

        print_languages(config)
    else:
        from src.probing.test_statistics import print_statistics

        print_statistics(config)


def _of_language(suite: Mapping[str, Any]) -> Listing:
    from src.probing.downstream.listing import print_tasks
    from src.probing.listing import print_tests
    from src.probing.minimal_sets.listing import print_constructions

    return (
        print_constructions if has_minimal_sets(suite) else print_tasks if has_downstream_tasks(suite) else print_tests
    )
