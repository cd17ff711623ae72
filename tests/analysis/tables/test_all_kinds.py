"""What every kind of result shows in its table, on the terminal and in files: each of the list of kinds is tested."""

import csv
import io
import re
from dataclasses import replace
from functools import partial

import pytest
from rich.console import Console

from polyprobe.analysis.output.tables import FEW_ITEMS_MARK, Best, csv_text, html_text, latex_text, markdown_text
from polyprobe.analysis.reports.result_kinds import (
    RESULT_KINDS,
    MadeSets,
    Neurons,
    RunResults,
    Similarities,
    Training,
    kinds_of,
)
from polyprobe.analysis.results.kinds import KINDS
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import as_read, training_run
from tests.analysis.neurons.neuron_rows import of_epoch
from tests.analysis.similarity.similarity_handmade import of_seeds

EPOCHS = (0, 8)
SCORES = {"first": (0.5, 0.75), "second": (0.625, 0.25)}  # at the two epochs


def rows_of(kind):
    """Rows of two lines at two epochs, two seeds averaged; those of the second line rest on few items."""
    usual = {"stage": kind.stage, "lang": "fi", "suite": "own", "split": "test", "metric": kind.metric, "n_seeds": 2}
    usual |= {kind.model: "lstm", "probe": "linear"} | {
        column: "encoding" for column in kind.column if column == "layer"
    }
    usual |= dict.fromkeys(kind.baselines, 0.3)
    return [
        ResultRow(
            **usual, test=test, value=value, epoch=epoch, n=200 if test == "first" else 12,
            dev=value, interval_low=value - 0.125, interval_high=value + 0.125,
        )
        for test, values in SCORES.items()
        for epoch, value in zip(EPOCHS, values, strict=True)
    ]  # fmt: skip


def table_of(kind, rows, folder):
    """Returns the first table of a run with these rows, made by the kind of results that these are."""
    results = RunResults(RunDirectory(folder), as_read(rows, folder))
    (found,) = [one for one in RESULT_KINDS if one.is_in(results.rows)]
    assert found.scores == kind
    return next(iter(found.tables(results).values()))[0]


@pytest.fixture(params=[kind.scores for kind in RESULT_KINDS if kind.scores], ids=lambda kind: kind.stage)
def kind(request):
    return request.param


@pytest.fixture
def table(kind, tmp_path):
    return table_of(kind, rows_of(kind), tmp_path)


def scores_of(table, line):
    """Returns the cells of a line below the headers of epochs."""
    return [cell for header, cell in zip(table.header, table.lines[line], strict=True) if "epoch" in header]


def numbers(cells):
    return [re.search(r"[0-9]+\.[0-9]", cell)[0] for cell in cells]


def test_every_kind_of_scores_is_reported():
    assert sorted(kind.name for kind in KINDS) == sorted(kind.scores.name for kind in RESULT_KINDS if kind.scores)


def test_a_table_says_what_it_shows_and_has_a_line_for_each_test_and_a_column_for_each_epoch(kind, table):
    assert table.title.startswith(f"{kind.title} (%): fi, own, lstm")
    assert table.header[0] == kind.noun
    of_scores = [header for header in table.header if "epoch" in header]
    assert [header.rpartition(", ")[2] for header in of_scores] == [f"epoch {epoch}" for epoch in EPOCHS]
    assert [line[0] for line in table.lines[: len(SCORES)]] == list(SCORES)
    for line, values in enumerate(SCORES.values()):
        assert numbers(scores_of(table, line)) == [f"{100 * value:.1f}" for value in values]


def test_the_best_of_a_line_is_marked_and_so_is_what_rests_on_little_or_lies_below_a_baseline(kind, table):
    for line, values in enumerate(SCORES.values()):
        assert [isinstance(cell, Best) for cell in scores_of(table, line)] == [value == max(values) for value in values]
    assert [FEW_ITEMS_MARK in cell for line in (0, 1) for cell in scores_of(table, line)] == [False, False, True, True]
    assert ["↓" in cell for cell in scores_of(table, 1)] == [False, kind.marks_below]
    assert kind.interval in table.notes
    assert f"{FEW_ITEMS_MARK} fewer than 30 {kind.items}." in table.notes
    assert any(note.startswith("• best ") for note in table.notes)


