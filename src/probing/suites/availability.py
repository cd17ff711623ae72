"""Which tests of a suite a language has, and which of their files are here: nothing is read or fetched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import Impossible, check_choice
from src.probing.suites.test_files import LAYOUTS, sizes
from src.probing.suites.tests import Suite
from src.resources.pinned_files import available_targets


@dataclass(frozen=True, slots=True)
class TestStatus:
    """What is known of a test, or of a downstream task, without reading it."""

    __test__ = False  # pytest would collect the class by its name

    name: str
    """As in the published tables."""
    state: str
    """"present" (all files are in the data folder), "downloadable" (the others can be fetched) or "missing"."""
    sizes: Mapping[str, int]
    """Rows of each split whose file is present, as many as it has lines; of downstream tasks none."""
    absent: tuple[str, ...]
    """Files that are not there, relative to the data folder."""


def available_tests(suite: Suite, language: Mapping[str, Any], root: Path) -> list[TestStatus]:
    """Lists the tests of a language in the suite's order: those with a file here or one that can be fetched.

    Args:
        suite: whose tests.
        language: the content of `conf/lang/<code>.yaml`.
        root: the data folder.

    Raises:
        Impossible: the language has no test of this suite.
    """
    if suite.columns is not None:
        return [TestStatus(name, "present", {}, ()) for name in suite.tests]
    statuses = [_status(suite, name, suite.needed(language, name, root), root) for name in suite.tests]
    statuses = [status for status in statuses if status is not None]
    if not statuses:
        folder = Path(suite.targets(language, suite.tests[0])["train"]).parent
        raise Impossible(
            f"lang={language['code']} has no tests of suite={suite.name}: nothing is in "
            f"{root / (folder if suite.format == 'senteval' else folder.parent)}, and nothing there can be fetched. "
            f"Expected {LAYOUTS[suite.format]}."
        )
    return statuses


def chosen_tests(statuses: Sequence[TestStatus], names: Sequence[str] | None) -> list[str]:
    """Returns the names to probe with: the requested ones, in that order, or all.

    Raises:
        UnknownChoice: the language has no test of that name.
    """
    known = [status.name for status in statuses]
    if names is None:
        return known
    for name in names:
        check_choice("test", name, known)
    return list(dict.fromkeys(names))


def _status(suite: Suite, name: str, needed: Mapping[str, str], root: Path) -> TestStatus | None:
    absent = tuple(dict.fromkeys(target for target in needed.values() if not (root / target).is_file()))
    can_be_fetched = frozenset(available_targets(str(Path(needed["dev"]).parent) + "/")) if absent else frozenset()
    if len(absent) == len(set(needed.values())) and not can_be_fetched.intersection(absent):
        return None
    state = "missing" if set(absent) - can_be_fetched else "downloadable" if absent else "present"
    n_rows = sizes(suite.format, {split: root / target for split, target in needed.items()})
    if "train" not in needed and "dev" in n_rows and suite.train_from_dev:
        n_rows |= suite.train_from_dev.sizes(n_rows["dev"])
    return TestStatus(name=name, state=state, sizes=n_rows, absent=absent)
