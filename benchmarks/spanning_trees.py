"""The best trees with one root: polyprobe against SuPar's `mst` (1.1.4), CPU milliseconds for a batch, medians.

Three kinds of arc scores of 32 sentences of 40 words: random; a random tree's arcs raised a little above noise, as
early in training; the same raised well above it, as in a trained parser. The sums of the trees are compared, too.

Run: python -m benchmarks.spanning_trees --supar PYTHON   (that of an environment with supar==1.1.4 and torch)
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from polyprobe.models.structures.spanning_trees import best_trees

N_SENTENCES, N_WORDS = 32, 40
RAISED_BY = {"random": 0.0, "noisy": 4.0, "sharp": 12.0}


def main() -> None:
    arguments = _arguments()
    kinds = {name: _scores(np.random.default_rng(1), raise_by) for name, raise_by in RAISED_BY.items()}
    theirs = _supar(arguments.supar, kinds, arguments.repetitions)
    print(f"{N_SENTENCES} sentences of {N_WORDS} words, one thread, median of {arguments.repetitions}")
    for name, scores in kinds.items():
        milliseconds, heads = _ours(scores, arguments.repetitions)
        supar = 1000 * statistics.median(theirs[name]["seconds"])
        n_equal = np.isclose(_values(scores, heads), _values(scores, np.array(theirs[name]["heads"])), rtol=1e-5).sum()
        ratio = f"{supar / milliseconds:.1f} times"
        print(f"{name:7} ours {milliseconds:7.2f} ms   SuPar {supar:7.2f} ms   {ratio:>11}   equal sums {n_equal}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--supar", required=True, help="python of SuPar's environment")
    parser.add_argument("--repetitions", type=int, default=15)
    return parser.parse_args()


def _scores(generator: np.random.Generator, raised_by: float) -> np.ndarray:
    """Draws `[sentences, nodes, nodes]`, float32: dependents by heads."""
    scores = generator.normal(size=(N_SENTENCES, N_WORDS + 1, N_WORDS + 1))
    for of_sentence in scores:
        order = generator.permutation(np.arange(1, N_WORDS + 1))
        for place, word in enumerate(order):
            of_sentence[word, order[generator.integers(place)] if place else 0] += raised_by
    return scores.astype(np.float32)


def _ours(scores: np.ndarray, repetitions: int) -> tuple[float, np.ndarray]:
    seconds = []
    for _ in range(repetitions + 1):
        start = time.process_time()
        heads = best_trees(scores, [N_WORDS] * N_SENTENCES)
        seconds.append(time.process_time() - start)
    return 1000 * statistics.median(seconds[1:]), np.stack(heads)


def _supar(python: str, kinds: dict[str, np.ndarray], repetitions: int) -> dict[str, dict]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.npz"
        np.savez(path, **kinds)
        script = str(Path(__file__).with_name("supar_trees.py"))
        run = subprocess.run(
            [python, script, str(path), str(repetitions)], check=True, stdout=subprocess.PIPE, text=True
        )
    outcomes = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return {outcome["kind"]: outcome for outcome in outcomes}


def _values(scores: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Sums the arcs of each tree: `[sentences]`."""
    dependents = np.arange(1, N_WORDS + 1)
    return np.array([of_sentence[dependents, tree].sum() for of_sentence, tree in zip(scores, heads, strict=True)])


if __name__ == "__main__":
    main()
