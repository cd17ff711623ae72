"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from src.analysis.similarity.alignment import biased_alignment, linear_sums, unbiased_alignment
from src.analysis.similarity.best_correlations import best_correlations
from src.analysis.similarity.centred_layers import CentredLayer, centred_layer, check_comparable
from src.analysis.similarity.half_samples import HalfSamples, half_samples
from src.analysis.similarity.pair_values import MeasuredPairs, PairValues
from src.analysis.similarity.representation import Representation
from src.errors import UnknownChoice
from src.seeds import derived_seed

Measuring = Callable[[Sequence[CentredLayer], HalfSamples, int, np.random.Generator], MeasuredPairs]


def all_pairs(
    layers: Sequence[Representation], measure: str, permutations: int, resamples: int, seed: int
) -> PairValues:
    """Compares each layer with each, itself included; equal to `src.metrics.similarity` pair by pair to 1e-6.

    Each block of vectors is read once, and kept as float32 without its constant columns: memory is that of the vectors
    (twice where columns are standardised) and what one pair or one block of a Gram matrix takes, however many pairs
    there are.

    Args:
        layers: of one encoder or of several, all of the same items.
        measure: a name of `MEASURES`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect for
            measures whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`).
        seed: of shuffles and halves.

    Raises:
        UnknownChoice: there is no such measure.
        NotComparable: too few items, layers of different items, a layer without any difference between items.
    """
    if measure not in MEASURES:
        raise UnknownChoice("measure", measure, MEASURES)
    check_comparable(layers)
    samples = half_samples(layers[0].n_items, resamples, seed)
    read = [centred_layer(layer, samples) for layer in layers]
    generator = np.random.default_rng(derived_seed(seed, "shuffled rows"))
    measured = MEASURES[measure](read, samples, permutations, generator)
    low, high = samples.interval(measured.values, measured.halves)
    return PairValues(measured.values, measured.permuted, low, high, np.array([layer.n_constant for layer in read]))


def _cka(layers: Sequence[CentredLayer], samples: HalfSamples, *_) -> MeasuredPairs:
    return unbiased_alignment(linear_sums(layers, samples), samples)


def _lincka(layers: Sequence[CentredLayer], samples: HalfSamples, *_) -> MeasuredPairs:
    return biased_alignment(linear_sums(layers, samples), samples)


MEASURES: Mapping[str, Measuring] = {
    "cka": _cka,
    "lincka": _lincka,
    "maxcorr": best_correlations,
    "mincorr": best_correlations,
}
