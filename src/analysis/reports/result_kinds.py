"""The kinds of results that a run can have: what is tabled, drawn, written, said and logged of each.

The terminal, the files of a run, its page, dashboards and the library all go through `RESULT_KINDS`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.comparisons.pairings import PROBES, SETS, TASKS
from polyprobe.analysis.neurons.neuron_settings import STAGE as NEURONS
from polyprobe.analysis.neurons.neuron_tables import logged_neurons, neuron_tables
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.reports.details import write_details
from polyprobe.analysis.results.kinds import GROUPS, MINIMAL_SETS, PROBING, Kind
from polyprobe.analysis.results.paired_runs import Pairing
from polyprobe.analysis.results.rows import Row, epoch_scores
from polyprobe.analysis.similarity.similarity_grid import STAGE as SIMILARITY
from polyprobe.analysis.similarity.similarity_grid import grids_of, logged_similarities, similarity_tables, write_pairs
from polyprobe.analysis.tables.logged_scores import logged_numbers, logged_tables
from polyprobe.analysis.tables.training import training_table
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.configuration_file import KeptConfiguration

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from polyprobe.analysis.page.page_panels import Figure, Panel

TRAINED = "test"  # the stage of the scores of a trained model
Logged = tuple[Mapping[str, Table], Mapping[str, float]]
"""Tables, and numbers, by their names."""


@dataclass(frozen=True, slots=True)
class RunResults:
    """A finished run of any command."""

    run: RunDirectory
    rows: Sequence[Row]
    """Of the run; on the page of several those of all."""
    expected: Mapping[str, Any] | None = None
    """What an experiment expects of it."""

    @property
    def shown(self) -> Sequence[Row]:
        """Of what a training run probed and scored the rows before training, at the best and at the last epoch."""
        trained = next(iter(epoch_scores(self.rows, "training").values()), None)
        if trained is None:
            return self.rows
        best = [row["epoch"] for row in self.rows if row["stage"] == TRAINED and row.get("epoch") is not None]
        shown = {min(trained), max(trained), *best}
        by_epoch = (PROBING.stage, MINIMAL_SETS, GROUPS)
        return [row for row in self.rows if row["stage"] not in by_epoch or row.get("epoch") in shown]

    def of_stage(self, stage: str) -> list[Row]:
        """Returns the rows of a stage."""
        return [row for row in self.rows if row["stage"] == stage]


def run_results(path: Path, expected: Mapping[str, Any] | None = None) -> RunResults:
    """Reads a finished run.

    Args:
        expected: what an experiment expects of the run, or None.

    Raises:
        PolyprobeError: it is not finished.
    """
    run = RunDirectory(Path(path))
    try:
        return RunResults(run, run.rows(), expected)
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error


class ResultKind:
    """A kind of results. Its methods import themselves what takes long, and few runs need."""

    title: str
    """Of its part of a page."""
    job_type: str | None = None
    """Of its runs on a dashboard; None where they are on none."""
    scores: Kind | None = None
    """The lines and columns of its scores, where it has such."""

    def is_in(self, results: RunResults) -> bool:
        """Says whether a run has results of this kind."""
        raise NotImplementedError

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        """Returns tables by what they are about, which names their files."""
        raise NotImplementedError

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        """Yields pictures with the names of their files; of percentages with this axis."""
        raise NotImplementedError

    def figures(self, results: RunResults) -> Sequence["Figure"]:
        """Returns what is drawn on the page."""
        return ()

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        """Returns what else stands on the page of a single run."""
        return ()

    def sentence(self, results: RunResults) -> str:
        """Says what was found, as far as it can be defended; "" where nothing is to be said."""
        return ""

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
    job_type = "training"

    def is_in(self, results: RunResults) -> bool:
        return bool(results.of_stage(TRAINED))

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {"training": [training_table(results.rows)]}

    def pictures(self, results: RunResults, axis: str) -> Iterator[tuple[str, "Picture"]]:
        from polyprobe.analysis.pictures.curves import training_figure

        if epoch_scores(results.rows, "training"):
            yield "training", training_figure(results.rows, axis)

    def figures(self, results: RunResults) -> Sequence["Figure"]:
        from polyprobe.analysis.page.page_panels import training_figures

        return training_figures(results.rows)

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import trained

        return trained(results.rows)

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.page_panels import training_panels

        return training_panels(results.run, results.rows)

    def logged(self, results: RunResults) -> Logged:
        scores = [row for row in results.of_stage(TRAINED) if not row.get("test")]
        return {}, {f"{row['split']}/{row['metric']}": row["value"] for row in scores}


class Scores(ResultKind):
    """Scores in lines and columns: a title, files and figures as their kind says."""

    name: str
    """Of the files of tables and pictures."""
    pairing: Pairing
    """By which two runs are compared."""

    @property
    def scores(self) -> Kind:
        return self.pairing.kind

    @property
    def title(self) -> str:
        return self.scores.title

    @property
    def job_type(self) -> str:
        return self.scores.stage

    def is_in(self, results: RunResults) -> bool:
        return bool(self.scores.rows(results.rows))

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {self.name: self.pairing.tables(results.shown)}

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        from polyprobe.analysis.pictures.of_run import figures_of_kind

        return figures_of_kind(self.scores, results.rows, self.name, axis)

    def figures(self, results: RunResults) -> Sequence["Figure"]:
        from polyprobe.analysis.page.page_panels import score_figures

        return score_figures(self.scores, results.rows)

    def logged(self, results: RunResults) -> Logged:
        return logged_tables(results.run), logged_numbers(results.rows)


class Probing(Scores):
    """Accuracies of probes."""

    name = "probing"
    pairing = PROBES

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        from polyprobe.analysis.pictures.of_run import probing_figures

        return probing_figures(results.rows, axis)

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import probed, risen

        return f"{probed(results.run, results.rows)} {risen(results.run, results.rows)}".strip()

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.single_items import predictions_panels

        return predictions_panels(results.run)

    def details(self, results: RunResults) -> Sequence[Path]:
        return write_details(results.run)


class MinimalSets(Scores):
    """Accuracies in minimal sets."""

    name = "minimal_sets"
    pairing = SETS

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.single_items import minimal_set_panels, region_panels

        return [*minimal_set_panels(results.run, results.rows), *region_panels(results.run)]

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import scored_sets

        return scored_sets(results.run, results.rows)


class DownstreamTasks(Scores):
    """Scores of SentEval's downstream tasks."""

    name = "downstream_tasks"
    pairing = TASKS

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import scored_tasks

        return scored_tasks(results.rows)

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.single_items import predictions_panels

        return predictions_panels(results.run)

    def details(self, results: RunResults) -> Sequence[Path]:
        return write_details(results.run)


