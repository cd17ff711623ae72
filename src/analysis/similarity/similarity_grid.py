"""Rows of similarities as matrices of layers by layers, and their tables.

The tables are of pairs of encoders, and of each layer and the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path

import numpy as np

from polyprobe.analysis.output.tables import (
    NOTHING,
    Table,
    empty_where_none,
    marks,
    notes_on_marks,
    table_of_rows,
    write_table,
)
from polyprobe.analysis.results.rows import Row, distinct, rests_on_few_items
from polyprobe.analysis.similarity.measures import Similarities
from polyprobe.display.shown import shown
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import FEW_ITEMS

STAGE = "similarity"
FEW_ITEMS_NOTE = f"fewer than {FEW_ITEMS} items"
UNCHANGED = "options as in its file"
Source = tuple[str, str | None]  # an encoder: choice and model
LONGEST_LABEL = 48  # characters
COLUMNS = ("value", "permuted", "interval_low", "interval_high")
CSV_COLUMNS = (
    *("suite", "test", "n", "metric", "encoder", "model", "layer", "epoch"),
    *("other_encoder", "other_model", "other_layer", "other_epoch"),
    *("value", "permuted", "interval_low", "interval_high", "note"),
)


@dataclass(frozen=True, slots=True)
class LayerPlace:
    """One layer of an encoder, at one epoch where it was trained here."""

    encoder: str
    """The choice ("transformer", "checkpoint")."""
    model: str | None
    """Which encoder: its name and options in words; None where the choice says all."""
    layer: str
    epoch: int | None
    """Of its checkpoint, or None."""

    @property
    def name(self) -> str:
        """The layer as users name it: "8", or "encoding/8" at epoch 8."""
        return self.layer if self.epoch is None else f"{self.layer}/{self.epoch}"

    @property
    def source(self) -> Source:
        """What is the same for all layers and epochs of an encoder."""
        return self.encoder, self.model


@dataclass(frozen=True, eq=False)
class SimilarityGrid:
    """All similarities on the items of one test, or of a file of sentences."""

    first: Row
    """A row, for what is the same in all."""
    layers: Sequence[LayerPlace]
    """Those of all encoders, those of an encoder together."""
    measures: Mapping[str, Similarities]
    n_noted: Mapping[str, int]
    """Rows of each measure that leave out constant columns or have no value."""

    @property
    def blocks(self) -> dict[Source, list[int]]:
        """The places of each encoder's layers, in their order."""
        found: dict[Source, list[int]] = {}
        for place, one in enumerate(self.layers):
            found.setdefault(one.source, []).append(place)
        return found

    @property
    def short_labels(self) -> dict[Source, str]:
        """A name of each encoder: its choice; where several are of it, or it is alone, its model or options.

        Long ones are cut in their middles: the ends of names of runs distinguish them.
        """
        models = {one: [model for encoder, model in self.blocks if encoder == one] for one, _ in self.blocks}
        is_said = {
            source: len(models[source[0]]) > 1 or (len(self.blocks) == 1 and source[1] is not None)
            for source in self.blocks
        }
        return {
            source: _short(_which(*source, models[source[0]]) if asked else source[0])
            for source, asked in is_said.items()
        }

    def successors(self, source: Source) -> list[tuple[int, int]]:
        """Pairs the place of each layer of an encoder with that of the next one, at its last epoch if it has some."""
        places = self.blocks[source]
        last = max((self.layers[place].epoch for place in places if self.layers[place].epoch is not None), default=None)
        return list(pairwise(place for place in places if self.layers[place].epoch == last))


def grids_of(rows: Iterable[Row]) -> list[SimilarityGrid]:
    """Arranges the rows of stage similarity of a run, a grid for each test."""
    rows = [row for row in rows if row["stage"] == STAGE]
    by_test = {test: [row for row in rows if row["test"] == test] for (test,) in distinct(rows, "test")}
    return [_grid(of_test) for of_test in by_test.values()]


def _which(encoder: str, model: str | None, models: Sequence[str | None]) -> str:
    """Says which of several encoders of one choice it is: its model, and the options in which not all of them agree.

    Of one alone all options are said but those of a user's own tests.
    """
    if model is None:
        return f"{encoder}, {UNCHANGED}"
    words = model.split(" ")
    agreed = [word for word in words if "=" in word and all(word in (other or "").split(" ") for other in models)]
    left_out = [word for word in agreed if len(models) > 1 or word.startswith("suite.")]
    kept = [word for word in words if word not in left_out]
    return " ".join(kept if "=" not in words[0] else [encoder, *kept]).rstrip(",")


def _short(label: str) -> str:
    label, half = shown(label), (LONGEST_LABEL - 1) // 2
    return label if len(label) <= LONGEST_LABEL else f"{label[:half]}…{label[-half:]}"


def _grid(rows: Sequence[Row]) -> SimilarityGrid:
    # The first layer's row with every other one comes first: together they are in the order of the run.
    found = list(dict.fromkeys(one for row in rows for one in _ends(row)))
    sources = list(dict.fromkeys(one.source for one in found))
    layers = sorted(found, key=lambda one: sources.index(one.source))
    places = {one: place for place, one in enumerate(layers)}
    measures, n_noted = {}, {}
    for (measure,) in distinct(rows, "metric"):
        of_measure = [row for row in rows if row["metric"] == measure]
        n_noted[measure] = sum(row.get("note") not in (None, FEW_ITEMS_NOTE) for row in of_measure)
        measures[measure] = Similarities(*(_matrix(of_measure, column, places) for column in COLUMNS))
    return SimilarityGrid(rows[0], layers, measures, n_noted)


