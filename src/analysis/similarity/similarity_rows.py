"""The rows of a comparison of layers: one for each pair and measure, for both directions where they differ."""

from collections.abc import Iterator, Sequence

import numpy as np

from src.analysis.similarity.compared_items import ItemSet
from src.analysis.similarity.measures import MEASURES, PairValues
from src.analysis.similarity.similarity_grid import FEW_ITEMS_NOTE, STAGE, LayerPlace
from src.display.plural import plural
from src.runs.results import FEW_ITEMS, ResultRow


def rows_of_pairs(
    measure: str, values: PairValues, layers: Sequence[LayerPlace], items: ItemSet, lang: str, n_items: int
) -> Iterator[ResultRow]:
    """Yields a row for each pair of different layers, first those of the first layer.

    Args:
        measure: its name.
        values: of all pairs.
        layers: in the order of the values.
        items: on which they are compared.
        lang: code of the language, or codes joined by "+".
        n_items: how many.
    """
    is_symmetric = not MEASURES[measure].is_directed
    for one, place in enumerate(layers):
        for other, second in enumerate(layers):
            if one == other or (is_symmetric and other < one):
                continue
            yield ResultRow(
                stage=STAGE,
                lang=lang,
                suite=items.suite,
                test=items.test,
                metric=measure,
                value=_number(values.values[one, other]),
                n=n_items,
                split=items.split,
                encoder=place.encoder,
                model=place.model,
                layer=place.layer,
                epoch=place.epoch,
                other_encoder=second.encoder,
                other_model=second.model,
                other_layer=second.layer,
                other_epoch=second.epoch,
                permuted=_number(values.permuted[one, other]),
                interval_low=_number(values.low[one, other]),
                interval_high=_number(values.high[one, other]),
                note=_note(values, [one, other], n_items),
            )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _note(values: PairValues, pair: Sequence[int], n_items: int) -> str | None:
    notes = [FEW_ITEMS_NOTE] if n_items < FEW_ITEMS else []
    return ", ".join(filter(None, [*notes, _about_columns(values, pair)])) or None


def _about_columns(values: PairValues, pair: Sequence[int]) -> str | None:
    """Says why there is no value, or how many columns of either side are the same for all items."""
    if reasons := list(filter(None, values.undefined[pair].tolist())):
        return f"not defined: {'; '.join(reasons)}"
    left_out = values.left_out[pair].tolist()
    return f"without {' and '.join(plural(n, 'constant column') for n in left_out)}" if any(left_out) else None
