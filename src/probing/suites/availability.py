"""Which tests of a suite a language has, and which of their files are here: nothing is read or fetched."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from polyprobe.errors import Impossible, distinct_choices
from polyprobe.probing.suites.test_files import LAYOUTS, sizes
from polyprobe.probing.suites.tests import Suite
from polyprobe.resources.pinned_files import available_targets


@dataclass(frozen=True, slots=True)
class TestStatus:
    """What is known of a test, or of a downstream task, without reading it."""

    __test__ = False  # pytest would collect the class by its name

    name: str
    """As in the published tables."""
    absent: tuple[str, ...] = ()
    """Files that are not there, relative to the data folder."""
    missing: tuple[str, ...] = ()
    """Those of them that cannot be fetched."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Rows of each split whose file is present, as many as it has lines; of downstream tasks none."""

    @classmethod
    def of(cls, name: str, targets: Iterable[str], root: Path, sizes: Mapping[str, int]) -> Self:
        """Looks which of the files are in the data folder."""
        absent = tuple(target for target in dict.fromkeys(targets) if not (root / target).is_file())
        folders = {f"{Path(target).parent.as_posix()}/" for target in absent}
        published = {target for folder in folders for target in available_targets(folder)}
        return cls(name, absent, tuple(target for target in absent if target not in published), sizes)

    @property
    def state(self) -> str:
        """ "present" (all files are in the data folder), "downloadable" (the others can be fetched) or "missing"."""
        return "missing" if self.missing else "downloadable" if self.absent else "present"


def available_tests(suite: Suite, language: Mapping[str, Any], root: Path) -> list[TestStatus]:
    """Lists the tests of a language in the suite's order: those with a file here or one that can be fetched.

    Args:
        language: the settings of `lang=<code>`.

    Raises:
        Impossible: the language has no test of this suite.
    """
    if suite.columns is not None:
        return [TestStatus(name) for name in suite.tests]
    statuses = []
    for name in suite.tests:
        needed = suite.needed(language, name, root)
        n_rows = sizes(suite.format, {split: root / target for split, target in needed.items()})
        if "train" not in needed and "dev" in n_rows and suite.train_from_dev:
            n_rows |= suite.train_from_dev.sizes(n_rows["dev"])
        status = TestStatus.of(name, needed.values(), root, n_rows)
        if set(status.missing) != set(needed.values()):
            statuses.append(status)
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
    return known if names is None else distinct_choices("test", names, known)
