"""Formats the tables of a sweep, for the terminal and as files: status of each job, means over seeds."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from src.analysis.output.csv_files import empty_where_none, write_table
from src.analysis.output.marks import BELOW
from src.analysis.output.table_files import say_files, write_tables, write_texts
from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.analysis.results.rows import metric_in_words, percent_sign, written_score
from src.analysis.tables.runs_of_sweep import table_of_runs
from src.analysis.tables.sweep_scores import SEED, MeanLine, Score, SweepLine, mean_lines, sweep_lines
from src.display.shown import cut
from src.runs.command.sweep import Sweep

LONGEST_REASON = 200  # characters on the terminal; the file has all


def write_and_show_tables(folder: Path) -> None:
    """Prints the tables of a sweep and writes them next to its records: table, of probing runs
    all tests side by side and, over seeds, means.

    As CSV they have all that is known as numbers, as Markdown and LaTeX what is printed.

    Args:
        folder: of the sweep.
    """
    sweep = Sweep(folder)
    lines = sweep_lines(sweep)
    print()
    jobs = _jobs_table(sweep, lines)
    show(jobs)
    files = [[write_table(sweep.folder / "table.csv", *_jobs_file(sweep.keys, lines))]]
    files[-1] += write_texts(sweep.folder / "table", [jobs])
    beside = table_of_runs(lines)
    if beside is not None:
        show(beside)
        files.append(write_tables(sweep.folder / "probing", [beside]))
    if SEED in sweep.keys:
        means = mean_lines(lines)
        keys = [key for key in sweep.keys if key != SEED]
        files.append([write_table(sweep.folder / "means.csv", *_means_file(keys, means))])
        if means:
            table = _means_table(keys, means)
            show(table)
            files[-1] += write_texts(sweep.folder / "means", [table])
    for written in files:
        say_files(written)


def _jobs_table(sweep: Sweep, lines: Sequence[SweepLine]) -> TitledTable:
    has_layers = any(line.score and line.score.layer for line in lines)
    has_baseline = any(line.score and line.score.baseline is not None for line in lines)
    sign = percent_sign(line.score.metric for line in lines if line.score)
    left = [*sweep.keys, "status", *(["layer"] if has_layers else []), "metric"]
    table = new_table(left, [f"test{sign}", *(["baseline"] if has_baseline else [])])
    table.add_column("reason", overflow="fold")
    for line in lines:
        layer = [line.score.layer if line.score else ""] if has_layers else []
        metric = metric_in_words(line.score.metric) if line.score else ""
        cells = [_score(line.score), _baseline(line.score)] if has_baseline else [_score(line.score)]
        table.add_row(*line.values.values(), line.status, *layer, metric, *cells, _shortened(line.reason))
    return TitledTable(f"Sweep {sweep.name}: {_counts(sweep)}", table, _notes(lines))


def _score(score: Score | None) -> str:
    """Writes a score, a mark where its baseline is better, and half its interval: "59.1↓ ±2.3"."""
    if score is None:
        return "-"
    low, high = score.interval_low, score.interval_high
    half = "" if low is None or high is None else f" ±{written_score(score.metric, (high - low) / 2)}"
    return f"{written_score(score.metric, score.value)}{_mark(score)}{half}"


def _mark(score: Score | MeanLine) -> str:
    return BELOW if score.is_below_baseline else ""


def _baseline(score: Score | MeanLine | None) -> str:
    return "-" if score is None else written_score(score.metric, score.baseline)


def _counts(sweep: Sweep) -> str:
    statuses = Counter(record.status if record else "not begun" for record in sweep.records())
    return f"{statuses.total()} jobs, {', '.join(f'{n} {status}' for status, n in statuses.items())}"


def _notes(lines: Sequence[SweepLine]) -> list[str]:
    scores = [line.score for line in lines if line.score]
    n_tests = sorted({score.n_tests for score in scores if score.n_tests})
    notes = [f"Accuracy: the mean of {' or '.join(map(str, n_tests))} probing tests."] if n_tests else []
    if any(score.baseline is not None and score.n_tests for score in scores):
        notes.append("baseline: the memoriser, the mean of the same tests.")
    if any(score.interval_low is not None for score in scores):
        notes.append("±: half the 95 % bootstrap interval.")
    return [*notes, *_below(scores)]


def _below(scores: Sequence[Score | MeanLine]) -> list[str]:
    return [f"{BELOW} worse than its baseline."] if any(score.is_below_baseline for score in scores) else []


def _means_table(keys: Sequence[str], means: Sequence[MeanLine]) -> TitledTable:
    has_layers = any(line.layer for line in means)
    has_baseline = any(line.baseline is not None for line in means)
    sign = percent_sign(line.metric for line in means)
    left, right = [*keys, *(["layer"] if has_layers else []), "metric"], [f"mean{sign}", "sd", "n"]
    table = new_table(left, [*right, "baseline"] if has_baseline else right)
    for line in means:
        layer = [line.layer] if has_layers else []
        mean = f"{written_score(line.metric, line.mean)}{_mark(line)}"
        numbers = [mean, written_score(line.metric, line.deviation), str(line.n)]
        baseline = [_baseline(line)] if has_baseline else []
        table.add_row(*line.values.values(), *layer, metric_in_words(line.metric), *numbers, *baseline)
    unit = ", in percentage points" if sign else ""
    return TitledTable("Over seeds", table, [f"sd: sample standard deviation over n seeds{unit}.", *_below(means)])


def _jobs_file(keys: Sequence[str], lines: Sequence[SweepLine]) -> tuple[list[str], list[list]]:
    header = [
        *keys,
        "status",
        "reason",
        "metric",
        "layer",
        "n_tests",
        "test",
        "baseline",
        "interval_low",
        "interval_high",
        "run",
    ]
    return header, [
        [*line.values.values(), line.status, line.reason, *_score_cells(line), line.run or ""] for line in lines
    ]


def _score_cells(line: SweepLine) -> list:
    if line.score is None:
        return [""] * 7
    score = line.score
    numbers = [score.value, score.baseline, score.interval_low, score.interval_high]
    return [score.metric, score.layer, score.n_tests or "", *map(empty_where_none, numbers)]


def _means_file(keys: Sequence[str], means: Sequence[MeanLine]) -> tuple[list[str], list[list]]:
    header = [*keys, "metric", "layer", "n_tests", "mean", "sd", "n", "baseline"]
    return header, [
        [
            *line.values.values(),
            line.metric,
            line.layer,
            line.n_tests or "",
            empty_where_none(line.mean),
            empty_where_none(line.deviation),
            line.n,
            empty_where_none(line.baseline),
        ]
        for line in means
    ]


def _shortened(reason: str) -> str:
    return cut(" ".join(reason.split()), LONGEST_REASON)
