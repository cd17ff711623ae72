"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import torch

from polyprobe.analysis.similarity.correlations import best_correlations
from polyprobe.analysis.similarity.distances import gaussian_sums, rank_correlation, ranked_distances
from polyprobe.analysis.similarity.half_samples import HalfSamples, half_samples
from polyprobe.analysis.similarity.layers import (
    CentredLayer,
    MatrixRepresentation,
    Representation,
    centred_layer,
    check_comparable,
    whole_layer,
)
from polyprobe.analysis.similarity.measures import (
    MEASURES,
    MeasuredPairs,
    NoSimilarity,
    NotDefined,
    PairValues,
    constant_columns,
    mean_over_shuffles,
)
from polyprobe.analysis.similarity.products import biased_alignment, linear_sums, unbiased_alignment
from polyprobe.analysis.similarity.subspaces import (
    mean_canonical_correlations,
    mean_multiple_correlations,
    nuclear_norm,
    regressed,
    shape,
    subspace,
    weighted_canonical_correlations,
)
from polyprobe.display.progress import each
from polyprobe.errors import check_choice
from polyprobe.seeds import derived_seed

Orders = Sequence[np.ndarray]


def all_pairs(
    layers: Sequence[Representation], measure: str, permutations: int, resamples: int, seed: int
) -> PairValues:
    """Compares each layer with each, itself included; equal to `similarity` pair by pair to 1e-6.

    Each block of vectors is read once, and kept as float32. Memory is that of the vectors, of what is made of them once
    (for cka and lincka nothing, for maxcorr as much again) and of one pair or one block of a Gram matrix, however many
    pairs there are.

    Constant columns are left out and counted, but for rsa, which uses them.

    Pairs of a layer for which the measure is not defined have no value; the others are as without that layer.

    Args:
        layers: of one encoder or of several, all of the same items, each with a name of its own.
        measure: a name of `MEASURES`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect on cka,
            lincka, rbf_cka, rbfcka and rsa, whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`); 0 for none.

    Raises:
        UnknownChoice: there is no such measure.
        NoSimilarity: too few items, layers of different items, or the measure is defined for fewer than two layers.
    """
    check_choice("measure", measure, [*OF_CENTRED_LAYERS, *PAIR_BY_PAIR])
    check_comparable(layers)
    samples = half_samples(layers[0].n_items, resamples, seed)
    generator = np.random.default_rng(derived_seed(seed, "shuffled rows"))
    orders = [generator.permutation(layers[0].n_items) for _ in range(permutations)]
    undefined: dict[str, str] = {}
    while True:
        places = [place for place, layer in enumerate(layers) if layer.name not in undefined]
        try:
            measured, left_out = _measured([layers[place] for place in places], measure, samples, orders)
            break
        except NotDefined as error:
            undefined[error.layer] = error.reason
            if len(layers) - len(undefined) < 2:
                raise NoSimilarity(
                    f"{measure} is defined for fewer than two layers: {'; '.join(undefined.values())}. Leave {measure} "
                    "out of the measures, or compare other layers"
                ) from error
    least = MEASURES[measure].least
    values = np.clip(measured.values, least, 1)
    low, high = (np.clip(end, least, 1) for end in samples.interval(values, measured.halves))
    counts = np.zeros(len(layers), np.int64)
    counts[places] = left_out
    of_all = [_of_all_layers(found, places, len(layers)) for found in (values, measured.permuted, low, high)]
    return PairValues(*of_all, counts, np.array([undefined.get(layer.name, "") for layer in layers]))


