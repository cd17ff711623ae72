"""The kinds of results that a run can have: what is tabled, drawn, written, said and logged of each.

The terminal, the files of a run, its page, dashboards and the library all go through `RESULT_KINDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.neurons.neuron_settings import STAGE as NEURONS
from polyprobe.analysis.neurons.neuron_tables import logged_neurons, neuron_tables
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page import single_items
from polyprobe.analysis.page.panel import Panel
from polyprobe.analysis.reports.details import write_details
from polyprobe.analysis.results.kinds import (
    CONSTRUCTIONS,
    DOWNSTREAM_TASKS,
    METRICS,
    OF_CHECKPOINTS,
    PROBING,
    Kind,
)
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.analysis.results.rows import (
    TRAINED,
    WHICH,
    Row,
    distinct,
    epoch_scores,
    joined,
    layer_of_row,
    percent,
    rows_of_finished,
    trivial_baseline,
    value_of,
    whole_scores,
    written_score,
)
from polyprobe.analysis.similarity.similarity_grid import STAGE as SIMILARITY
from polyprobe.analysis.similarity.similarity_grid import grids_of, logged_similarities, similarity_tables, write_pairs
from polyprobe.analysis.tables.logged_scores import Logged, logged_cells, logged_sets, summary_of_line
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.analysis.tables.score_tables import downstream_tables, layers_tables, probing_tables
from polyprobe.analysis.tables.training import label_tables, training_table
from polyprobe.display.shown import plural
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import metric_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OF_A_LAYER = ("encoder", "model", "layer", "epoch")
COUNTED = {"test": ("suite", "test"), "layer": ("layer",), "epoch": ("epoch",)}


@dataclass(frozen=True, slots=True)
class RunResults:
    """A finished run of any command."""

    run: RunDirectory
    rows: Sequence[Row]
    """Of the run; on the page of several those of all."""

    @property
    def shown(self) -> Sequence[Row]:
        """Of what a training run probed and scored the rows before training, at the best and at the last epoch."""
        trained = next(iter(epoch_scores(self.rows, "training").values()), None)
        if trained is None:
            return self.rows
        best = [row["epoch"] for row in self.rows if row["stage"] == TRAINED and row.get("epoch") is not None]
        shown = {min(trained), max(trained), *best}
        return [row for row in self.rows if row["stage"] not in OF_CHECKPOINTS or row.get("epoch") in shown]


def run_results(path: Path) -> RunResults:
    """Reads a finished run.

    Raises:
        PolyprobeError: it is not finished.
    """
    run = RunDirectory(Path(path))
    return RunResults(run, rows_of_finished(run))


@dataclass(frozen=True, slots=True)
class Score:
    """One number of a run in the tables of its sweep."""

    metric: str
    """What it is; for probing the accuracy, averaged over `n_tests` tests."""
    layer: str
    """The probed layer, or the epoch where a run of minimal sets has several; "" for a trained model."""
    value: float
    """From 0 to 1, or a perplexity; NaN where a row has none."""
    n_tests: int | None = None
    """How many probing tests, or downstream tasks, it averages; None for a trained model."""
    baseline: float | None = None
    """Reported with it: of a trained model the best of its trivial baselines, of probing the memoriser (or else the
    majority), averaged as the value is; None without one."""


def mean_scores(rows: Sequence[Row], baseline: Callable[[Row], float | None]) -> list[Score]:
    """Returns for each layer the unweighted mean over tests, or over the headlines of tasks, and of their baselines."""
    scores = []
    for place in distinct(rows, "layer", "epoch"):
        of_layer = [row for row in rows if (row.get("layer"), row.get("epoch")) == place]
        metric = " and ".join(metric for (metric,) in distinct(of_layer, "metric"))
        baselines = list(map(baseline, of_layer))
        of_tests = None if None in baselines else fmean(baselines)
        scores.append(Score(metric, layer_of_row(of_layer[0]), fmean(map(value_of, of_layer)), len(of_layer), of_tests))
    return scores


class ResultKind(ABC):
    """A kind of results. Its methods import themselves what takes long, and few runs need."""

    title: str
    """Of its part of a page."""
    stage: str | None = None
    """Of its rows; None where it has none."""
    scores: Kind | None = None
    """The lines and columns of its scores, where it has such."""

    @property
    def job_type(self) -> str | None:
        """Of its runs on a dashboard; None where they are on none."""
        return self.stage

    def is_in(self, rows: Sequence[Row]) -> bool:
        """Says whether rows of a run have results of this kind."""
        return bool(self.own(rows))

    def own(self, rows: Sequence[Row]) -> list[Row]:
        """Returns the rows of its stage."""
        return [row for row in rows if row["stage"] == self.stage]

    def headlines(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Returns the row that stands for each score, seeds averaged."""
        return ()

    def in_brief(self, rows: Sequence[Row]) -> str:
        """Says in the line of a run in a table of runs what it has."""
        return ""

    def of_job(self, rows: Sequence[Row], config: Mapping[str, Any]) -> list[Score]:
        """Returns the scores of a job in the tables of its sweep; of several tests the mean."""
        return []

    @abstractmethod
    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        """Returns tables by what they are about, which names their files."""

    def pictures(self, results: RunResults) -> Iterable[tuple[str, "Figure"]]:
        """Yields pictures with the names of their files."""
        return ()

    def page_tables(self, results: RunResults) -> Sequence[Table]:
        """Returns the tables of a page: those that the command prints, where nothing reads better there."""
        return [table for tables in self.tables(results).values() for table in tables]

    def panels(self, results: RunResults) -> Sequence[Panel]:
        """Returns what else stands on the page of a single run."""
        return ()

    def details(self, results: RunResults) -> Sequence[Path]:
        """Writes further files below the run; returns them."""
        return ()

    def lines(self, results: RunResults) -> Iterable[str]:
        """Says what else a user should know at the end."""
        return ()

    def logged(self, results: RunResults) -> Logged:
        """Returns tables and single numbers for a dashboard."""
        return {}, {}


