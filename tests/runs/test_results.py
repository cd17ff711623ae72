"""Rows of results.jsonl: strict JSON, of the kinds that the schema says."""

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.metrics.probe_metrics import COLUMNS_OF_LAYERS
from polyprobe.runs.results import ResultRow, read_rows, write_rows

ROW = ResultRow(stage="probing", lang="mini", suite="srl", metric="accuracy", value=0.5, n=10, split="test", epoch=3)


def strictly_read(path) -> list[dict]:
    """Reads the lines as a program does that knows JSON and nothing more."""

    def refuse(name):
        raise ValueError(f"{name} is no JSON")

    return [json.loads(line, parse_constant=refuse) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("value", [None, math.nan])
def test_the_value_of_a_failed_probe_is_null(tmp_path, value):
    write_rows(tmp_path / "results.jsonl", "a-run", [replace(ROW, value=value, note="failed: no number")])
    (strict,), (row,) = strictly_read(tmp_path / "results.jsonl"), read_rows(tmp_path / "results.jsonl")
    assert strict["value"] is row["value"] is None
    assert row["note"] == "failed: no number"


def test_a_perplexity_too_large_for_a_number_is_null_and_the_note_says_so(tmp_path):
    rows = [replace(ROW, metric="perplexity", value=math.inf, note=note) for note in (None, "UPOS: gold")]
    write_rows(tmp_path / "results.jsonl", "a-run", rows)
    first, second = strictly_read(tmp_path / "results.jsonl")
    assert (first["value"], first["note"]) == (None, "perplexity too large for a number")
    assert second["note"] == "UPOS: gold; perplexity too large for a number"


def test_another_column_that_is_no_number_is_left_out(tmp_path):
    write_rows(tmp_path / "results.jsonl", "a-run", [replace(ROW, compression=math.nan, sd=math.inf)])
    (row,) = strictly_read(tmp_path / "results.jsonl")
    assert not {"compression", "sd", "note"} & set(row)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"value": 0.5', '"value": NaN', "value is NaN. Expected a number or null"),
        ('"value": 0.5', '"value": 1e999', "value is Infinity"),
        ('"value": 0.5', '"value": "0.5"', 'value is "0.5". Expected a number or null'),
        ('"value": 0.5', '"valve": 0.5', "value is missing"),
        ('"n": 10', '"n": 10.5', "n is 10.5. Expected an integer"),
        ('"lang": "mini"', '"lang": null', "lang is null. Expected text"),
        ('"epoch": 3', '"epoch": [3]', r"epoch is \[3\]. Expected an integer or null"),
        ('"lang": "mini"', '"lang": "\\ud800"', "the line has half of a surrogate pair"),
        ('"schema": 2', '"schema": "2"', 'no row of this version. Expected a JSON object with "schema": 2'),
    ],
)
def test_a_row_that_is_not_of_the_schema_is_refused_with_its_line(tmp_path, before, after, words):
    path = tmp_path / "results.jsonl"
    write_rows(path, "a-run", [ROW])
    assert before in path.read_text()
    path.write_text(path.read_text() * 2)
    path.write_text(path.read_text()[::-1].replace(before[::-1], after[::-1], 1)[::-1])
    with pytest.raises(MalformedLine, match=rf"results.jsonl, line 2: {words}"):
        read_rows(path)


def test_every_column_is_explained_in_the_document_and_no_other_one():
    text = (Path(__file__).parents[2] / "docs/results.md").read_text(encoding="utf-8").split("| `schema` |")[1]
    cells = [line.split(" | ")[0] for line in text.split("\n\n")[0].splitlines()[1:]]
    explained = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(explained) == sorted(["run", *(field.name for field in fields(ResultRow))])


def test_every_metric_of_probes_has_a_column():
    assert {column.name for column in COLUMNS_OF_LAYERS} <= {field.name for field in fields(ResultRow)}
