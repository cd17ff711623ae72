"""Result rows as tables on the terminal; in a pipe without colours and as wide as they are."""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.table import Table

from src.analysis.rows import (
    FEWEST_ITEMS,
    Row,
    distinct,
    epoch_scores,
    in_words,
    layers_and_epochs,
    percent,
    probing_rows,
    rests_on_few_items,
    rests_on_one_seed,
)

FEW_ITEMS, ONE_SEED = "*", "†"
COUNTED = {"test": ("suite", "test"), "layer": ("layer",), "epoch": ("epoch",)}
WIDTH_OF_PIPES = 1000  # columns; tables take what they need


@dataclass
class TitledTable:
    """A table, the line above it and the lines below it, which may be wider than the table.

    Attributes:
        title: the line above.
        body: the table.
        notes: the lines below.
    """

    title: str
    body: Table
    notes: list[str] = field(default_factory=list)


def show(*tables: TitledTable) -> None:
    """Prints tables to standard output."""
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else WIDTH_OF_PIPES
    console = Console(markup=False, highlight=False, emoji=False, force_terminal=is_terminal, width=width)
    for table in tables:
        console.print(table.title, style="bold")
        console.print(table.body)
        for note in table.notes:
            console.print(note)
        console.print()


def new_table(left: Sequence[str], right: Sequence[str]) -> Table:
    """Makes an empty table with text columns on the left and number columns on the right."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for header in left:
        table.add_column(header, overflow="fold")
    for header in right:
        table.add_column(header, justify="right")
    return table


def probing_table(rows: Sequence[Row]) -> TitledTable:
    """Sets out probing accuracies in percent: a line per test, a column per layer and epoch.

    Args:
        rows: of one probing run, or of a training run that probes its epochs.
    """
    failures = _failures(rows)
    rows = probing_rows(rows)
    columns = layers_and_epochs(rows)
    suites = distinct(rows, "suite")
    marks_seeds = not all(rests_on_one_seed(row) for row in rows)
    headers = ["n", "majority", "memoriser", *(_column_header(*column) for column in columns)]
    table = new_table(["test"], headers)
    for suite, test in distinct(rows, "suite", "test"):
        of_test = [row for row in rows if (row["suite"], row["test"]) == (suite, test)]
        cells = {(row.get("layer"), row.get("epoch")): row for row in of_test}
        first = of_test[0]
        name = test if len(suites) == 1 else f"{suite} {test}"
        beside = [str(first["n"]), percent(first.get("majority")), percent(first.get("memoriser"))]
        table.add_row(name, *beside, *(_accuracy(cells.get(column), marks_seeds) for column in columns))
    title = f"Probing accuracy (%): {_said(rows, 'lang', 'suite', 'encoder', 'probe')}"
    return TitledTable(title, table, [*_notes(rows, marks_seeds), *failures])


def training_table(rows: Iterable[Row]) -> TitledTable:
    """Sets out the scores of a trained model in percent: a line per test set and metric, the baseline beside."""
    rows = [row for row in rows if not row.get("test")]
    scores = [row for row in rows if row["stage"] == "test"]
    baselines = {(row["split"], row["metric"]): row for row in rows if row["stage"] == "baseline"}
    table = new_table(["split", "metric"], ["score", "precision", "recall", "baseline", "n"])
    for row in scores:
        baseline = baselines.get((row["split"], row["metric"]), {})
        numbers = [row["value"], row.get("precision"), row.get("recall"), baseline.get("value")]
        table.add_row(row["split"], in_words(row["metric"]), *map(percent, numbers), str(row["n"]))
    return TitledTable(f"Scores (%): {_said(scores, 'lang', 'suite', 'corpus')}", table, _best_epoch(scores, rows))


def summary_table(rows: Iterable[Row]) -> TitledTable:
    """Sets out what was collected: a line per run."""
    rows = list(rows)
    table = new_table(["run", "lang", "suite", "what it says"], ["rows"])
    for (run,) in sorted(distinct(rows, "run")):
        of_run = [row for row in rows if row["run"] == run]
        table.add_row(run, _joined(of_run, "lang"), _joined(of_run, "suite"), _in_brief(of_run), str(len(of_run)))
    return TitledTable("Runs", table)


def _column_header(layer: str | None, epoch: int | None) -> str:
    name = layer or "accuracy"
    return name if epoch is None else f"{name}\nepoch {epoch}"


def _accuracy(row: Row | None, marks_seeds: bool) -> str:
    if row is None:
        return "-"
    marks = FEW_ITEMS * rests_on_few_items(row) + ONE_SEED * (marks_seeds and rests_on_one_seed(row))
    low, high = row.get("interval_low"), row.get("interval_high")
    return f"{percent(row['value'])}{marks}" + ("" if low is None or high is None else f" ±{percent((high - low) / 2)}")


def _notes(rows: Sequence[Row], marks_seeds: bool) -> list[str]:
    lines = []
    if any(row.get("interval_low") is not None for row in rows):
        lines.append("±: half the 95 % bootstrap interval over test items.")
    if any(map(rests_on_few_items, rows)):
        lines.append(f"{FEW_ITEMS} rests on fewer than {FEWEST_ITEMS} test items.")
    if any(map(rests_on_one_seed, rows)):
        lines.append(f"{ONE_SEED} rests on one seed." if marks_seeds else "Every value rests on one seed.")
    return lines


def _failures(rows: Iterable[Row]) -> list[str]:
    failed = [row for row in rows if row["stage"] == "probing" and math.isnan(row["value"])]
    places = [_column_header(row.get("layer"), row.get("epoch")).replace("\n", ", ") for row in failed]
    return [
        f"{row['test']}, {place}, seed {row.get('seed')} {row.get('note', 'has no result')}."
        for row, place in zip(failed, places, strict=True)
    ]


def _best_epoch(scores: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    curves = epoch_scores(rows, "training")
    epochs = [row["epoch"] for row in scores if row.get("epoch") is not None]
    if not epochs or not curves:
        return []
    metric, curve = next(iter(curves.items()))
    return [f"Epoch {epochs[0]} of {max(curve)}, the best by dev {in_words(metric)}."]


def _in_brief(rows: Sequence[Row]) -> str:
    probing = probing_rows(rows)
    wholes = [row for row in rows if row["stage"] == "test" and not row.get("test")]
    if wholes:
        metric = wholes[0]["metric"]
        scores = [f"{row['split']} {percent(row['value'])}" for row in wholes if row["metric"] == metric]
        return f"{in_words(metric)}: {', '.join(scores)}"
    counts = [_counted(probing, name, *columns) for name, columns in COUNTED.items()]
    return ", ".join(filter(None, [_joined(probing, "encoder"), *counts]))


def _counted(rows: Sequence[Row], name: str, *columns: str) -> str:
    n = len([values for values in distinct(rows, *columns) if values[-1] is not None])
    return "" if n == 0 else f"{n} {name}{'s' if n > 1 else ''}"


def _said(rows: Sequence[Row], *columns: str) -> str:
    return ", ".join(filter(None, (_joined(rows, column) for column in columns)))


def _joined(rows: Sequence[Row], column: str) -> str:
    return " ".join(str(value) for (value,) in distinct(rows, column) if value is not None)
