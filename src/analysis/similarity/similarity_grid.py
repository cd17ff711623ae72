"""Arranges rows of similarities as matrices of layers by layers, for tables and pictures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from src.analysis.results.rows import Row, distinct
from src.display.shown import shown
from src.runs.results import FEW_ITEMS

STAGE = "similarity"
FEW_ITEMS_NOTE = f"fewer than {FEW_ITEMS} items"
UNCHANGED = "options as in its file"
Source = tuple[str, str | None]  # an encoder: choice and model
LONGEST_LABEL = 31  # characters
COLUMNS = ("value", "permuted", "interval_low", "interval_high")


@dataclass(frozen=True, slots=True)
class LayerPlace:
    """One layer of an encoder, at one epoch where it was trained here.

    Attributes:
        encoder: the choice ("transformer", "checkpoint").
        model: which encoder: its name and options in words; None where the choice says all.
        layer: its name.
        epoch: of its checkpoint, or None.
    """

    encoder: str
    model: str | None
    layer: str
    epoch: int | None

    @property
    def name(self) -> str:
        """The layer as users name it: "8", or "encoding/8" at epoch 8."""
        return self.layer if self.epoch is None else f"{self.layer}/{self.epoch}"

    @property
    def source(self) -> Source:
        """What is the same for all layers and epochs of an encoder."""
        return self.encoder, self.model


@dataclass(frozen=True, eq=False)
class Values:
    """The similarities of all pairs of layers by one measure: float64 `[layers, layers]`, NaN where there is none.

    Attributes:
        value: of the line's layer with the column's.
        permuted: the same if the items of one side are shuffled, on the average.
        low, high: 95 % interval over resampled items.
    """

    value: np.ndarray
    permuted: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def is_symmetric(self) -> bool:
        """Whether the two directions of all pairs are the same number."""
        return np.allclose(self.value, self.value.T, rtol=0, atol=1e-12, equal_nan=True)


@dataclass(frozen=True, eq=False)
class SimilarityGrid:
    """All similarities on the items of one test, or of a file of sentences.

    Attributes:
        first: a row, for what is the same in all.
        layers: those of all encoders, those of an encoder together.
        measures: the similarities of each measure.
        n_noted: rows of each measure with a note: without constant columns, or without a value.
    """

    first: Row
    layers: Sequence[LayerPlace]
    measures: Mapping[str, Values]
    n_noted: Mapping[str, int]

    @property
    def blocks(self) -> dict[Source, list[int]]:
        """The places of each encoder's layers, in their order."""
        found: dict[Source, list[int]] = {}
        for place, one in enumerate(self.layers):
            found.setdefault(one.source, []).append(place)
        return found

    @property
    def labels(self) -> dict[Source, str]:
        """A short name of each encoder: its choice; where several are of it, or it is alone, its model or options."""
        kinds = [encoder for encoder, _ in self.blocks]
        if len(kinds) == 1:
            ((encoder, model),) = self.blocks
            return {(encoder, model): shown(encoder if model is None else _which(encoder, model))}
        return {source: shown(source[0] if kinds.count(source[0]) == 1 else _which(*source)) for source in self.blocks}

    @property
    def short_labels(self) -> dict[Source, str]:
        """The same, cut in their middles: the ends of names of runs distinguish them."""
        return {source: _cut_in_the_middle(label) for source, label in self.labels.items()}

    def epochs(self, source: Source) -> list[int]:
        """Returns the epochs of an encoder, ascending; none where it was not trained here."""
        found = {self.layers[place].epoch for place in self.blocks[source]}
        return sorted(epoch for epoch in found if epoch is not None)

    def successors(self, source: Source) -> list[tuple[int, int]]:
        """Pairs the place of each layer of an encoder with that of the next one, at its last epoch if it has some."""
        last = max(self.epochs(source), default=None)
        of_last = [place for place in self.blocks[source] if self.layers[place].epoch == last]
        return list(pairwise(of_last))

    def with_last_epoch(self, source: Source) -> dict[str, list[tuple[int, int]]]:
        """Pairs each earlier epoch of an encoder's layers with its last: places, epochs ascending, by layer."""
        *earlier, last = self.epochs(source) or [0]
        return self._by_layer(source, source, dict.fromkeys(earlier, last))

    def same_epochs(self, source: Source, other: Source) -> dict[str, list[tuple[int, int]]]:
        """Pairs the layers of two encoders that have the same name, at each epoch that both have: places, by name."""
        of_other = self.epochs(other)
        return self._by_layer(source, other, {epoch: epoch for epoch in self.epochs(source) if epoch in of_other})

    @property
    def trained_alike(self) -> list[tuple[Source, Source]]:
        """The pairs of encoders that were trained here and have layers of equal names at equal epochs."""
        trained = [source for source in self.blocks if self.epochs(source)]
        return [pair for pair in combinations(trained, 2) if any(self.same_epochs(*pair).values())]

    def _by_layer(self, source: Source, other: Source, ends: Mapping[int, int]) -> dict[str, list[tuple[int, int]]]:
        places = {(one.source, one.layer, one.epoch): place for place, one in enumerate(self.layers)}
        found: dict[str, list[tuple[int, int]]] = {}
        for layer in dict.fromkeys(self.layers[place].layer for place in self.blocks[source]):
            pairs = [((source, layer, epoch), (other, layer, end)) for epoch, end in ends.items()]
            found[layer] = [(places[one], places[two]) for one, two in pairs if one in places and two in places]
        return {layer: pairs for layer, pairs in found.items() if pairs}


def grids_of(rows: Iterable[Row]) -> list[SimilarityGrid]:
    """Arranges the rows of stage similarity of a run, a grid for each test."""
    rows = [row for row in rows if row["stage"] == STAGE]
    by_test = {test: [row for row in rows if row["test"] == test] for (test,) in distinct(rows, "test")}
    return [_grid(of_test) for of_test in by_test.values()]


def _cut_in_the_middle(label: str) -> str:
    half = (LONGEST_LABEL - 1) // 2
    return label if len(label) <= LONGEST_LABEL else f"{label[:half]}…{label[-half:]}"


def _which(encoder: str, model: str | None) -> str:
    """Says which of several encoders of one choice it is."""
    if model is None:
        return f"{encoder}, {UNCHANGED}"
    has_name = "=" not in model.partition(",")[0]
    return model if has_name else f"{encoder} {model}"


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
        measures[measure] = Values(*(_matrix(of_measure, column, places) for column in COLUMNS))
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
