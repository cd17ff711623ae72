"""How many intervals of CKA hold the truth: samples of layers whose CKA is known.

Two layers are mixtures of the same causes, and noise of their own; causes and noise are normal, or of Student's
distribution with 5 degrees of freedom. The CKA without sampling is that of the covariances that the mixtures make. The
table says how many of the 95 % intervals of `src/analysis/similarity/half_samples.py` hold it, for a CKA between 0 and
1, and for layers without common causes, whose CKA is 0.

Run: OMP_NUM_THREADS=1 python -m benchmarks.similarity_intervals
"""

import argparse
from functools import partial

import numpy as np

from polyprobe.analysis.output.tables import Table, show
from polyprobe.analysis.similarity.all_pairs import all_pairs
from polyprobe.analysis.similarity.centred_layer import LayerVectors

N_CAUSES, N_NEURONS = 4, 6
NOISE = 2.0  # deviation of what a layer has of its own
FREEDOM = 5  # degrees of Student's distribution
HALVES = 100
SEED = 3


def main() -> None:
    arguments = _arguments()
    table = Table(["items", "distribution"], ["CKA", "intervals", "hold it", "mean width"])
    for n_items in arguments.items:
        for distribution in ("normal", "Student"):
            for is_shared in (True, False):
                truth, held, width = coverage(n_items, distribution, is_shared, arguments.samples)
                numbers = [f"{truth:.2f}", str(arguments.samples), f"{100 * held:.1f} %", f"{width:.3f}"]
                table.add_row(str(n_items), distribution, *numbers)
    show([table.titled("95 % intervals of CKA")])


def coverage(n_items: int, distribution: str, is_shared: bool, n_samples: int) -> tuple[float, float, float]:
    """Returns the true CKA, the share of the intervals that hold it, and their mean width."""
    generator = np.random.default_rng(SEED)
    mixtures = generator.standard_normal((2, N_CAUSES, N_NEURONS))
    one, other = (mixture.T @ mixture + NOISE**2 * np.eye(N_NEURONS) for mixture in mixtures)
    common = np.sum((mixtures[0].T @ mixtures[1]) ** 2) / np.linalg.norm(one) / np.linalg.norm(other)
    truth = float(common) if is_shared else 0.0
    n_held, widths = 0, []
    for seed in range(n_samples):
        causes = _drawn(generator, distribution, (2, n_items, N_CAUSES))
        layers = []
        for side, mixture in enumerate(mixtures):
            own = NOISE * _drawn(generator, distribution, (n_items, N_NEURONS))
            vectors = causes[0 if is_shared else side] @ mixture + own
            layers.append(LayerVectors(str(side), n_items, partial(vectors.astype, np.float32)))
        found = all_pairs(layers, "cka", 0, HALVES, seed)
        n_held += int(found.low[0, 1] <= truth <= found.high[0, 1])
        widths.append(found.high[0, 1] - found.low[0, 1])
    return truth, n_held / n_samples, float(np.mean(widths))


def _drawn(generator: np.random.Generator, distribution: str, shape: tuple[int, ...]) -> np.ndarray:
    """Draws numbers of variance 1."""
    if distribution == "normal":
        return generator.standard_normal(shape)
    return generator.standard_t(FREEDOM, shape) / np.sqrt(FREEDOM / (FREEDOM - 2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[60, 200, 1000])
    parser.add_argument("--samples", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    main()
