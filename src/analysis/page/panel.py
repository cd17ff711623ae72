"""What stands on a page under one heading: figures, tables, tables that are opened by a line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polyprobe.analysis.output.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Panel:
    """One subject of a page."""

    title: str
    tables: Sequence[Table]
    figures: Callable[[], Iterable["Figure"]] = tuple
    """Draws the pictures that stand above the tables, the same as in `pictures/` of a run."""
    folds: Mapping[str, Table] = field(default_factory=dict)
    """Tables that are opened by a line each, by what that says."""
    title_of_folds: str = ""
