"""Which published numbers the runs of a work folder have, and how near they come."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from src.analysis.published.published_cells import PublishedCell
from src.analysis.published.study_settings import other_settings
from src.analysis.results.made_tests import made_from
from src.analysis.results.probed_training import best_epoch, choice_or_setting, trained_run
from src.analysis.results.rows import Row
from src.runs.directory import RunDirectory
from src.runs.names.identity import seedless_settings


class State(Enum):
    """What became of a published number; the values are the words that tables show."""

    EQUAL = "equal"
    NEAR = "within tolerance"
    OUTSIDE = "outside"
    ELSEWHERE = "other data or settings"
    NOT_RUN = "not run"
    CANNOT = "cannot be"


@dataclass(frozen=True, slots=True)
class FilledCell:
    """A published number with ours.

    Attributes:
        cell: what is published.
        state: what became of it.
        found: ours in the unit of the cell, the mean over runs that differ by their seed alone; None where none is run.
        runs: the names of these runs.
        elsewhere: in which data and settings they differ from the study, where they do.
    """

    cell: PublishedCell
    state: State
    found: float | None = None
    runs: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """Ours minus the published one, in the unit of the cell."""
        return None if self.found is None else self.found - self.cell.value


@dataclass(frozen=True)
class FinishedRun:
    """A run as it is matched with published numbers.

    Attributes:
        name: of its folder.
        configurations: its own and, where it probed a checkpoint, that of the run which trained it.
        rows: of its results; of a probed training with several epochs only those at its best.
    """

    name: str
    configurations: Sequence[Mapping[str, Any]]
    rows: Sequence[Row]

    @cached_property
    def settings(self) -> str:
        """What changes its numbers, seeds aside."""
        return json.dumps(seedless_settings(self.configurations[0]), sort_keys=True)

    @classmethod
    def read(cls, folder: Path) -> "FinishedRun":
        """Reads a run.

        Raises:
            PolyprobeError: a file of it is damaged.
        """
        run = RunDirectory(folder)
        own = run.configuration_if_any()
        rows = run.rows() or _counted_rows(run, own)
        trained = trained_run(own)
        best = best_epoch(trained, rows) if trained else {}
        kept = [row for row in rows if all(row.get("epoch") in (None, epoch) for epoch in best.values())]
        return cls(folder.name, [own, *([trained.configuration_if_any()] if trained else [])], kept)


def _counted_rows(run: RunDirectory, configuration: Mapping[str, Any]) -> list[Row]:
    """Makes rows of the numbers that a run of generate.py counted in what it made tests from."""
    chosen = configuration.get("choices", {})
    names = {"suite": chosen.get("suite"), "lang": chosen.get("lang"), "test": ""}
    counts = made_from(run).items()
    return [{**names, "metric": name, "value": one, "n": one} for name, one in counts if isinstance(one, int)]


@dataclass(frozen=True, slots=True)
class _Found:
    """A row that has a published number, of one run."""

    run: FinishedRun
    value: float
    elsewhere: tuple[str, ...]


def filled_cells(cells: Iterable[PublishedCell], runs: Sequence[FinishedRun]) -> list[FilledCell]:
    """Looks up each published number in runs.

    Of several runs those count that agree with the study in data and settings; of these the ones that differ by their
    seed alone are averaged, and the largest such group counts, of equally large ones the last by name.
    """
    return [_filled(cell, runs) for cell in cells]


def _filled(cell: PublishedCell, runs: Sequence[FinishedRun]) -> FilledCell:
    if cell.cannot:
        return FilledCell(cell, State.CANNOT)
    found = [one for run in runs for one in _found_in(run, cell)]
    groups: dict[str, list[_Found]] = {}
    for one in found:
        groups.setdefault(
            repr((one.elsewhere, sorted(seedless_settings(one.run.configurations[0]).items()))), []
        ).append(one)
    if not groups:
        return FilledCell(cell, State.NOT_RUN)
    best = max(groups.values(), key=lambda group: (not group[0].elsewhere, len(group), group[0].run.name))
    value, elsewhere = fmean(one.value for one in best), best[0].elsewhere
    return FilledCell(cell, _state(cell, value, elsewhere), value, tuple(one.run.name for one in best), elsewhere)


def _state(cell: PublishedCell, found: float, elsewhere: Sequence[str]) -> State:
    if elsewhere:
        return State.ELSEWHERE
    if cell.is_equal(found):
        return State.EQUAL
    return State.NEAR if cell.is_near(found) else State.OUTSIDE


def _found_in(run: FinishedRun, cell: PublishedCell) -> list[_Found]:
    """Returns the one row of a run that has the number of a cell, if there is one."""
    if not all(_are_met(run.configurations, key, text) for key, text in cell.choices.items()):
        return []
    rows = [row for row in run.rows if all(_text(row.get(key)) == wanted for key, wanted in cell.keys.items())]
    rows = [row for row in rows if row.get("seed") is None] or rows
    values = {row.get(cell.of) for row in rows}  # a majority stands in the rows of all layers
    if len(values) != 1 or None in values:
        return []
    settings = other_settings(run.configurations[0], cell) if _hangs_on_settings(cell) else ()
    elsewhere = [*_other_data(rows[0], cell), *settings]
    return [_Found(run, cell.found_in(values.pop()), tuple(elsewhere))]


def _hangs_on_settings(cell: PublishedCell) -> bool:
    """Says whether a number hangs on more than the data: baselines and shares of unknown words do not."""
    return cell.of in ("value", "sd") and cell.keys.get("stage") != "baseline"


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _other_data(row: Row, cell: PublishedCell) -> list[str]:
    others = []
    if cell.corpus and row.get("corpus") != cell.corpus:
        others.append(f"corpus {row.get('corpus')}, not {cell.corpus}")
    if cell.n is not None and row["n"] != cell.n:
        others.append(f"{row['n']:,} items, not {cell.n:,}")
    return others


def _are_met(configurations: Sequence[Mapping[str, Any]], key: str, text: str) -> bool:
    """Says whether a run, or the one that trained what it probed, has a choice or a setting; null: neither has it.

    Of a path or a name on the hub the last part counts. The corpus is looked at in the row.
    """
    wanted = yaml.safe_load(text)
    found = [choice_or_setting(one, key) for one in configurations]
    if key == "data.corpus":
        return True
    if isinstance(wanted, str):
        return Path(wanted).name in [Path(one).name for one in found if isinstance(one, str)]
    return all(one is None for one in found) if wanted is None else wanted in found
