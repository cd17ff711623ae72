"""Formats the tables of a sweep, for the terminal and as files: status of each job, means over seeds."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.analysis.output.tables import (
    BELOW,
    NOTHING,
    Cells,
    Printable,
    Table,
    empty_where_none,
    files_line,
    write_table,
    write_tables,
    write_texts,
)
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS
from polyprobe.analysis.results.kinds import headline_rows
from polyprobe.analysis.results.rows import (
    ONE_SIDED,
    Row,
    distinct,
    interval_behind,
    is_one_sided,
    notes_on_metrics,
    percent_sign,
    probing_rows,
    written_score,
)
from polyprobe.analysis.tables.score_tables import downstream_tables, probing_table
from polyprobe.analysis.tables.sweep_scores import Score
from polyprobe.analysis.tables.training import WORSE, baseline_in_words
from polyprobe.display.shown import cut
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.sweep import JobRecord, Sweep, key_of
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import metric_in_words

SEED = "seed"
NOT_BEGUN = JobRecord((), "not begun")
MOST_COLUMNS = 40
LONGEST_REASON = 200  # characters on the terminal; the file has all


@dataclass(frozen=True, slots=True)
class SweepLine:
    """One job of a sweep with one of its scores, or the jobs that differ in their seed alone with the mean of one.

    A job without a score has one line.
    """

    values: Mapping[str, str]
    """Of the swept keys, as typed; of several jobs without the seed."""
    status: str = ""
    reason: str = ""
    """As in the job's record, or "not begun"; of several jobs nothing."""
    score: Score | None = None
    run: Path | None = None


def sweep_lines(sweep: Sweep) -> list[SweepLine]:
    """Reads the outcomes of the jobs of a sweep, with the scores of the finished ones."""
    keys = sweep.keys
    return [
        line
        for job, record in zip(sweep.jobs, sweep.records(), strict=True)
        for line in _lines_of_job(sweep.folder, _values(job, keys), record or NOT_BEGUN)
    ]


def mean_lines(lines: Iterable[SweepLine]) -> list[SweepLine]:
    """Averages over seeds what is equal in everything else, in the order of the lines; a run counts once."""
    groups: dict[tuple, dict[Path | None, Score]] = {}
    for line in lines:
        if line.score is not None:
            others = tuple((key, value) for key, value in line.values.items() if key != SEED)
            groups.setdefault((others, line.score.layer, line.score.metric, line.score.n_tests), {})[line.run] = (
                line.score
            )
    return [SweepLine(dict(key[0]), score=_mean(list(of_runs.values()))) for key, of_runs in groups.items()]


def _mean(scores: Sequence[Score]) -> Score:
    """Averages the seeds that have a value, and their baselines; the probes of the others failed."""
    known = [score for score in scores if not math.isnan(score.value)]
    mean, deviation = mean_and_deviation([score.value for score in known]) if known else (math.nan, None)
    baselines = [score.baseline for score in known if score.baseline is not None]
    baseline = statistics.fmean(baselines) if baselines else None
    first = scores[0]
    of_mean = {"baseline_name": first.baseline_name, "n": len(known), "deviation": deviation}
    return Score(first.metric, first.layer, mean, first.n_tests, baseline, **of_mean)


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Returns the mean and the sample standard deviation, which one value does not have."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


def run_scores(run: RunDirectory) -> list[Score]:
    """Returns the scores of the first kind of results that a run has: see `ResultKind.of_job`."""
    try:
        rows, config = run.rows(), run.configuration()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{error.filename} is not there: {run.path} is not finished.") from error
    return next(filter(None, (kind.of_job(rows, config) for kind in RESULT_KINDS)), [])


def _values(job: Sequence[str], keys: Sequence[str]) -> dict[str, str]:
    typed = {key_of(one): one.partition("=")[2] for one in job}
    return {key: typed.get(key, "") for key in keys}


def _lines_of_job(folder: Path, values: Mapping[str, str], record: JobRecord) -> list[SweepLine]:
    run = (folder / record.run).resolve() if record.run else None
    try:
        scores = run_scores(RunDirectory(run)) if run else []
    except PolyprobeError as error:
        return [SweepLine(values, record.status, str(error), None, run)]
    return [SweepLine(values, record.status, record.reason, score, run) for score in scores or [None]]


def table_of_runs(lines: Iterable[SweepLine]) -> Table | None:
    """Formats the accuracies of a sweep's probing runs side by side, or its scores on downstream tasks.

    Returns:
        None where fewer than two runs probed, where they asked other tests or tasks, languages or items, or where there
        are too many columns to read.
    """
    runs = list(dict.fromkeys(line.run for line in lines if line.run is not None and line.score is not None))
    found = [row for run in runs for row in RunDirectory(run).rows()]
    probed = probing_rows(found)
    rows = probed or headline_rows(found)
    n_columns = len(distinct(rows, "run", "layer", "epoch"))
    if len(distinct(rows, "run")) < 2 or n_columns > MOST_COLUMNS or not _asked_the_same(rows):
        return None
    return probing_table(rows) if probed else downstream_tables(rows)[0]


def _asked_the_same(rows: Sequence[Row]) -> bool:
    items = {(row["test"], row["n"], row.get("majority")) for row in rows}
    return len(distinct(rows, "suite", "lang")) == 1 and len(items) == len(distinct(rows, "test"))


