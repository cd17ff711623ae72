"""Rows of similarities, small enough to check by eye."""

from typing import Any


def similarity_row(one: tuple, other: tuple, value: float | None, **columns: Any) -> dict[str, Any]:
    """A row of two layers, each as (encoder, model, layer, epoch); its interval is 0.1 to either side."""
    usual = {"stage": "similarity", "lang": "mini", "suite": "linspector_type", "test": "Case", "split": "test"}
    usual |= {"metric": "cka", "n": 400, "value": value, "permuted": 0.01}
    if value is not None:
        usual |= {"interval_low": value - 0.1, "interval_high": value + 0.1}
    for side, place in (("", one), ("other_", other)):
        usual |= {
            f"{side}{name}": part for name, part in zip(("encoder", "model", "layer", "epoch"), place, strict=True)
        }
    return {name: part for name, part in {**usual, **columns}.items() if part is not None or name == "value"}


A, B = ("checkpoint", "srl-s1"), ("checkpoint", "srl-s2")
NGRAMS = ("char_ngrams", None, "char_ngrams", None)


def of_seeds(**columns: Any) -> list[dict[str, Any]]:
    """One layer of two models at epochs 0, 2 and 9, and a third encoder: all pairs, each in one direction."""
    places = [(*source, "encoding", epoch) for source in (A, B) for epoch in (0, 2, 9)]
    places.append(NGRAMS)
    return [
        similarity_row(one, other, round(0.1 * row + 0.01 * column, 2), **columns)
        for row, one in enumerate(places)
        for column, other in enumerate(places)
        if row < column
    ]