class Training(ResultKind):
    """The scores of a trained model, which has sent what it did at each epoch to a dashboard before."""

    title = "Training"
    stage = TRAINED
    job_type = "training"

    def headlines(self, rows: Sequence[Row]) -> Sequence[Row]:
        return [row for row in whole_scores(rows) if row["split"] == "test"]

    def in_brief(self, rows: Sequence[Row]) -> str:
        found = whole_scores(rows)
        if not found:
            return ""
        metric = found[0]["metric"]
        scores = [f"{row['split']} {written_score(metric, row['value'])}" for row in found if row["metric"] == metric]
        return f"{metric_in_words(metric)}: {', '.join(scores)}"

    def of_job(self, rows: Sequence[Row], config: Mapping[str, Any]) -> list[Score]:
        metric = str(config.get("monitor") or "").rpartition("/")[2]
        scores = [row for row in self.headlines(rows) if row["metric"] == metric]
        baselines = [trivial_baseline(row, rows) for row in scores]
        return [
            Score(row["metric"], "", value_of(row), None, one and one["value"])
            for row, one in zip(scores, baselines, strict=True)
        ]

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {"training": [training_table(results.rows)]}

    def page_tables(self, results: RunResults) -> Sequence[Table]:
        return [*super().page_tables(results), *label_tables(results.rows)]

    def pictures(self, results: RunResults) -> Iterator[tuple[str, "Figure"]]:
        from polyprobe.analysis.pictures.curves import training_figure

        if epoch_scores(results.rows, "training"):
            yield "training", training_figure(results.rows)

    def logged(self, results: RunResults) -> Logged:
        numbers: dict[str, float | None] = {}
        for row in whole_scores(results.rows):
            name = f"{row['split']}/{row['metric']}"
            baseline = trivial_baseline(row, results.rows)
            of_baseline = {} if baseline is None else {baseline["encoder"]: baseline["value"]}
            numbers |= summary_of_line(name, {**row, **of_baseline}, of_baseline)
        return {}, {name: value for name, value in numbers.items() if value is not None}


