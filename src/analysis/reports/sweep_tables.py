"""The end of a sweep, printed and as files: its jobs counted, those that did not finish named, means over seeds."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from polyprobe.analysis.output.tables import (
    BELOW,
    Cells,
    Printable,
    Table,
    empty_where_none,
    files_line,
    write_table,
    write_tables,
    write_texts,
)
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS, Score
from polyprobe.analysis.results.kinds import headline_rows
from polyprobe.analysis.results.rows import Row, distinct, notes_on_metrics, percent_sign, probing_rows, written_score
from polyprobe.analysis.tables.score_tables import downstream_tables, probing_table
from polyprobe.analysis.tables.training import WORSE
from polyprobe.display.shown import cut, plural
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.sweep import FAILED, FINISHED, INTERRUPTED, JobRecord, Sweep, key_of
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import is_worse, metric_in_words

SEED = "seed"
NOT_BEGUN = "not begun"
MOST_COLUMNS = 40
_SCORED = ("metric", "layer", "n_tests")  # fields of scores
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
    n: int = 1
    """How many seeds the score averages: those that have a value."""
    deviation: float | None = None
    """The sample standard deviation over these (n - 1 below the line); None for one seed."""


def sweep_lines(sweep: Sweep) -> list[SweepLine]:
    """Reads the outcomes of the jobs of a sweep, with the scores of the finished ones."""
    keys = sweep.keys
    return [
        line
        for job, record in zip(sweep.jobs, sweep.records(), strict=True)
        for line in _lines_of_job(sweep.folder, _values(job, keys), record or JobRecord(NOT_BEGUN))
    ]


def mean_lines(lines: Iterable[SweepLine]) -> list[SweepLine]:
    """Averages over seeds what is equal in everything else, in the order of the lines; a run counts once."""
    groups: dict[tuple, dict[Path | None, Score]] = {}
    for line in lines:
        if line.score is not None:
            others = tuple((key, value) for key, value in line.values.items() if key != SEED)
            key = (others, line.score.layer, line.score.metric, line.score.n_tests)
            groups.setdefault(key, {})[line.run] = line.score
    return [_mean(dict(key[0]), list(of_runs.values())) for key, of_runs in groups.items()]


def _mean(values: Mapping[str, str], scores: Sequence[Score]) -> SweepLine:
    """Averages the seeds that have a value, and their baselines; the probes of the others failed."""
    known = [score for score in scores if not math.isnan(score.value)]
    values_known = [score.value for score in known]
    mean = statistics.fmean(values_known) if known else math.nan
    deviation = statistics.stdev(values_known) if len(known) > 1 else None
    baselines = [score.baseline for score in known if score.baseline is not None]
    baseline = statistics.fmean(baselines) if baselines else None
    first = scores[0]
    score = Score(first.metric, first.layer, mean, first.n_tests, baseline)
    return SweepLine(values, score=score, n=len(known), deviation=deviation)


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
        return [SweepLine(values, FAILED, str(error), None, run)]
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


def report(sweep: Sweep) -> tuple[list[Printable], int]:
    """Returns what the end of a sweep prints, and how many jobs have failed or come to no end."""
    lines = sweep_lines(sweep)
    jobs = list({tuple(line.values.items()): line for line in lines}.values())
    counts = Counter(line.status for line in jobs)
    said = [f"Sweep {sweep.name}: {plural(len(jobs), 'job')}, {', '.join(f'{n} {one}' for one, n in counts.items())}"]
    for line in jobs:
        if line.status != FINISHED:
            job = " ".join(f"{key}={value}" for key, value in line.values.items())
            reason = cut(" ".join(line.reason.split()), LONGEST_REASON)
            said.append(f"  {line.status}: {job}{reason and f': {reason}'}")
    n_failed = sum(counts[status] for status in (FAILED, INTERRUPTED, NOT_BEGUN))
    return [*said, *written_tables(sweep, lines)], n_failed


def written_tables(sweep: Sweep, lines: Sequence[SweepLine]) -> Iterator[Printable]:
    """Yields the tables of a sweep, which are written next to its records: of probing runs all tests side by side; of
    all, means over seeds.

    As CSV they have all that is known as numbers, as Markdown and LaTeX what is printed; table.csv has each job. No
    file is named before a job has finished.

    Args:
        lines: of the sweep, see `sweep_lines`.
    """
    folder, keys = sweep.folder, sweep.keys
    files = [[_write_jobs(folder / "table.csv", keys, lines)]]
    if (beside := table_of_runs(lines)) is not None:
        yield beside
        files.append(write_tables(folder / "probing", [beside]))
    if means := mean_lines(lines):
        keys = [key for key in keys if key != SEED]
        table = _means_table(keys, means).titled("Over seeds" if SEED in sweep.keys else "Scores", _notes(means))
        yield table
        files.append([_write_means(folder / "means.csv", keys, means), *write_texts(folder / "means", [table])])
    if any(line.status == FINISHED for line in lines):
        yield from map(files_line, files)


def _means_table(keys: Sequence[str], means: Sequence[SweepLine]) -> Table:
    scores = [line.score for line in means]
    left: Cells = {key: lambda line, key=key: line.values[key] for key in keys}
    if any(score.layer for score in scores):
        left["layer"] = lambda line: line.score.layer
    left["metric"] = lambda line: metric_in_words(line.score.metric)
    right = {f"test{percent_sign(score.metric for score in scores)}": _score, "n": lambda line: str(line.n)}
    if any(score.baseline is not None for score in scores):
        right["baseline"] = lambda line: written_score(line.score.metric, line.score.baseline)
    return Table.of(means, left, right)


def _notes(means: Sequence[SweepLine]) -> list[str]:
    scores, notes = [line.score for line in means], []
    if any(line.deviation is not None for line in means):
        notes.append("±: sample standard deviation over n seeds.")
    n_tests = sorted({score.n_tests for score in scores if score.n_tests})
    if n_tests and n_tests != [1]:
        notes.append(f"Accuracy: mean over {' or '.join(map(str, n_tests))} probing tests.")
    if any(score.baseline is not None for score in scores):
        of_tests = "memoriser (majority training label of the identical item), mean over the same tests"
        notes.append(f"baseline: {of_tests if n_tests else 'the best trivial one of each run'}.")
    if any(map(_is_below, scores)):
        notes.append(WORSE)
    return [*notes, *notes_on_metrics(score.metric for score in scores)]


def _is_below(score: Score) -> bool:
    return score.baseline is not None and is_worse(score.metric, score.value, score.baseline)


def _score(line: SweepLine) -> str:
    """Writes a score, a mark where its baseline is better, and its standard deviation: "59.1↓ ±2.3"."""
    score = line.score
    deviation = "" if line.deviation is None else f" ±{written_score(score.metric, line.deviation)}"
    return f"{written_score(score.metric, score.value)}{BELOW if _is_below(score) else ''}{deviation}"


def _write_jobs(path: Path, keys: Sequence[str], lines: Iterable[SweepLine]) -> Path:
    """Writes the jobs of a sweep as CSV: their swept keys, how they ended, their scores."""
    header = [*keys, "status", "reason", *_SCORED, "test", "baseline", "run"]
    rows = []
    for line in lines:
        score = asdict(line.score) if line.score else {}
        cells = [line.status, line.reason, *map(score.get, (*_SCORED, "value", "baseline")), line.run]
        rows.append([*map(line.values.get, keys), *map(empty_where_none, cells)])
    return write_table(path, header, rows)


def _write_means(path: Path, keys: Sequence[str], means: Iterable[SweepLine]) -> Path:
    """Writes means over seeds as CSV, behind the swept keys."""
    rows = []
    for line in means:
        score = asdict(line.score)
        cells = [*map(score.get, (*_SCORED, "value")), line.deviation, line.n, score["baseline"]]
        rows.append([*map(line.values.get, keys), *map(empty_where_none, cells)])
    return write_table(path, [*keys, *_SCORED, "mean", "sd", "n", "baseline"], rows)
