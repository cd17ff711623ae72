"""The tables of a sweep, on the terminal and as files: what became of each job, and means over seeds."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from src.analysis.csv_table import empty_where_none, write_table
from src.analysis.layout import TitledTable, new_table, short_path, show
from src.analysis.rows import in_words, percent_sign, shown
from src.analysis.sweep_scores import SEED, MeanLine, SweepLine, mean_lines, sweep_lines
from src.formats.shown import say
from src.runs.sweep import Sweep

LONGEST_REASON = 200  # characters on the terminal; the file has all


def report_sweep(folder: Path) -> None:
    """Prints the tables of a sweep and writes them beside its records, as table.csv and, over seeds, means.csv.

    Args:
        folder: of the sweep.
    """
    sweep = Sweep(folder)
    lines = sweep_lines(sweep)
    print()
    show(_jobs_table(sweep, lines))
    files = [write_table(sweep.folder / "table.csv", *_jobs_file(sweep.keys, lines))]
    if SEED in sweep.keys:
        means = mean_lines(lines)
        keys = [key for key in sweep.keys if key != SEED]
        if means:
            show(_means_table(keys, means))
        files.append(write_table(sweep.folder / "means.csv", *_means_file(keys, means)))
    for file in files:
        say(f"table     {short_path(file)}")


def _jobs_table(sweep: Sweep, lines: Sequence[SweepLine]) -> TitledTable:
    has_layers = any(line.score and line.score.layer for line in lines)
    sign = percent_sign(line.score.metric for line in lines if line.score)
    table = new_table([*sweep.keys, "status", *(["layer"] if has_layers else []), "metric"], [f"test{sign}"])
    table.add_column("reason", overflow="fold")
    for line in lines:
        layer = [line.score.layer if line.score else ""] if has_layers else []
        metric = in_words(line.score.metric) if line.score else ""
        score = shown(line.score.metric, line.score.value) if line.score else "-"
        table.add_row(*line.values.values(), line.status, *layer, metric, score, _shortened(line.reason))
    return TitledTable(f"Sweep {sweep.name}: {_counts(sweep)}", table, _notes(lines))


def _counts(sweep: Sweep) -> str:
    statuses = Counter(record.status if record else "not begun" for record in sweep.records())
    return f"{statuses.total()} jobs, {', '.join(f'{n} {status}' for status, n in statuses.items())}"


def _notes(lines: Sequence[SweepLine]) -> list[str]:
    n_tests = sorted({line.score.n_tests for line in lines if line.score and line.score.n_tests})
    return [f"Accuracy: the mean of {' or '.join(map(str, n_tests))} probing tests."] if n_tests else []


def _means_table(keys: Sequence[str], means: Sequence[MeanLine]) -> TitledTable:
    has_layers = any(line.layer for line in means)
    sign = percent_sign(line.metric for line in means)
    table = new_table([*keys, *(["layer"] if has_layers else []), "metric"], [f"mean{sign}", "sd", "n"])
    for line in means:
        layer = [line.layer] if has_layers else []
        numbers = [shown(line.metric, line.mean), shown(line.metric, line.deviation), str(line.n)]
        table.add_row(*line.values.values(), *layer, in_words(line.metric), *numbers)
    unit = ", in percentage points" if sign else ""
    return TitledTable("Over seeds", table, [f"sd: sample standard deviation over n seeds{unit}."])


def _jobs_file(keys: Sequence[str], lines: Sequence[SweepLine]) -> tuple[list[str], list[list]]:
    header = [*keys, "status", "reason", "metric", "layer", "n_tests", "test", "run"]
    return header, [
        [*line.values.values(), line.status, line.reason, *_score_cells(line), line.run or ""] for line in lines
    ]


def _score_cells(line: SweepLine) -> list:
    if line.score is None:
        return [""] * 4
    return [line.score.metric, line.score.layer, line.score.n_tests or "", empty_where_none(line.score.value)]


def _means_file(keys: Sequence[str], means: Sequence[MeanLine]) -> tuple[list[str], list[list]]:
    header = [*keys, "metric", "layer", "n_tests", "mean", "sd", "n"]
    return header, [
        [
            *line.values.values(),
            line.metric,
            line.layer,
            line.n_tests or "",
            empty_where_none(line.mean),
            empty_where_none(line.deviation),
            line.n,
        ]
        for line in means
    ]


def _shortened(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"
