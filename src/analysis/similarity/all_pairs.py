"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from src.analysis.similarity.alignment import biased_alignment, linear_sums, unbiased_alignment
from src.analysis.similarity.best_correlations import best_correlations
from src.analysis.similarity.centred_layers import (
    CentredLayer,
    NotComparable,
    NotDefined,
    centred_layer,
    check_comparable,
    whole_layer,
)
from src.analysis.similarity.gaussian_kernels import gaussian_sums
from src.analysis.similarity.half_samples import HalfSamples, half_samples
from src.analysis.similarity.pair_by_pair import TwoSteps, measured_pairs
from src.analysis.similarity.pair_values import MeasuredPairs, PairValues
from src.analysis.similarity.ranked_distances import RSA
from src.analysis.similarity.representation import Representation
from src.analysis.similarity.subspaces import LINREG, PROCRUSTES, PWCCA, SVCCA
from src.errors import check_choice
from src.metrics.similarity import MEASURES, constant_columns
from src.seeds import derived_seed

Orders = Sequence[np.ndarray]


def all_pairs(
    layers: Sequence[Representation], measure: str, permutations: int, resamples: int, seed: int
) -> PairValues:
    """Compares each layer with each, itself included; equal to `src.metrics.similarity` pair by pair to 1e-6.

    Each block of vectors is read once, and kept as float32. Memory is that of the vectors, of what is made of them once
    (for cka and lincka nothing, for maxcorr as much again) and of one pair or one block of a Gram matrix, however many
    pairs there are.

    Constant columns are left out and counted, but for rsa, which uses them.

    Pairs of a layer for which the measure is not defined have no value; the others are as without that layer.

    Args:
        layers: of one encoder or of several, all of the same items, each with a name of its own.
        measure: a name of `src.metrics.similarity.MEASURES`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect on cka,
            lincka, rbf_cka, rbfcka and rsa, whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`); 0 for none.
        seed: of shuffles and halves.

    Raises:
        UnknownChoice: there is no such measure.
        NotComparable: too few items, layers of different items, or the measure is defined for fewer than two layers.
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
                raise NotComparable(
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


def _of_all_layers(found: np.ndarray, places: Sequence[int], n_layers: int) -> np.ndarray:
    """Puts pairs of some layers to their places among all, NaN elsewhere: float64 `[layers, layers]`."""
    matrix = np.full((n_layers, n_layers), np.nan)
    matrix[np.ix_(places, places)] = found
    return matrix


def _measured(
    layers: Sequence[Representation], measure: str, samples: HalfSamples, orders: Orders
) -> tuple[MeasuredPairs, list[int]]:
    """Measures all pairs, and counts the constant columns of each layer.

    Raises:
        NotDefined: the measure is not defined for a layer.
    """
    if measure in PAIR_BY_PAIR:
        return _pair_by_pair(layers, PAIR_BY_PAIR[measure], samples, orders)
    read = [centred_layer(layer, samples) for layer in layers]
    measured = OF_CENTRED_LAYERS[measure](read, samples, orders)
    for layer, own in zip(read, measured.values.diagonal(), strict=True):
        if np.isnan(own):
            reason = f"the unbiased HSIC of {layer.name} with itself is 0: at most one item differs from the others"
            raise NotDefined(layer.name, reason)
    return measured, [layer.n_constant for layer in read]


def _pair_by_pair(
    layers: Sequence[Representation], measure: TwoSteps, samples: HalfSamples, orders: Orders
) -> tuple[MeasuredPairs, list[int]]:
    read = [whole_layer(layer) for layer in layers]
    left_out = [len(constant_columns(layer.vectors)) if measure.leaves_out_constant else 0 for layer in read]
    return measured_pairs(read, measure, samples, orders), left_out


def _cka(layers: Sequence[CentredLayer], samples: HalfSamples, _: Orders) -> MeasuredPairs:
    return unbiased_alignment(linear_sums(layers, samples), samples)


def _lincka(layers: Sequence[CentredLayer], samples: HalfSamples, _: Orders) -> MeasuredPairs:
    return biased_alignment(linear_sums(layers, samples), samples)


def _rbf_cka(layers: Sequence[CentredLayer], samples: HalfSamples, _: Orders) -> MeasuredPairs:
    return unbiased_alignment(gaussian_sums(layers, samples), samples)


def _rbfcka(layers: Sequence[CentredLayer], samples: HalfSamples, _: Orders) -> MeasuredPairs:
    return biased_alignment(gaussian_sums(layers, samples), samples)


OF_CENTRED_LAYERS: Mapping[str, Callable[[Sequence[CentredLayer], HalfSamples, Orders], MeasuredPairs]] = {
    "maxcorr": best_correlations,
    "mincorr": best_correlations,  # the same number: see `src.metrics.similarity.max_correlation`
    "lincka": _lincka,
    "rbfcka": _rbfcka,
    "cka": _cka,
    "rbf_cka": _rbf_cka,
}

PAIR_BY_PAIR: Mapping[str, TwoSteps] = {
    "linreg": LINREG,
    "svcca": SVCCA,
    "pwcca": PWCCA,
    "rsa": RSA,
    "procrustes": PROCRUSTES,
}
