"""The kinds of scores: what a line and a column of each are, which row stands for a cell, what a run keeps of single
items, what is said of it.

A further kind is a `Kind` of `KINDS` here, and a class of `polyprobe.analysis.reports.result_kinds` that says what is
tabled and told of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from polyprobe.analysis.results.rows import Row, probing_rows, rests_on_one_seed
from polyprobe.metrics.probe_metrics import COLUMNS_OF_LAYERS
from polyprobe.runs.array_records import ArrayRecord, PredictedScores, Predictions, SetScores
from polyprobe.runs.directory import RunDirectory

DOWNSTREAM_TASK = "downstream_task"  # the stage
COSINE = "cosine"  # the manner of which a task with a regression has rows, too
WHOLE = "test"  # the split of a row about all of a task
MINIMAL_SETS = "minimal_sets"  # the stage
GROUPS = "minimal_set_groups"  # the stage of groups of constructions
AVERAGE = "average"  # name of the mean over constructions
ACCURACY = "accuracy"  # the metric of the main table
METRICS = (ACCURACY, "accuracy_focus", "accuracy_per_token", "accuracy_per_character")
"""Of minimal sets, that of the main table first."""
BASELINES_OF_LAYERS = {column.name: column.header for column in COLUMNS_OF_LAYERS if column.is_baseline}
"""Columns of rows of what each layer is compared with, with what they are called."""
OF_ONE_TASK = ("run", "suite", "lang", "test", "split", "layer", "epoch")
OF_ONE_MODEL = ("run", "suite", "lang", "predictor")


@dataclass(frozen=True)
class Kind:
    """One kind of scores: lines are tests, tasks or constructions, columns runs with their layers and epochs."""

    name: str
    """Of the files of tables and pictures."""
    stage: str
    """That the rows say."""
    column: tuple[str, ...]
    """The columns of rows that tell the columns of a table apart: the run first, the epoch last."""
    model: str
    """The column of rows that says what kind of model a run is about."""
    noun: str
    """What a line is, above the lines."""
    items: str
    """What a score rests on, in words."""
    title: str
    """What a table or picture shows, in words."""
    said: tuple[str, ...]
    """The columns of rows that titles say."""
    axis: str
    """What the scores are, at the axis of a picture."""
    cells: Callable[[Sequence[Row], str], list[Row]]
    """Which rows of this stage, of a metric, stand for a cell: one for each line and column, seeds averaged."""
    has_one_seed: Callable[[Row], bool]
    """Whether a score rests on one seed, where others rest on several."""
    records: Mapping[str, type[ArrayRecord]]
    """What runs keep of single items, by its folder in a run: by these two of them are paired and compared."""
    absent: str
    """What is said of a run that keeps none."""
    scored: str
    """What its runs scored, in words."""
    difference: str
    """What is said above a table of two runs."""
    example: str
    """A list of tests, for errors."""
    tests: str = "tests"
    """What a suite has, in words."""
    choice: str = "test"
    """What an error calls the name of one."""
    metric: str = ACCURACY
    grouping: str | None = None
    """By what constructions are grouped; None for those themselves."""
    interval: str = ""
    """Over what the bootstrap interval is."""
    baselines: Mapping[str, str] = field(default_factory=dict)
    """What a line is compared with, the same in all columns of a table: columns of rows, with what they are called."""
    marks_below: bool = False
    """Whether a score below one of these is marked."""
    score: str = ACCURACY
    """What the only column of scores is headed, where nothing tells it from others."""
    has_sizes: bool = True
    """Whether pictures say how many items there are where these are few."""

    @property
    def is_of_sets(self) -> bool:
        """Whether runs keep scores of minimal sets, by models; else predictions for items, by layers."""
        return SetScores in self.records.values()

    @property
    def by(self) -> str:
        """How its lines are grouped, in titles."""
        return f" by {self.grouping}" if self.grouping else ""

    def of_stage(self, rows: Iterable[Row]) -> list[Row]:
        """Returns all rows of this kind."""
        of_stage = [row for row in rows if row["stage"] == self.stage]
        return of_stage if self.grouping is None else [row for row in of_stage if row.get("grouping") == self.grouping]

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """Returns the row that stands for each cell."""
        return self.cells(self.of_stage(rows), self.metric)

    def records_of(self, run: RunDirectory) -> list[ArrayRecord]:
        """Reads what a run keeps of single items, a record for each test."""
        return [record.read(path) for folder, record in self.records.items() for path in run.arrays(run.path / folder)]

    def has_records(self, run: RunDirectory) -> bool:
        """Says whether a run keeps something of single items."""
        return any(run.arrays(run.path / folder) for folder in self.records)

    def of_metric(self, metric: str) -> Self:
        """Returns this kind of another metric than its main one."""
        return replace(self, metric=metric)


def task_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns the rows about downstream tasks, seeds averaged."""
    return [row for row in rows if row["stage"] == DOWNSTREAM_TASK and row.get("seed") is None]


