"""Similarities of all pairs of many layers on the same items: work of a layer is done once, not once for each pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from polyprobe.analysis.similarity.centred_layer import CentredLayer, LayerVectors, centred_layer
from polyprobe.analysis.similarity.correlations import best_correlations
from polyprobe.analysis.similarity.half_samples import HalfSamples, half_samples
from polyprobe.analysis.similarity.measures import LEAST, MeasuredPairs, PairValues
from polyprobe.analysis.similarity.products import biased_alignment, linear_sums, unbiased_alignment
from polyprobe.errors import PolyprobeError
from polyprobe.seeds import derived_seed


def all_pairs(layers: Sequence[LayerVectors], measure: str, permutations: int, resamples: int, seed: int) -> PairValues:
    """Compares each layer with each, itself included.

    Vectors are read once, and kept as float32. Memory is that of the vectors, of what is made of them once (for cka and
    lincka nothing, for maxcorr as much again) and of one pair or one block of a Gram matrix, however many pairs there
    are.

    Constant columns are left out and counted. Pairs of a layer with the same vector for all items have no value; nor,
    by cka, those of one in which at most one item differs from the others.

    Args:
        layers: of one encoder or of several, all of the same items.
        measure: a name of `LEAST`.
        permutations: shuffles of the rows of one side for `permuted`, each shared by all pairs; without effect on cka
            and lincka, whose mean over all shuffles is known.
        resamples: random halves of the items for the interval (`half_samples.py`); 0 for none.

    Raises:
        PolyprobeError: values are not finite, or fewer than two layers differ between items.
    """
    n_items = layers[0].n_items
    samples = half_samples(n_items, resamples, seed)
    generator = np.random.default_rng(derived_seed(seed, "shuffled rows"))
    orders = [generator.permutation(n_items) for _ in range(permutations)]
    centred = [centred_layer(layer, samples) for layer in layers]
    places = [place for place, layer in enumerate(centred) if layer.width]
    if len(places) < 2:
        found = f"{len(places)} of {len(layers)} layers have different vectors for the {n_items} items"
        raise PolyprobeError(f"{found}. Expected at least two.")
    measured = OF_CENTRED_LAYERS[measure]([centred[place] for place in places], samples, orders)
    least = LEAST[measure]
    values = np.clip(measured.values, least, 1)
    low, high = (np.clip(end, least, 1) for end in samples.interval(values, measured.halves))
    permuted = np.where(np.isnan(values), np.nan, measured.permuted)
    of_all = np.full((4, len(layers), len(layers)), np.nan)
    of_all[:, *np.ix_(places, places)] = values, permuted, low, high
    return PairValues(*of_all, np.array([layer.n_constant for layer in centred]))


Method = Callable[[Sequence[CentredLayer], HalfSamples, Sequence[np.ndarray]], MeasuredPairs]
OF_CENTRED_LAYERS: Mapping[str, Method] = {
    "maxcorr": best_correlations,
    "mincorr": best_correlations,  # the same number: see there
    "lincka": lambda layers, samples, _: biased_alignment(linear_sums(layers, samples), samples),
    "cka": lambda layers, samples, _: unbiased_alignment(linear_sums(layers, samples), samples),
}