class Neurons(ResultKind):
    """Neurons ranked, kept alone, counted by layer."""

    title = "Neurons"
    job_type = NEURONS

    def is_in(self, results: RunResults) -> bool:
        return bool(results.of_stage(NEURONS))

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        tolerance = KeptConfiguration(results.run.configuration()).tolerance
        return {"neurons": neuron_tables(results.of_stage(NEURONS), tolerance)}

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        from polyprobe.analysis.neurons.ablation_pictures import kept_figures

        return kept_figures(results.of_stage(NEURONS), axis)

    def figures(self, results: RunResults) -> Sequence["Figure"]:
        from polyprobe.analysis.page.page_panels import neuron_figures

        return neuron_figures(results.of_stage(NEURONS))

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import minimal_neurons

        return minimal_neurons(results.rows)

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.single_items import activation_panels

        return activation_panels(results.run)

    def details(self, results: RunResults) -> Sequence[Path]:
        """Returns the files that the work itself has written."""
        return sorted(results.run.path.glob("*.csv"))

    def logged(self, results: RunResults) -> Logged:
        return logged_neurons(results.of_stage(NEURONS))


class Similarities(ResultKind):
    """All layers of runs compared with each other."""

    title = "Similarity of layers"
    job_type = SIMILARITY

    def is_in(self, results: RunResults) -> bool:
        return bool(results.of_stage(SIMILARITY))

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        return {"similarity": [table for grid in grids_of(results.rows) for table in similarity_tables(grid)]}

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        from polyprobe.analysis.similarity.similarity_pictures import similarity_pictures

        return similarity_pictures(grids_of(results.rows), axis)

    def figures(self, results: RunResults) -> Sequence["Figure"]:
        from polyprobe.analysis.page.page_panels import similarity_figures

        return similarity_figures(results.rows)

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import nearest_layers

        return " ".join(map(nearest_layers, grids_of(results.rows)))

    def details(self, results: RunResults) -> Sequence[Path]:
        return write_pairs(results.run, results.rows)

    def logged(self, results: RunResults) -> Logged:
        return logged_similarities(results.rows)


class MadeSets(ResultKind):
    """Probing tests, minimal sets or text that generate.py made; they have no rows."""

    title = "Made sets"

    def is_in(self, results: RunResults) -> bool:
        return not results.rows

    def tables(self, results: RunResults) -> Mapping[str, Sequence[Table]]:
        from polyprobe.analysis.reports.generated import tables_of_made

        return tables_of_made(results.run, results.expected)

    def pictures(self, results: RunResults, axis: str) -> Iterable[tuple[str, "Picture"]]:
        from polyprobe.analysis.reports.generated import label_figures

        return label_figures(results.run)

    def sentence(self, results: RunResults) -> str:
        from polyprobe.analysis.page.first_sentence import made

        return made(results.run.record())

    def panels(self, results: RunResults) -> Sequence["Panel"]:
        from polyprobe.analysis.page.single_items import made_panels

        return made_panels(results.run)

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


def kinds_of(results: RunResults) -> list[ResultKind]:
    """Returns the kinds of results that a run has, in the order of reports."""
    return [kind for kind in RESULT_KINDS if kind.is_in(results)]


def tables_of(results: RunResults) -> dict[str, Sequence[Table]]:
    """Returns all tables of a run by what they are about, which names their files."""
    return {name: tables for kind in kinds_of(results) for name, tables in kind.tables(results).items()}


def first_sentence(results: RunResults) -> str:
    """Says what a run found: layers chosen on dev, differences tested and corrected; "" where nothing is to be said."""
    return " ".join(filter(None, (kind.sentence(results) for kind in kinds_of(results))))