class Scores(ResultKind):
    """Scores in lines and columns: titles, files, figures and what is compared as their `Kind` says."""

    title = property(attrgetter("scores.title"))
    stage = property(attrgetter("scores.stage"))

    @staticmethod
    @abstractmethod
    def tables_of(rows: Sequence[Row]) -> list[Table]:
        """Returns the tables of rows of one or more runs."""

    def is_in(self, rows: Sequence[Row]) -> bool:
        return bool(self.headlines(rows))

    def headlines(self, rows: Sequence[Row]) -> Sequence[Row]:
        return self.scores.rows(rows)

    def in_brief(self, rows: Sequence[Row]) -> str:
        grid = grid_of(self.scores, rows)
        columns = len(grid.columns)
        several = f", last of {columns} columns" if columns > 1 else ""
        over = f"over {plural(len(grid.common), self.scores.noun)}"
        return f"{joined(grid.rows, self.scores.model)}: {percent(float(grid.averages()[-1]))} {over}{several}"

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {self.scores.name: self.tables_of(results.shown)}

    def pictures(self, results: RunResults) -> Iterable[tuple[str, "Figure"]]:
        from polyprobe.analysis.pictures.of_run import figures_of_kind

        return figures_of_kind(self.scores, results.rows, self.scores.name)

    def logged(self, results: RunResults) -> Logged:
        return logged_cells(grid_of(self.scores, results.rows), results.run)

    def panels(self, results: RunResults) -> Sequence[Panel]:
        return single_items.predictions_panels(results.run, results.rows)

    def details(self, results: RunResults) -> Sequence[Path]:
        return write_details(results.run)


class Probing(Scores):
    """Accuracies of probes."""

    scores = PROBING
    tables_of = staticmethod(probing_tables)

    def in_brief(self, rows: Sequence[Row]) -> str:
        probed = self.headlines(rows)
        found = {
            name: [one for one in distinct(probed, *columns) if one[-1] is not None]
            for name, columns in COUNTED.items()
        }
        counts = [plural(len(one), name) for name, one in found.items() if one]
        return ", ".join(filter(None, [joined(probed, "encoder"), *counts]))

    def of_job(self, rows: Sequence[Row], config: Mapping[str, Any]) -> list[Score]:
        return mean_scores(self.headlines(rows), lambda row: row.get("memoriser", row.get("majority")))

    def page_tables(self, results: RunResults) -> Sequence[Table]:
        """Returns for fewer tests than layers one table with a line for each layer, in place of a table a column."""
        grid = grid_of(self.scores, results.shown)
        is_of_few = len(grid.lines) < len(grid.columns) and len(distinct(grid.rows, "run")) == 1
        return layers_tables(results.shown) if is_of_few else super().page_tables(results)

    def pictures(self, results: RunResults) -> Iterable[tuple[str, "Figure"]]:
        from polyprobe.analysis.pictures.of_run import probing_figures

        return probing_figures(results.rows)


class MinimalSets(Scores):
    """Accuracies in minimal sets."""

    scores = CONSTRUCTIONS
    tables_of = staticmethod(minimal_set_tables)

    def of_job(self, rows: Sequence[Row], config: Mapping[str, Any]) -> list[Score]:
        means = [row for row in self.own(rows) if not row.get("test") and row.get("seed") is None]
        epochs = [f"epoch {row['epoch']}" if len(means) > 1 else "" for row in means]
        return [Score(row["metric"], epoch, value_of(row)) for row, epoch in zip(means, epochs, strict=True)]

    def logged(self, results: RunResults) -> Logged:
        rows = [row for metric in METRICS for row in self.scores.of_metric(metric).rows(results.rows)]
        return logged_sets(grid_of(self.scores, results.rows), rows)

    def panels(self, results: RunResults) -> Sequence[Panel]:
        return single_items.minimal_set_panels(results.run, results.rows)


class DownstreamTasks(Scores):
    """Scores of SentEval's downstream tasks."""

    scores = DOWNSTREAM_TASKS
    tables_of = staticmethod(downstream_tables)

    def of_job(self, rows: Sequence[Row], config: Mapping[str, Any]) -> list[Score]:
        return mean_scores(self.headlines(rows), lambda row: None)


