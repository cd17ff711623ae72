"""Which published numbers the runs of a work folder have, and how near they come."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from polyprobe.analysis.published.experiment_settings import composed_experiment, is_of_experiment, other_settings
from polyprobe.analysis.published.published_cells import PublishedCell, baselines, differences_from
from polyprobe.analysis.results.config_differences import best_epoch, choice_or_setting, trained_runs, with_pooling
from polyprobe.analysis.results.rows import Row
from polyprobe.analysis.tables.made_sets import made_from
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import seedless_settings


class State(Enum):
    """What became of a published number; the values are the words that tables show."""

    EQUAL = "equal"
    NEAR = "within tolerance"
    UNDECIDED = "inconclusive"
    OUTSIDE = "outside"
    ELSEWHERE = "other data or settings"
    NOT_RUN = "not run"
    PRINTED = "printed elsewhere"
    CANNOT = "cannot be"


@dataclass(frozen=True, slots=True)
class FilledCell:
    """A published number with ours."""

    cell: PublishedCell
    state: State
    found: float | None = None
    """Ours in the unit of the cell, the mean over runs that differ by their seed alone; None where none is run."""
    runs: tuple[str, ...] = ()
    """The names of these runs."""
    elsewhere: tuple[str, ...] = ()
    """In which data and settings they differ from the study, where they do."""
    others: "tuple[FilledCell, ...]" = ()
    """What further runs have, those that differ by more than their seed each by itself."""

    @property
    def difference(self) -> float | None:
        """Ours minus the published one, in the unit of the cell."""
        return None if self.found is None else self.found - self.cell.value


@dataclass(frozen=True)
class FinishedRun:
    """A run as it is matched with published numbers."""

    name: str
    configuration: Mapping[str, Any]
    trainings: Sequence[Mapping[str, Any]]
    """The configurations of the runs whose checkpoints it probed or scored; empty where one is gone."""
    rows: Sequence[Row]
    """Of its results; of a training with several epochs only those at its best."""
    sources: Mapping[str, Any] = field(default_factory=dict)
    """What it read, as `polyprobe.resources.revisions` records it; empty where that is not recorded."""
    training_sources: Sequence[Mapping[str, Any]] = ()
    """The same of each of `trainings`, with the corpus under `corpus`."""

    @cached_property
    def all_but_seeds(self) -> str:
        """What changes its numbers, seeds aside, those of its trainings included: runs with the same are one study."""
        own = {key: one for key, one in seedless_settings(self.configuration).items() if not key.endswith(".run")}
        return json.dumps([own, *map(seedless_settings, self.trainings)], sort_keys=True)

    @classmethod
    def read(cls, folder: Path) -> "FinishedRun":
        """Reads a run."""
        run = RunDirectory(folder)
        own, rows = run.configuration_if_any(), run.rows()
        own, rows = with_pooling(own, rows), rows or _counted_rows(run, own)
        runs = trained_runs(own)
        trainings = [one.configuration_if_any() for one in runs]
        best = best_epoch(runs[0], rows) if len(runs) == 1 and all(trainings) else {}
        kept = [row for row in rows if all(row.get("epoch") in (None, epoch) for epoch in best.values())]
        trained = [{**_sources(one), "corpus": one.record().get("corpus")} for one in runs] if all(trainings) else []
        return cls(folder.name, own, trainings if all(trainings) else [], kept, _sources(run), trained)


def _sources(run: RunDirectory) -> dict[str, Any]:
    return run.record().get("sources", {})


def _counted_rows(run: RunDirectory, configuration: Mapping[str, Any]) -> list[Row]:
    """Makes rows of the numbers that a run of generate.py counted in what it made tests from."""
    chosen = configuration.get("choices", {})
    names = {"suite": chosen.get("suite"), "lang": chosen.get("lang"), "test": ""}
    counts = made_from(run).items()
    return [{**names, "metric": name, "value": one, "n": one} for name, one in counts if isinstance(one, int | float)]


def filled_cells(cells: Collection[PublishedCell], runs: Collection[FinishedRun]) -> list[FilledCell]:
    """Looks up each published number in runs.

    Of several runs those count that agree with the study in data and settings; of these the ones that differ by their
    seed alone are averaged, and the largest such group counts, of equally large ones the last by name. The others are
    listed.
    """
    asked = {key for cell in cells for key in cell.keys}
    found = {key: {_text(row.get(key)) for run in runs for row in run.rows} for key in asked}
    return [_filled(cell, runs if _may_have(cell, found) else ()) for cell in cells]


def _may_have(cell: PublishedCell, found: Mapping[str, Collection[str]]) -> bool:
    """Says whether each key of a cell has its value in some row: thousands of cells are seen so to be in no run."""
    return all(wanted in found[key] for key, wanted in cell.keys.items())


def _filled(cell: PublishedCell, runs: Collection[FinishedRun]) -> FilledCell:
    if cell.cannot:
        return FilledCell(cell, State.CANNOT)
    if cell.printed_by:
        return FilledCell(cell, State.PRINTED)
    groups: dict[tuple[tuple[str, ...], str], list[tuple[FinishedRun, Row]]] = {}
    for run in runs:
        if (row := _row_of(cell, run)) and (elsewhere := _elsewhere(cell, run, row)) is not None:
            groups.setdefault((elsewhere, run.all_but_seeds), []).append((run, row))
    if not groups:
        return FilledCell(cell, State.NOT_RUN)
    found = [_of_group(cell, elsewhere, group) for (elsewhere, _), group in groups.items()]
    best, *others = sorted(found, key=lambda one: (not one.elsewhere, len(one.runs), one.runs[0]), reverse=True)
    return replace(best, others=tuple(others))


def _of_group(cell: PublishedCell, elsewhere: tuple[str, ...], group: Sequence[tuple[FinishedRun, Row]]) -> FilledCell:
    value = fmean(cell.found_in(row[cell.of]) for _, row in group)
    state = State.ELSEWHERE if elsewhere else _state(cell, value, _baseline(group[0][1], cell))
    return FilledCell(cell, state, value, tuple(run.name for run, _ in group), elsewhere)


def _state(cell: PublishedCell, found: float, baseline: float | None) -> State:
    """Compares a number of ours, in the unit of the cell, with the published one and what a constant answer has.

    Outside the tolerance it is outside. Equal digits are equal, unless the constant answer has them, too. All else is
    inconclusive where the constant answer lies within the tolerance, and else near if ours is nearer to the published
    number than to the constant answer, outside if not.
    """
    if not (cell.is_equal(found) or cell.is_near(found)):
        return State.OUTSIDE
    if cell.is_equal(found) and not (baseline is not None and cell.is_equal(baseline)):
        return State.EQUAL
    if baseline is not None and (cell.is_equal(baseline) or cell.is_near(baseline)):
        return State.UNDECIDED
    is_nearer = baseline is None or abs(found - cell.value) < abs(found - baseline)
    return State.NEAR if is_nearer else State.OUTSIDE


def _row_of(cell: PublishedCell, run: FinishedRun) -> Row | None:
    """Returns a row of a run that has the number of a cell, if there is but one such number."""
    rows = [row for row in run.rows if all(_text(row.get(key)) == wanted for key, wanted in cell.keys.items())]
    rows = [row for row in rows if row.get("seed") is None] or rows
    values = {row.get(cell.of) for row in rows}  # a majority stands in the rows of all layers
    return rows[0] if len(values) == 1 and None not in values else None


def _elsewhere(cell: PublishedCell, run: FinishedRun, row: Row) -> tuple[str, ...] | None:
    """Says in which data and settings a run differs from the study; None for another study."""
    settings = _other_settings(run, cell) if cell.hangs_on_settings else []
    if settings is None:
        return None
    return tuple(dict.fromkeys((*_other_data(row, cell), *unpublished_data(run, row, cell), *settings)))


def _baseline(row: Row, cell: PublishedCell) -> float | None:
    """Returns what a constant answer has: as the paper prints it, else the majority of the row."""
    published = baselines(cell.paper).get(cell.place)
    if published is not None or cell.of != "value" or row["metric"] != "accuracy" or row.get("majority") is None:
        return published
    return cell.found_in(row["majority"])


def unpublished_data(run: FinishedRun, row: Row, cell: PublishedCell) -> list[str]:
    """Says which data, vectors and trainings of a run are not known to be those of the paper, and why."""
    lang, suite, test = row.get("lang") or "", row["suite"], row["test"]
    read = run.sources.get("data", {})
    if row.get("stage") is None:
        counted = {one["metric"]: one["value"] for one in run.rows}
        others = differences_from(cell.paper, "source", suite, lang, counted, {})
    elif row.get("corpus"):
        corpus = row["corpus"] if row["corpus"] == cell.corpus or not cell.corpus else None
        data = _without_further_tests(read, run.configuration, corpus)
        others = differences_from(cell.paper, "corpus", f"{suite}/{corpus}", lang, {}, data) if corpus else []
    else:
        # A test has its own entry, sets of constructions one for each file.
        of_test = {test: read.get(test)} if test in read or not read else read
        others = differences_from(cell.paper, "tests", suite, lang, {}, of_test)
    if cell.hangs_on_vectors:
        others += _other_vectors(cell.paper, run.configuration, run.sources, lang, cell.model)
    if cell.training is not None:
        for configuration, sources in zip_longest(run.trainings, run.training_sources, fillvalue={}):
            corpus = sources.get("corpus")
            data = _without_further_tests(sources.get("data", {}), configuration, corpus)
            name = f"{choice_or_setting(configuration, 'task')}/{corpus}"
            others += differences_from(cell.paper, "corpus", name, lang, {}, data)
            others += _other_vectors(cell.paper, configuration, sources, lang, None)
    return others


def _without_further_tests(
    read: Mapping[str, str], configuration: Mapping[str, Any], corpus: str | None
) -> dict[str, str]:
    """Leaves out the files of further test sets beside a corpus, which have no part in its numbers."""
    beside = choice_or_setting(configuration, f"data.corpora.{corpus}.beside")
    entries = beside.values() if isinstance(beside, Mapping) else ()
    further = [one.get("file") for one in entries if isinstance(one, Mapping)]
    return {name: one for name, one in read.items() if name not in further}


def _other_vectors(
    paper: str, configuration: Mapping[str, Any], sources: Mapping[str, Any], lang: str, model: str | None
) -> list[str]:
    encoder = configuration.get("choices", {}).get("encoder")
    if model is None and (encoder is None or configuration.get("predictor")):
        return []
    what, name = ("encoder", encoder) if model is None else ("model", model)
    return differences_from(paper, what, name, lang, sources.get("vectors", {}), {})


def _other_settings(run: FinishedRun, cell: PublishedCell) -> list[str] | None:
    """Names the settings in which a run or a training behind it differs from the study; None for another study."""
    configured = [(run.configuration, cell.study)]
    if cell.training is not None:
        configured += [(one, cell.training) for one in run.trainings]
        if not run.trainings:
            return None
    others = []
    for configuration, typed in configured:
        if not all(_is_met(configuration, key, text) for key, text in typed.choices.items()):
            return None
        if typed.experiment:
            study = composed_experiment(typed.experiment, typed.typed)
            if not is_of_experiment(configuration, study):
                return None
            met = {*typed.choices, *(("data.corpus",) if cell.corpus else ())}
            others += other_settings(configuration, study, met)
    return list(dict.fromkeys(others))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _other_data(row: Row, cell: PublishedCell) -> list[str]:
    others = []
    if cell.corpus and row.get("corpus") != cell.corpus:
        others.append(f"corpus {row.get('corpus')}, not {cell.corpus}")
    if cell.n is not None and row["n"] != cell.n:
        others.append(f"{row['n']:,} items, not {cell.n:,}")
    return others


def _is_met(configuration: Mapping[str, Any], key: str, text: str) -> bool:
    """Says whether a run has a choice or a setting; of a path or a name on the hub the last part counts.

    The corpus is looked at in the row.
    """
    wanted, found = yaml.safe_load(text), choice_or_setting(configuration, key)
    if isinstance(wanted, str) and isinstance(found, str):
        return key == "data.corpus" or Path(found).name == Path(wanted).name
    return found == wanted
