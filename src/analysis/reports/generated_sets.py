"""Reports the sets that `python generate.py` made: their number, and which words a vocabulary lacks."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.display.short_paths import short_path
from src.display.shown import say
from src.display.spreadsheets import text_of_cell
from src.runs.directory import RunDirectory

_MOST_WORDS = 15


def report_generated(run: RunDirectory) -> None:
    """Prints the tables of a finished run and where its sets are."""
    record = run.record()
    show(_counts_table(record["constructions"]))
    if "missing" in record:
        show(_missing_table(record["constructions"], record["missing"]), _words_table(run))
    say(f"Sets: {short_path(run.sets)}")


def _counts_table(constructions: Mapping[str, Mapping[str, int]]) -> TitledTable:
    columns = {"templates": "n_templates", "sets": "n_sets", "sentences": "n_sentences"}
    table = new_table(["construction"], [*columns, "without variant", "with identical"])
    for name, counts in constructions.items():
        table.add_row(name, *(f"{counts[key]:,}" for key in (*columns.values(), "n_alone", "n_identical")))
    notes = []
    if any(counts["n_alone"] or counts["n_identical"] for counts in constructions.values()):
        notes.append("Sets without variant or with an identical one decide nothing; they are written all the same.")
    return TitledTable("Minimal sets", table, notes)


def _missing_table(
    constructions: Mapping[str, Mapping[str, int]], missing: Mapping[str, Mapping[str, int]]
) -> TitledTable:
    table = new_table(["construction"], ["sets", "unknown focus", "unknown elsewhere", "lost", "lost (%)"])
    for name, costs in missing.items():
        n_sets = constructions[name]["n_sets"]
        numbers = [n_sets, costs["focus"], costs["other"], costs["any"]]
        table.add_row(name, *(f"{number:,}" for number in numbers), f"{100 * costs['any'] / n_sets:.1f}")
    return TitledTable("Sets with a word that the vocabulary lacks", table)


def _words_table(run: RunDirectory) -> TitledTable:
    path = run.checked(run.missing_words)
    header, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1])
    table = new_table(header[:-1], header[-1:])
    for row in _costliest(rows):
        table.add_row(*map(text_of_cell, row))
    left_out = len(rows) - _MOST_WORDS
    notes = [f"{left_out} rows more are in {short_path(path)}."] if left_out > 0 else []
    return TitledTable("Words that the vocabulary lacks", table, notes)


def _costliest(rows: Sequence[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: -int(row[-1]))[:_MOST_WORDS]