def written_tables(sweep: Sweep, lines: Sequence[SweepLine]) -> Iterator[Printable]:
    """Yields the tables of a sweep, which are written next to its records: of all jobs; of probing runs all tests side
    by side; over seeds, means.

    As CSV they have all that is known as numbers, as Markdown and LaTeX what is printed.

    Args:
        lines: of the sweep, see `sweep_lines`.
    """
    folder = sweep.folder
    jobs = _jobs_table(sweep, lines)
    yield jobs
    files = [[_file(folder / "table.csv", lines, sweep.keys, _OF_JOBS), *write_texts(folder / "table", [jobs])]]
    beside = table_of_runs(lines)
    if beside is not None:
        yield beside
        files.append(write_tables(folder / "probing", [beside]))
    if SEED in sweep.keys:
        means = mean_lines(lines)
        keys = [key for key in sweep.keys if key != SEED]
        files.append([_file(folder / "means.csv", means, keys, _OF_MEANS)])
        if means:
            table = _means_table(keys, means)
            yield table
            files[-1] += write_texts(folder / "means", [table])
    yield from map(files_line, files)


def _jobs_table(sweep: Sweep, lines: Sequence[SweepLine]) -> Table:
    scores = [line.score for line in lines if line.score]
    left = {**_swept(sweep.keys), "status": lambda line: line.status}
    right = {f"test{_sign(scores)}": lambda line: _score(line.score)}
    last = {"reason": lambda line: cut(" ".join(line.reason.split()), LONGEST_REASON)}
    statuses = Counter(record.status if record else "not begun" for record in sweep.records())
    counts = ", ".join(f"{n} {status}" for status, n in statuses.items())
    table = Table.of(lines, left | _which(scores), right | _baselines(scores), last)
    return table.titled(f"Sweep {sweep.name}: {statuses.total()} jobs, {counts}", _notes(scores))


def _means_table(keys: Sequence[str], means: Sequence[SweepLine]) -> Table:
    scores, sign = [line.score for line in means], _sign(line.score for line in means)
    right = {
        f"mean{sign}": lambda line: _score(line.score),
        "sd": lambda line: written_score(line.score.metric, line.score.deviation),
        "n": lambda line: str(line.score.n),
    }
    unit = ", in percentage points" if sign else ""
    table = Table.of(means, _swept(keys) | _which(scores), right | _baselines(scores))
    return table.titled("Over seeds", [f"sd: sample standard deviation over n seeds{unit}.", *_on_baselines(scores)])


def _swept(keys: Iterable[str]) -> Cells:
    return {key: lambda line, key=key: line.values[key] for key in keys}


def _which(scores: Iterable[Score]) -> Cells:
    """Returns the columns that say what a score is: the layer where a score has one, the metric."""
    layer = {"layer": lambda line: line.score.layer if line.score else ""}
    metric = {"metric": lambda line: metric_in_words(line.score.metric) if line.score else ""}
    return {**(layer if any(score.layer for score in scores) else {}), **metric}


def _baselines(scores: Iterable[Score]) -> Cells:
    """Returns the column of baselines, where a score has one."""
    cell = {"baseline": lambda line: written_score(line.score.metric, line.score.baseline) if line.score else NOTHING}
    return cell if any(score.baseline is not None for score in scores) else {}


def _sign(scores: Iterable[Score]) -> str:
    return percent_sign(score.metric for score in scores)


def _score(score: Score | None) -> str:
    """Writes a score, a mark where its baseline is better, and half its interval: "59.1↓ ±2.3"."""
    if score is None:
        return NOTHING
    interval = interval_behind(score.metric, score.value, score.interval_low, score.interval_high)
    return f"{written_score(score.metric, score.value)}{BELOW if score.is_below_baseline else ''}{interval}"


def _notes(scores: Sequence[Score]) -> list[str]:
    n_tests = sorted({score.n_tests for score in scores if score.n_tests})
    notes = [f"Accuracy: mean over {' or '.join(map(str, n_tests))} probing tests."] if n_tests else []
    if any(score.baseline is not None and score.n_tests for score in scores):
        notes.append("baseline: memoriser (majority training label of the identical item), mean over the same tests.")
    if any(score.interval_low is not None for score in scores):
        notes.append("±: half-width of the 95 % bootstrap CI.")
    if any(is_one_sided(score.value, score.interval_low, score.interval_high) for score in scores):
        notes.append(ONE_SIDED)
    return [*notes, *_on_baselines(scores)]


def _on_baselines(scores: Sequence[Score]) -> list[str]:
    """Names the baselines of trained models, explains the mark of worse scores, says where less is better."""
    names = dict.fromkeys(baseline_in_words(score.baseline_name) for score in scores if score.baseline_name)
    return [
        *([f"baseline: {', '.join(names)}."] if names else []),
        *([WORSE] if any(score.is_below_baseline for score in scores) else []),
        *notes_on_metrics(score.metric for score in scores),
    ]


def _file(path: Path, lines: Iterable[SweepLine], keys: Sequence[str], columns: Cells) -> Path:
    """Writes lines as CSV: their swept keys, then columns."""
    cells = {**_swept(keys), **columns}
    return write_table(path, [*cells], ([empty_where_none(cell(line)) for cell in cells.values()] for line in lines))


def _of_score(**columns: str) -> Cells:
    """Returns columns with a field of the score each."""
    return {
        header: lambda line, name=name: getattr(line.score, name) if line.score else None
        for header, name in columns.items()
    }


_SCORED = {name: name for name in ("metric", "layer", "n_tests")}
_OF_JOBS: Cells = {
    "status": lambda line: line.status,
    "reason": lambda line: line.reason,
    **_of_score(
        **_SCORED, test="value", baseline="baseline", interval_low="interval_low", interval_high="interval_high"
    ),
    "run": lambda line: line.run,
}
_OF_MEANS = _of_score(**_SCORED, mean="value", sd="deviation", n="n", baseline="baseline")
