"""The functions of the library that look at finished runs: what analyze.py does, returned and not printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from polyprobe.analysis.output.tables import Table, html_text
from polyprobe.library.finished import Run


@dataclass(frozen=True)
class Comparison:
    """How runs differ from the first of them on every test."""

    tables: list[Table]
    """One for each other run."""

    def _repr_html_(self) -> str:
        return "\n".join(map(html_text, self.tables))


def compare(*runs: Run, tests: Sequence[str] | None = None, work: str | PathLike[str] = ".") -> Comparison:
    """Compares runs with the first of them item by item, as `analyze.py compare=[…]` does.

    Args:
        runs: two or more.
        tests: names of tests; None for all that the runs share.
        work: the folder, in whose `comparisons/` a table is written.

    Raises:
        PolyprobeError: what the command would end with.
    """
    from polyprobe.analysis.comparisons.compare import compare as compared

    names = None if tests is None else list(tests)
    found = list(compared(Path(work), [str(run.path) for run in runs], names))
    return Comparison([one for one in found if isinstance(one, Table)])