def similarity(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    """Returns how alike the vectors of two encoders for the same items are, in float64 throughout.

    Args:
        x: `[items, neurons]`.
        y: `[items, neurons]`, the same items in the same order; its own number of neurons.
        measure: a name of `MEASURES`. Of a directed one, this is how well y covers x.

    Raises:
        UnknownChoice: there is no such measure.
        NoSimilarity: it is not defined for these vectors; says where and why. Columns that stand in its way are found
            by `constant_columns`.
    """
    check_choice("measure", measure, MEASURES)
    chosen = MEASURES[measure]
    both = {name: np.asarray(vectors, dtype=np.float64) for name, vectors in (("x", x), ("y", y))}
    _check_vectors(both, measure)
    layers = []
    for name, vectors in both.items():
        if chosen.is_standardised:
            _check_no_constant_column(name, vectors)
        # A power of 2 loses no digits, and squares of very large and very small values exist. Columns that are
        # standardised have each their own, but in pwcca, whose weights see their sizes.
        axis = 0 if chosen.is_standardised and measure != "pwcca" else None
        scaled = np.ldexp(vectors, -np.frexp(np.abs(vectors).max(axis=axis))[1])
        layers.append(MatrixRepresentation(name, scaled, np.arange(len(vectors))))
    try:
        with np.errstate(all="ignore"):
            value = _measured(layers, measure, half_samples(len(both["x"]), 0, 0), ())[0].values[0, 1]
    except NotDefined as error:
        raise NoSimilarity(f"{error.reason[0].upper()}{error.reason[1:]}.") from error
    if not np.isfinite(value):
        raise NoSimilarity(f"{measure} is {value}: the values of x or of y are of too different sizes for float64.")
    return float(value)


def _check_vectors(both: Mapping[str, np.ndarray], measure: str) -> None:
    for name, vectors in both.items():
        if vectors.ndim != 2 or len(vectors) < 2 or not vectors.shape[1]:
            raise NoSimilarity(
                f"{name} has the shape {list(vectors.shape)}. Expected [items, neurons], at least 2 items and 1 neuron."
            )
    n_items, n_others = map(len, both.values())
    if n_items != n_others:
        raise NoSimilarity(f"x has {n_items} items, y has {n_others}. Expected the same items in both.")
    if n_items < MEASURES[measure].fewest_items:
        raise NoSimilarity(f"There are {n_items} items. {measure} needs at least {MEASURES[measure].fewest_items}.")
    for name, vectors in both.items():
        bad = np.argwhere(~np.isfinite(vectors))
        if len(bad):
            where = f"the first at item {bad[0][0]}, column {bad[0][1]}"
            raise NoSimilarity(f"{name} has {len(bad)} values that are not finite numbers, {where}. Expected none.")


def _check_no_constant_column(name: str, vectors: np.ndarray) -> None:
    constant = constant_columns(vectors)
    if len(constant):
        others = f" ({len(constant)} of {vectors.shape[1]} columns are)" if len(constant) > 1 else ""
        raise NoSimilarity(
            f"column {constant[0]} of {name} is constant over {len(vectors)} items{others}: it has no correlation. "
            "Exclude such columns, or use a measure that does not standardise, such as cka."
        )


def _of_all_layers(found: np.ndarray, places: Sequence[int], n_layers: int) -> np.ndarray:
    """Puts pairs of some layers to their places among all, NaN elsewhere: float64 `[layers, layers]`."""
    matrix = np.full((n_layers, n_layers), np.nan)
    matrix[np.ix_(places, places)] = found
    return matrix


def _measured(
    layers: Sequence[Representation], measure: str, samples: HalfSamples, orders: Orders
) -> tuple[MeasuredPairs, list[int]]:
    """Measures all pairs, and counts the constant columns of each layer; NotDefined where a layer has no value."""
    if measure in PAIR_BY_PAIR:
        whole, steps = {layer.name: whole_layer(layer) for layer in layers}, PAIR_BY_PAIR[measure]
        left_out = [len(constant_columns(one)) if steps.leaves_out_constant else 0 for one in whole.values()]
        return measured_pairs(whole, steps, samples, orders), left_out
    centred = [centred_layer(layer, samples) for layer in layers]
    measured = OF_CENTRED_LAYERS[measure](centred, samples, orders)
    is_unbiased = MEASURES[measure].least < 0
    for layer, own in zip(centred, measured.values.diagonal(), strict=True):
        if is_unbiased and np.isnan(own):
            reason = f"the unbiased HSIC of {layer.name} with itself is 0: at most one item differs from the others"
            raise NotDefined(layer.name, reason)
    return measured, [layer.n_constant for layer in centred]


Parts = tuple[torch.Tensor, ...]
"""All that a measure needs of one layer."""


@dataclass(frozen=True)
class TwoSteps:
    """A measure that needs more of two layers than sums: each is made ready once, then taken with each other one."""

    ready: Callable[[str, torch.Tensor], Parts]
    """What of a layer is made once, from its name and its vectors, `[items, neurons]`; raises NotDefined where the
    measure is not defined."""
    both_ways: Callable[[Parts, Parts], tuple[float, float]]
    """How well y covers x, and x covers y."""
    n_of_items: int
    """How many of the parts, the first ones, have a row for each item: these are reordered with the items."""
    leaves_out_constant: bool = True
    mean_if_shuffled: float | None = None
    """The mean over all orders of the items of one side, where it is known; None: it is drawn."""

    def reordered(self, parts: Parts, order: torch.Tensor) -> Parts:
        """Returns the parts of a layer whose items stand in another order; int64 `[items]`."""
        return *(part[order] for part in parts[: self.n_of_items]), *parts[self.n_of_items :]


def measured_pairs(
    layers: Mapping[str, np.ndarray], measure: TwoSteps, samples: HalfSamples, orders: Orders
) -> MeasuredPairs:
    """Measures all pairs; in halves each layer is made ready anew.

    Args:
        layers: vectors by name, `[items, neurons]`; all are held, as they were read and as made ready.
        measure: in two steps.
        samples: halves; where the measure is not defined for a layer, its pairs have NaN.
        orders: of the rows of one side, int64 `[items]` each; each is shared by all pairs.
    """
    every = np.arange(len(samples.places))
    ready = [_ready(name, vectors, measure, every) for name, vectors in layers.items()]
    values = _pairs(ready, measure, every)
    if measure.mean_if_shuffled is None:
        shuffled = mean_over_shuffles([_pairs(ready, measure, order) for order in orders], len(layers))
    else:
        shuffled = np.full_like(values, measure.mean_if_shuffled)
    del ready
    halves = np.empty((len(samples.is_drawn), *values.shape))
    for half in each(range(len(halves)), "measuring halves", "halves"):
        halves[half] = _of_half(layers, measure, np.flatnonzero(samples.items(half)))
    return MeasuredPairs(values, shuffled, halves)


def _of_half(layers: Mapping[str, np.ndarray], measure: TwoSteps, items: np.ndarray) -> np.ndarray:
    """Returns all pairs in a half, NaN for those of a layer for which the measure is not defined there."""
    ready, places = [], []
    for place, (name, vectors) in enumerate(layers.items()):
        with suppress(NotDefined):
            ready.append(_ready(name, vectors, measure, items))
            places.append(place)
    return _of_all_layers(_pairs(ready, measure, np.arange(len(items))), places, len(layers))


def _ready(name: str, vectors: np.ndarray, measure: TwoSteps, items: np.ndarray) -> Parts:
    return measure.ready(name, torch.from_numpy(vectors[items]))


def _pairs(ready: Sequence[Parts], measure: TwoSteps, order: np.ndarray) -> np.ndarray:
    """Returns all pairs, the items of one side in this order: float64 `[layers, layers]`."""
    values = np.empty((len(ready), len(ready)))
    for y, second in enumerate(ready):
        reordered = measure.reordered(second, torch.from_numpy(order))
        for x, first in enumerate(ready[: y + 1]):
            forth, back = measure.both_ways(first, reordered)
            values[y, x], values[x, y] = back, forth
    return values


OF_CENTRED_LAYERS: Mapping[str, Callable[[Sequence[CentredLayer], HalfSamples, Orders], MeasuredPairs]] = {
    "maxcorr": best_correlations,
    "mincorr": best_correlations,  # the same number: see there
    "lincka": lambda layers, samples, _: biased_alignment(linear_sums(layers, samples), samples),
    "rbfcka": lambda layers, samples, _: biased_alignment(gaussian_sums(layers, samples), samples),
    "cka": lambda layers, samples, _: unbiased_alignment(linear_sums(layers, samples), samples),
    "rbf_cka": lambda layers, samples, _: unbiased_alignment(gaussian_sums(layers, samples), samples),
}

PAIR_BY_PAIR: Mapping[str, TwoSteps] = {
    "linreg": TwoSteps(regressed, mean_multiple_correlations, n_of_items=2),
    "svcca": TwoSteps(subspace, mean_canonical_correlations, n_of_items=1),
    "pwcca": TwoSteps(subspace, weighted_canonical_correlations, n_of_items=1),
    # Over all orders each two items meet each two others equally often: the mean of a product of centred ranks is 0.
    "rsa": TwoSteps(ranked_distances, rank_correlation, n_of_items=0, leaves_out_constant=False, mean_if_shuffled=0.0),
    "procrustes": TwoSteps(shape, nuclear_norm, n_of_items=1),
}