def _matrix(rows: Sequence[Row], column: str, places: Mapping[LayerPlace, int]) -> np.ndarray:
    matrix = np.full((len(places), len(places)), np.nan)
    for row in rows:
        one, other = (places[end] for end in _ends(row))
        matrix[one, other] = np.nan if row.get(column) is None else row[column]
    is_mirrored = not any(places[one] > places[other] for one, other in map(_ends, rows))
    return np.where(np.isnan(matrix), matrix.T, matrix) if is_mirrored else matrix


def _ends(row: Row) -> tuple[LayerPlace, LayerPlace]:
    """Returns the two layers of a row."""
    return tuple(
        LayerPlace(row[f"{side}encoder"], row.get(f"{side}model"), row[f"{side}layer"], row.get(f"{side}epoch"))
        for side in ("", "other_")
    )


def similarity_tables(grid: SimilarityGrid) -> list[Table]:
    """Makes the tables of all measures on the items of one test."""
    tables = [_encoders(grid, measure) for measure in grid.measures]
    return [*tables, _successors(grid)] if any(map(grid.successors, grid.blocks)) else tables


def _encoders(grid: SimilarityGrid, measure: str) -> Table:
    table = Table(["encoder", "compared with", "most similar"], ["mean", "best", "95 %", "chance"])
    values = grid.measures[measure]
    sources = list(grid.blocks)
    pairs = combinations_with_replacement(sources, 2) if values.is_symmetric else product(sources, repeat=2)
    for one, other in pairs:
        places = np.ix_(grid.blocks[one], grid.blocks[other])
        found = np.where(places[0] == places[1], np.nan, values.values[places])
        if np.isnan(found).all():
            continue
        line, column = np.unravel_index(np.nanargmax(found), found.shape)
        best = grid.blocks[one][line], grid.blocks[other][column]
        layers = " ~ ".join(grid.layers[place].name for place in best)
        chance = np.where(np.isnan(found), np.nan, values.permuted[places])
        numbers = [number(np.nanmean(found)), number(found[line, column]), interval(values, *best)]
        table.add_row(grid.short_labels[one], grid.short_labels[other], layers, *numbers, number(_mean(chance)))
    notes = ["mean, chance: over all pairs of different layers; chance: items permuted on one side."]
    if not values.is_symmetric:
        notes.append(f"{measure} is asymmetric: how well the neurons of the encoder are matched in the other.")
    if n_noted := grid.n_noted[measure]:
        notes.append(f"{n_noted} of the pairs leave out constant columns or have no value: see similarity.csv.")
    return table.titled(_title(grid, f"Encoders by {measure}"), [*notes, *_few_items(grid)])


def _successors(grid: SimilarityGrid) -> Table:
    headers = [header for measure in grid.measures for header in (measure, "95 %")]
    table = Table(["encoder", "layer", "next"], headers)
    for source in grid.blocks:
        for pair in grid.successors(source):
            numbers = [
                text
                for values in grid.measures.values()
                for text in (number(values.values[pair]), interval(values, *pair))
            ]
            table.add_row(grid.short_labels[source], *(grid.layers[place].name for place in pair), *numbers)
    return table.titled(_title(grid, "Each layer vs. the next layer"), _few_items(grid))


def number(value: float) -> str:
    """Writes a similarity with two decimals; "-" for none."""
    return NOTHING if np.isnan(value) else f"{value:.2f}"


def interval(values: Similarities, one: int, other: int) -> str:
    """Writes both ends of an interval; "-" for none."""
    low, high = values.low[one, other], values.high[one, other]
    return NOTHING if np.isnan(low) else f"{low:.2f} to {high:.2f}"


def _title(grid: SimilarityGrid, what: str) -> str:
    row = grid.first
    return f"{what}: lang={row['lang']}, {row['suite']} {row['test']}, n={row['n']}{marks(_has_few(grid), False)}"


def _few_items(grid: SimilarityGrid) -> list[str]:
    return notes_on_marks("items" if _has_few(grid) else None, False)


def _has_few(grid: SimilarityGrid) -> bool:
    return rests_on_few_items(grid.first)


def _mean(values: np.ndarray) -> float:
    return float("nan") if np.isnan(values).all() else float(np.nanmean(values))


def write_pairs(run: RunDirectory, rows: Iterable[Row]) -> list[Path]:
    """Writes similarity.csv, a line for each pair of layers; returns the file."""
    found = [[empty_where_none(row.get(column)) for column in CSV_COLUMNS] for row in rows if row["stage"] == STAGE]
    return [write_table(run.path / "similarity.csv", CSV_COLUMNS, found)]


def logged_similarities(rows: Sequence[Row]) -> tuple[dict[str, Table], dict[str, float]]:
    """Returns for dashboards the table of all pairs."""
    return {STAGE: table_of_rows([row for row in rows if row["stage"] == STAGE], CSV_COLUMNS)}, {}
