"""Tables of similarities: pairs of encoders, each layer and the next one, epochs and the last one, seeds."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from src.analysis.output.marks import marks, notes_on_marks
from src.analysis.output.terminal_tables import FoldedTable, TitledTable, new_table
from src.analysis.results.rows import rests_on_few_items
from src.analysis.similarity.similarity_grid import SimilarityGrid, Source, Values

MOST_EPOCHS = 8  # lines of a table; the CSV file has all
NOTHING = "-"


def similarity_tables(grid: SimilarityGrid) -> list[TitledTable]:
    """Makes the tables of all measures on the items of one test."""
    tables = [_encoders(grid, measure) for measure in grid.measures]
    tables += [_successors(grid)] if any(grid.successors(source) for source in grid.blocks) else []
    for measure in grid.measures:
        tables += [_with_last_epoch(grid, measure, source) for source in grid.blocks if grid.with_last_epoch(source)]
        tables += [_same_epochs(grid, measure, *pair) for pair in grid.trained_alike]
    return tables


def _encoders(grid: SimilarityGrid, measure: str) -> TitledTable:
    table = new_table(["encoder", "compared with", "most alike"], ["mean", "best", "95 %", "by chance"])
    values = grid.measures[measure]
    for one, other in _pairs(grid, values):
        places = np.ix_(grid.blocks[one], grid.blocks[other])
        found = np.where(_is_same_layer(grid, one, other), np.nan, values.value[places])
        if np.isnan(found).all():
            continue
        line, column = np.unravel_index(np.nanargmax(found), found.shape)
        best = grid.blocks[one][line], grid.blocks[other][column]
        layers = " ~ ".join(grid.layers[place].name for place in best)
        chance = np.where(np.isnan(found), np.nan, values.permuted[places])
        numbers = [number(np.nanmean(found)), number(found[line, column]), interval(values, *best)]
        table.add_row(grid.short_labels[one], grid.short_labels[other], layers, *numbers, number(_mean(chance)))
    notes = ["mean, by chance: over all pairs of different layers; by chance: items of one side shuffled."]
    if not values.is_symmetric:
        notes.append(f"{measure} has a direction: how well the neurons of the encoder are found in the other.")
    if n_noted := grid.n_noted[measure]:
        notes.append(f"{n_noted} of the pairs leave out constant columns or have no value: see similarity.csv.")
    return TitledTable(_title(grid, f"Encoders by {measure}"), table, [*notes, *_few_items(grid)])


def _pairs(grid: SimilarityGrid, values: Values) -> Iterator[tuple[Source, Source]]:
    sources = list(grid.blocks)
    for place, one in enumerate(sources):
        for other in sources[place:] if values.is_symmetric else sources:
            yield one, other


def _is_same_layer(grid: SimilarityGrid, one: Source, other: Source) -> np.ndarray:
    lines, columns = (np.array(grid.blocks[source]) for source in (one, other))
    return lines[:, None] == columns


def _successors(grid: SimilarityGrid) -> TitledTable:
    headers = [header for measure in grid.measures for header in (measure, "95 %")]
    table = new_table(["encoder", "layer", "next"], headers)
    for source in grid.blocks:
        for pair in grid.successors(source):
            numbers = [
                text
                for values in grid.measures.values()
                for text in (number(values.value[pair]), interval(values, *pair))
            ]
            table.add_row(grid.short_labels[source], *(grid.layers[place].name for place in pair), *numbers)
    return TitledTable(_title(grid, "Each layer with the next one"), table, _few_items(grid))


def _with_last_epoch(grid: SimilarityGrid, measure: str, source: Source) -> TitledTable:
    title = f"{measure}, each epoch with the last, {grid.epochs(source)[-1]}: {grid.labels[source]}"
    return _by_epoch(grid, title, grid.measures[measure], grid.with_last_epoch(source))


def _same_epochs(grid: SimilarityGrid, measure: str, one: Source, other: Source) -> TitledTable:
    title = f"{measure}, the same epoch of {grid.labels[one]} and {grid.labels[other]}"
    return _by_epoch(grid, title, grid.measures[measure], grid.same_epochs(one, other))


def _by_epoch(
    grid: SimilarityGrid, title: str, values: Values, by_layer: Mapping[str, Sequence[tuple[int, int]]]
) -> TitledTable:
    cells = {
        (grid.layers[pair[0]].epoch, layer): values.value[pair] for layer, pairs in by_layer.items() for pair in pairs
    }
    epochs = sorted({epoch for epoch, _ in cells})
    shown = [epochs[place] for place in spread(len(epochs), MOST_EPOCHS)]
    table = FoldedTable("epoch", list(by_layer))
    for epoch in shown:
        table.rows.append([str(epoch), *(number(cells.get((epoch, layer), np.nan)) for layer in by_layer)])
    notes = [f"{len(shown)} of {len(epochs)} epochs; similarity.csv has all."] if len(shown) < len(epochs) else []
    return TitledTable(title, table, notes)


def spread(n: int, most: int) -> list[int]:
    """Returns at most so many places of a list, the first and the last among them, evenly spread.

    >>> spread(3, 8), spread(21, 5)
    ([0, 1, 2], [0, 5, 10, 15, 20])
    """
    return list(range(n)) if n <= most else sorted({round(place) for place in np.linspace(0, n - 1, most).tolist()})


def number(value: float) -> str:
    """Writes a similarity with two decimals; "-" for none."""
    return NOTHING if np.isnan(value) else f"{value:.2f}"


def interval(values: Values, one: int, other: int) -> str:
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
