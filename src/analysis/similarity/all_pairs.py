"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from polyprobe.analysis.similarity.correlations import best_correlations
from polyprobe.analysis.similarity.half_samples import HalfSamples, half_samples
from polyprobe.analysis.similarity.layers import (
    CentredLayer,
    MatrixRepresentation,
    Representation,
    centred_layer,
    check_comparable,
)
from polyprobe.analysis.similarity.measures import (
    MEASURES,
    MeasuredPairs,
    NoSimilarity,
    NotDefined,
    PairValues,
    constant_columns,
)
from polyprobe.analysis.similarity.products import biased_alignment, linear_sums, unbiased_alignment
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

    Constant columns are left out and counted.

    Pairs of a layer for which the measure is not defined have no value; the others are as without that layer.

    Args:
        layers: of one encoder or of several, all of the same items, each with a name of its own.
        measure: a name of `MEASURES`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect on cka
            and lincka, whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`); 0 for none.

    Raises:
        UnknownChoice: there is no such measure.
        NoSimilarity: too few items, layers of different items, or the measure is defined for fewer than two layers.
    """
    check_choice("measure", measure, MEASURES)
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
        # standardised have each their own.
        axis = 0 if chosen.is_standardised else None
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
    centred = [centred_layer(layer, samples) for layer in layers]
    measured = OF_CENTRED_LAYERS[measure](centred, samples, orders)
    is_unbiased = MEASURES[measure].least < 0
    for layer, own in zip(centred, measured.values.diagonal(), strict=True):
        if is_unbiased and np.isnan(own):
            reason = f"the unbiased HSIC of {layer.name} with itself is 0: at most one item differs from the others"
            raise NotDefined(layer.name, reason)
    return measured, [layer.n_constant for layer in centred]


OF_CENTRED_LAYERS: Mapping[str, Callable[[Sequence[CentredLayer], HalfSamples, Orders], MeasuredPairs]] = {
    "maxcorr": best_correlations,
    "mincorr": best_correlations,  # the same number: see there
    "lincka": lambda layers, samples, _: biased_alignment(linear_sums(layers, samples), samples),
    "cka": lambda layers, samples, _: unbiased_alignment(linear_sums(layers, samples), samples),
}