def test_a_single_column_has_no_best(kind, tmp_path):
    table = table_of(kind, [row for row in rows_of(kind) if row.epoch == 8], tmp_path)
    assert not any(isinstance(cell, Best) for line in table.lines for cell in line)
    assert not any("best" in note for note in table.notes)


def test_where_all_scores_rest_on_one_seed_a_note_alone_says_so(kind, tmp_path):
    table = table_of(kind, [replace(row, n_seeds=1) for row in rows_of(kind)], tmp_path)
    assert (
        "Single seed; no variance estimate; intervals leave out variation between seeds, which may be larger."
        in table.notes
    )
    assert "†" not in str(table.lines)


def test_scores_are_plain_numbers_in_csv(table):
    for line, name in enumerate(SCORES):
        expected = numbers(scores_of(table, line))
        (row,) = [row for row in csv.DictReader(io.StringIO(csv_text(table))) if row[table.header[0]] == name]
        assert [row[header] for header in table.header if "epoch" in header] == expected


def grammar_run(folder):
    """A run of generate.py that made minimal sets: its record, no rows."""
    counts = {"n_templates": 1, "n_sets": 1234, "n_sentences": 2468, "n_alone": 5, "n_identical": 0}
    rows = as_read([], folder, constructions={"hens": counts, "cocks": {**counts, "n_sets": 17}})
    return RunResults(RunDirectory(folder), rows)


RUNS = {
    **{type(kind): partial(rows_of, kind.scores) for kind in RESULT_KINDS if kind.scores},
    Training: training_run,
    Neurons: partial(of_epoch, 8, 0.8, 0.75),
    Similarities: of_seeds,
    MadeSets: grammar_run,
}


def run_of(kind, folder):
    """Returns a run that has results of one kind."""
    made = RUNS[type(kind)]
    if kind.scores or made is training_run:
        return RunResults(RunDirectory(folder), as_read(made(), folder))
    return made(folder / "run") if made is grammar_run else RunResults(RunDirectory(folder), made())


def lines_between(text, start, end):
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if start in line)
    return lines[first + 1 : next(place for place, line in enumerate(lines) if place > first and end in line)]


@pytest.mark.parametrize("kind", RESULT_KINDS, ids=lambda kind: type(kind).__name__)
def test_every_table_of_every_kind_has_its_numbers_in_all_that_is_written(kind, tmp_path):
    results = run_of(kind, tmp_path)
    assert kinds_of(results) == [kind]
    tables = [table for tables in kind.tables(results).values() for table in tables]
    assert tables
    for table in tables:
        assert table.title
        assert {len(line) for line in table.lines} == {len(table.header)}
        expected = [re.findall(r"\d+", " ".join(line)) for line in table.lines]
        assert any(expected)
        shown = io.StringIO()
        Console(file=shown, width=1000).print(table)
        written = {
            "terminal": lines_between(f"{shown.getvalue()}end", "──", "end")[: len(expected)],
            "Markdown": lines_between(markdown_text(table) + "\nend", "| :---", "end")[: len(expected)],
            "LaTeX": lines_between(latex_text(table), "midrule", "bottomrule"),
            "HTML": [line for line in html_text(table).splitlines() if line.startswith("<tr>")][-len(expected) :],
        }
        for lines in written.values():
            assert [
                re.findall(r"\d+", re.sub("<[^>]*>|&#\\d+;|&#x[0-9a-f]+;", " ", line)) for line in lines
            ] == expected
        in_file = [sorted(re.findall(r"\d+", " ".join(line))) for line in csv.reader(io.StringIO(csv_text(table)))][1:]
        whole = [sorted(re.findall(r"\d+", " ".join(line).replace(",", ""))) for line in table.lines]
        assert [len(line) for line in in_file] == [len(line) for line in whole]
