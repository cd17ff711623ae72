"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from src.analysis.similarity.alignment import biased_alignment, linear_sums, unbiased_alignment
from src.analysis.similarity.best_correlations import best_correlations
from src.analysis.similarity.centred_layers import CentredLayer, centred_layer, check_comparable, whole_layer
from src.analysis.similarity.gaussian_kernels import gaussian_sums
from src.analysis.similarity.half_samples import HalfSamples, half_samples
from src.analysis.similarity.pair_by_pair import TwoSteps, measured_pairs
from src.analysis.similarity.pair_values import MeasuredPairs, PairValues
from src.analysis.similarity.ranked_distances import RSA
from src.analysis.similarity.representation import Representation
from src.analysis.similarity.subspaces import LINREG, PROCRUSTES, PWCCA, SVCCA
from src.errors import check_choice
from src.metrics.similarity import constant_columns
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

    Args:
        layers: of one encoder or of several, all of the same items.
        measure: a name of `src.metrics.similarity.MEASURES`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect on cka,
            lincka, rbf_cka, rbfcka and rsa, whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`); 0 for none.
        seed: of shuffles and halves.

    Raises:
        UnknownChoice: there is no such measure.
        NotComparable: too few items, layers of different items, a layer for which the measure is not defined.
    """
    check_choice("measure", measure, [*OF_CENTRED_LAYERS, *PAIR_BY_PAIR])
    check_comparable(layers)
    samples = half_samples(layers[0].n_items, resamples, seed)
    generator = np.random.default_rng(derived_seed(seed, "shuffled rows"))
    orders = [generator.permutation(layers[0].n_items) for _ in range(permutations)]
    if measure in PAIR_BY_PAIR:
        measured, left_out = _pair_by_pair(layers, PAIR_BY_PAIR[measure], samples, orders)
    else:
        read = [centred_layer(layer, samples) for layer in layers]
        measured, left_out = OF_CENTRED_LAYERS[measure](read, samples, orders), [layer.n_constant for layer in read]
    low, high = samples.interval(measured.values, measured.halves)
    return PairValues(measured.values, measured.permuted, low, high, np.array(left_out))


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