class Neurons(ResultKind):
    """Neurons ranked, kept alone, counted by layer."""

    title = "Neurons"
    stage = NEURONS

    def in_brief(self, rows: Sequence[Row]) -> str:
        rows = self.own(rows)
        rankings = [ranking for (ranking,) in distinct(rows, "ranking") if ranking is not None]
        n_neurons = max(row.get("neurons") or 0 for row in rows)
        return f"{', '.join(rankings)}: {plural(len(distinct(rows, 'test')), 'test')}, {plural(n_neurons, 'neuron')}"

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {"neurons": neuron_tables(self.own(results.rows))}

    def pictures(self, results: RunResults) -> Iterable[tuple[str, "Figure"]]:
        from polyprobe.analysis.neurons.layer_pictures import layer_figures

        return layer_figures(results.run, self.own(results.rows))

    def details(self, results: RunResults) -> Sequence[Path]:
        """Returns the files that the work itself has written."""
        return sorted(results.run.path.glob("*.csv"))

    def logged(self, results: RunResults) -> Logged:
        return logged_neurons(self.own(results.rows))


class Similarities(ResultKind):
    """All layers of runs compared with each other."""

    title = "Similarity of layers"
    stage = SIMILARITY

    def in_brief(self, rows: Sequence[Row]) -> str:
        rows = self.own(rows)
        sides = [[f"{side}{column}" for column in OF_A_LAYER] for side in ("", "other_")]
        layers = {place for side in sides for place in distinct(rows, *side)}
        return f"{', '.join(metric for (metric,) in distinct(rows, 'metric'))}: {plural(len(layers), 'layer')}"

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {"similarity": [table for grid in grids_of(results.rows) for table in similarity_tables(grid)]}

    def pictures(self, results: RunResults) -> Iterable[tuple[str, "Figure"]]:
        from polyprobe.analysis.similarity.similarity_pictures import similarity_pictures

        return similarity_pictures(grids_of(results.rows))

    def details(self, results: RunResults) -> Sequence[Path]:
        return write_pairs(results.run, results.rows)

    def logged(self, results: RunResults) -> Logged:
        return logged_similarities(results.rows)


class MadeSets(ResultKind):
    """Probing tests or minimal sets that generate.py made; they have no rows."""

    title = "Made sets"

    def is_in(self, rows: Sequence[Row]) -> bool:
        return not rows

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        from polyprobe.analysis.reports.generated import tables_of_made

        return tables_of_made(results.run)

    def lines(self, results: RunResults) -> Iterable[str]:
        from polyprobe.analysis.reports.generated import lines_of_made

        return lines_of_made(results.run)


RESULT_KINDS: Sequence[ResultKind] = (
    Training(),
    Probing(),
    MinimalSets(),
    DownstreamTasks(),
    Neurons(),
    Similarities(),
    MadeSets(),
)


def tables_of_scores(kind: Kind, rows: Sequence[Row]) -> list[Table]:
    """Returns the tables of one kind of scores, of rows of one or more runs."""
    return next(one.tables_of(rows) for one in RESULT_KINDS if one.scores is kind)


def kinds_of(results: RunResults) -> list[ResultKind]:
    """Returns the kinds of results that a run has, in the order of reports."""
    return [kind for kind in RESULT_KINDS if kind.is_in(results.rows)]


def tables_of(results: RunResults) -> dict[str, Sequence[Table]]:
    """Returns all tables of a run by what they are about, which names their files."""
    return {name: tables for kind in kinds_of(results) for name, tables in kind.tables(results).items()}


def summary_table(rows: Sequence[Row]) -> Table:
    """Formats a summary of the collected runs: a line each."""
    which = [column for column in WHICH if any(row.get(column) for row in rows)]
    table = Table(["run", "lang", "suite", *which, "summary"], ["rows"])
    for (run,) in sorted(distinct(rows, "run")):
        of_run = [row for row in rows if row["run"] == run]
        averages = [row for row in of_run if row.get("seed") is None and row.get("model")] or of_run
        said = [joined(of_run, "lang"), joined(of_run, "suite"), *(joined(averages, column) for column in which)]
        brief = [kind.in_brief(of_run) for kind in RESULT_KINDS if kind.is_in(of_run)]
        table.add_row(run, *said, next(filter(None, brief), ""), str(len(of_run)))
    return table.titled("Runs")