def headline_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns the one score of each task, layer and epoch that stands for it.

    That is accuracy; or Pearson's correlation of what a regression predicts, or else of cosines, for a task of several
    data sets the mean over them.
    """
    chosen: dict[tuple, Row] = {}
    for row in task_rows(rows):
        if row["metric"] not in (ACCURACY, "pearson") or row["split"] != WHOLE:
            continue
        key = tuple(map(row.get, OF_ONE_TASK))
        if key not in chosen or chosen[key].get("probe") == COSINE:
            chosen[key] = row
    return list(chosen.values())


def _scored_models(rows: Sequence[Row], metric: str) -> list[Row]:
    """Returns one row for each construction, language, predictor and epoch: averaged over seeds, or of the only model.

    Rows about all constructions together (test "") are left out: tables make their own average.
    """
    found = [row for row in rows if row["metric"] == metric and row.get("test")]
    averaged = {_model(row) for row in found if row.get("seed") is None}
    return [row for row in found if row.get("seed") is None or _model(row) not in averaged]


PROBING = Kind(
    name="probing",
    stage="probing",
    column=("run", "layer", "epoch"),
    model="encoder",
    noun="test",
    items="test items",
    title="Probing accuracy",
    said=("lang", "suite", "encoder", "probe"),
    axis="accuracy (%)",
    cells=lambda rows, _: probing_rows(rows),
    has_one_seed=rests_on_one_seed,
    records={"predictions": Predictions},
    absent="predictions of test items. Expected a finished run of probe.py in which probes were trained",
    scored="probes",
    difference="Difference of accuracy",
    example="[Case,Tense]",
    interval="±: half-width of the 95 % bootstrap CI over test items.",
    baselines={"majority": "majority", "memoriser": "memoriser", "length": "length"},
    marks_below=True,
)
DOWNSTREAM_TASKS = Kind(
    name="downstream_tasks",
    stage=DOWNSTREAM_TASK,
    column=("run", "layer", "epoch"),
    model="encoder",
    noun="task",
    items="items",
    title="Downstream tasks",
    said=("lang", "suite", "encoder"),
    axis="accuracy (%), or Pearson's correlation x 100",
    cells=lambda rows, _: headline_rows(rows),
    has_one_seed=lambda row: row.get("n_seeds") == 1,
    records={"predictions": Predictions, "predicted_scores": PredictedScores},
    absent="predictions. Expected a finished run of downstream tasks",
    scored="downstream tasks",
    difference="Difference of scores",
    example="[MR,STS14]",
    tests="tasks",
    interval="±: half-width of the 95 % bootstrap CI over items, resampled within each data set.",
    baselines={"majority": "largest class", "length": "length"},
    score="score",
    has_sizes=False,
)
CONSTRUCTIONS = Kind(
    name="minimal_sets",
    stage=MINIMAL_SETS,
    column=("run", "lang", "predictor", "epoch"),
    model="predictor",
    noun="construction",
    items="sets",
    title="Accuracy in minimal sets",
    said=("lang", "suite", "predictor"),
    axis="accuracy (%)",
    cells=_scored_models,
    has_one_seed=lambda row: row.get("seed") is not None or row.get("n_seeds") == 1,
    records={"set_scores": SetScores},
    absent="scores of single sets, as runs of probe.py have",
    scored="minimal sets",
    difference="Difference of accuracy in minimal sets",
    example="[simple_agrmt,vp_coord]",
    tests="sets",
    choice="construction",
    interval="( ): 95 % cluster bootstrap CI over lemmas of the critical word; anti-conservative with few lemmas.",
)
KINDS = (PROBING, CONSTRUCTIONS, DOWNSTREAM_TASKS)
OF_CHECKPOINTS = (*(kind.stage for kind in KINDS), GROUPS)  # stages of what is found of a checkpoint


def groups_of(grouping: str) -> Kind:
    """Returns the kind of groups of constructions ("phenomenon")."""
    return replace(CONSTRUCTIONS, stage=GROUPS, noun=grouping, grouping=grouping)


def groupings(rows: Iterable[Row]) -> list[str]:
    """Names the ways in which rows group constructions ("phenomenon"), in their order."""
    return list(dict.fromkeys(row["grouping"] for row in rows if row["stage"] == GROUPS and row.get("grouping")))


def n_ties(row: Row, rows: Iterable[Row]) -> float | None:
    """Returns how many sets of a row tie: its own count, or the mean over the seeds that it averages."""
    if row.get("ties") is not None:
        return row["ties"]
    of_seeds = [one["ties"] for one in rows if one.get("ties") is not None and _is_averaged_by(one, row)]
    return sum(of_seeds) / len(of_seeds) if of_seeds else None


def share_unscored(row: Row) -> float | None:
    """Returns the share of the sets of a row that are left out."""
    n_skipped = row.get("skipped")
    return n_skipped / (n_skipped + row["n"]) if n_skipped else n_skipped


def worth_of_ties(rows: Iterable[Row]) -> str | None:
    """Says what accuracies in minimal sets take a tie for, as far as rows with ties show it; None where none does."""
    for row in rows:
        if row.get("scorer") == "released":
            return "As in the released scorer: ties count as correct, and one correct set is added"
        if row.get("ties") and row["value"] is not None:
            share = (row["value"] * row["n"] - row["correct"]) / row["ties"]
            return f"A tie counts as {['wrong', 'half correct', 'correct'][round(2 * share)]}"
    return None


def _model(row: Row) -> tuple:
    return tuple(map(row.get, OF_ONE_MODEL))


def _is_averaged_by(row: Row, average: Row) -> bool:
    is_alike = all(row.get(column) == average.get(column) for column in ("stage", "test", "metric"))
    return is_alike and _model(row) == _model(average) and average.get("epoch") in (None, row.get("epoch"))
