"""CKA of all pairs of 5 encoders x 13 layers x 768 neurons: ours, each pair from scratch, and the package ckatorch.

Layers are made (mixtures of common causes and noise) and written to files, float32, which every way maps. A way runs in
a process of its own; the table says its seconds, and its peak memory beside that before it began. Pairs from scratch
are a stated number of those that there are, with seconds for all of them by proportion:

    plain float64, float32    |X'Y|^2 over |X'X| |Y'Y| of centred matrices, with the corrections of the unbiased HSIC,
                              in torch: the fewest operations that a pair on its own can do with more items than neurons
    plain Gram                the same by Gram matrices, in float32: the fewest with fewer items than neurons
    ckatorch                  `cka_base`, float64, on the same matrices, if a folder has it

The floor is the operations of the Gram matrices of all layers and of their inner products, each two items once, at the
best rate of a large product here.

Run: pip install --no-deps --target <folder>/rival ckatorch==1.0.3
     OMP_NUM_THREADS=2 python -m benchmarks.all_pairs --folder <folder with 2.3 GB free>
`--items 1000` for one size alone; `--layers 5 20 65` is how many layers memory is measured with.
"""

import argparse
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.fresh_process import Measured, measured, run_way

WIDTH, N_LAYERS, CAUSES = 768, 65, 100
SEED = 1
HALVES = 100
PAIRS_FROM_SCRATCH = {1000: 40, 10_000: 8}  # so many of 2,145, for torch; numpy and ckatorch: a quarter
MIB = 2**20


def write_layers(folder: Path, n_items: int) -> None:
    """Writes the layers of one size, one after the other, unless they are there."""
    (folder / str(n_items)).mkdir(parents=True, exist_ok=True)
    generator = np.random.Generator(np.random.SFC64(n_items))
    causes = generator.standard_normal((n_items, CAUSES), dtype=np.float32)
    for number in range(N_LAYERS):
        mixture = generator.standard_normal((CAUSES, WIDTH), dtype=np.float32)
        noise = generator.standard_normal((n_items, WIDTH), dtype=np.float32)
        np.save(_file(folder, n_items, number), causes @ mixture + np.float32(1 + number) * noise + 1)


def _file(folder: Path, n_items: int, number: int) -> Path:
    return folder / str(n_items) / f"{number}.npy"


def _mapped(folder: Path, n_items: int, number: int) -> np.ndarray:
    return np.load(_file(folder, n_items, number), mmap_mode="r")


def ours(folder: Path, n_items: int, n_layers: int, resamples: int) -> np.ndarray:
    """Returns CKA of the first pairs of all: float64 `[pairs]`."""
    from polyprobe.analysis.similarity.all_pairs import all_pairs
    from polyprobe.analysis.similarity.centred_layer import LayerVectors

    layers = [LayerVectors(str(n), n_items, partial(_mapped, folder, n_items, n)) for n in range(n_layers)]
    values = all_pairs(layers, "cka", 0, resamples, SEED).values
    return np.array([values[x, y] for x, y in _pairs(n_layers)])


def one_by_one(
    folder: Path, n_items: int, n_pairs: int, plain: Callable[[np.ndarray, np.ndarray], float]
) -> np.ndarray:
    """Returns CKA of the first pairs, each from scratch: float64 `[pairs]`."""
    pairs = [pair for pair, _ in zip(_pairs(N_LAYERS), range(n_pairs), strict=False)]
    return np.array([plain(_mapped(folder, n_items, x), _mapped(folder, n_items, y)) for x, y in pairs])


def _pairs(n_layers: int) -> Iterator[tuple[int, int]]:
    return ((x, y) for x in range(n_layers) for y in range(x, n_layers))


def plain_cka(x: np.ndarray, y: np.ndarray, number: str, products: Callable) -> float:
    """Unbiased CKA of two layers, in torch.

    Args:
        number: "float32" or "float64".
        products: the squared length of X'Y.
    """
    import torch

    first, second = (torch.from_numpy(np.array(one)).to(getattr(torch, number)) for one in (x, y))
    first, second = first - first.mean(dim=0), second - second.mean(dim=0)
    lengths = [one.square().sum(dim=1).double() for one in (first, second)]

    def hsic(product: float, one: torch.Tensor, other: torch.Tensor) -> float:
        n = len(one)
        return float(product - n / (n - 2) * (one @ other) + one.sum() * other.sum() / ((n - 1) * (n - 2)))

    of_pair, *of_each = products(first, second)
    own = [hsic(product, one, one) for product, one in zip(of_each, lengths, strict=True)]
    return hsic(of_pair, *lengths) / np.sqrt(own[0] * own[1])


def by_covariances(x, y) -> list[float]:
    """Returns the squared lengths of X'Y, X'X and Y'Y."""
    return [float((one.T @ other).double().square().sum()) for one, other in ((x, y), (x, x), (y, y))]


def by_gram_matrices(x, y) -> list[float]:
    """Returns the same from Gram matrices."""
    one, other = x @ x.T, y @ y.T
    return [float((first * second).double().sum()) for first, second in ((one, other), (one, one), (other, other))]


def with_ckatorch(folder: Path, n_items: int, n_pairs: int) -> np.ndarray:
    import torch

    package = types.ModuleType("ckatorch")  # its own __init__ asks for seaborn
    package.__path__ = [str(folder / "rival/ckatorch")]
    sys.modules["ckatorch"] = package
    from ckatorch.core import cka_base

    def one(x: np.ndarray, y: np.ndarray) -> float:
        return float(cka_base(torch.from_numpy(np.array(x)), torch.from_numpy(np.array(y)), "linear", unbiased=True))

    return one_by_one(folder, n_items, n_pairs, one)


def floor(folder: Path, n_items: int) -> np.ndarray:
    """Returns the seconds that the operations take at the best rate of products of 2,048 rows: float64 `[1]`."""
    import torch

    left, right = torch.randn(2048, 2048), torch.randn(2048, 2048)
    best = np.inf
    for _ in range(8):
        start = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - start)
    operations = n_items**2 * (N_LAYERS * WIDTH + N_LAYERS**2)
    return np.array([operations / (2 * 2048**3 / best)])


def ways(n_items: int, layers: list[int], has_rival: bool) -> dict[str, Callable[[Path], np.ndarray]]:
    """Returns every way by its name; the floor too."""
    n_pairs = PAIRS_FROM_SCRATCH[n_items]
    named = {f"{n_items} items, {n} layers": partial(ours, n_items=n_items, n_layers=n, resamples=0) for n in layers}
    named[f"{n_items} items, {N_LAYERS} layers, {HALVES} halves"] = partial(
        ours, n_items=n_items, n_layers=N_LAYERS, resamples=HALVES
    )
    plain = {
        "plain float32": (n_pairs, partial(plain_cka, number="float32", products=by_covariances)),
        "plain float64": (n_pairs, partial(plain_cka, number="float64", products=by_covariances)),
    }
    if n_items < 2 * WIDTH:
        plain["plain Gram"] = n_pairs, partial(plain_cka, number="float32", products=by_gram_matrices)
    for name, (count, one) in plain.items():
        named[f"{n_items} items, {count} pairs, {name}"] = partial(
            one_by_one, n_items=n_items, n_pairs=count, plain=one
        )
    if has_rival:
        named[f"{n_items} items, {n_pairs // 4} pairs, ckatorch"] = partial(
            with_ckatorch, n_items=n_items, n_pairs=n_pairs // 4
        )
    named[f"{n_items} items, floor"] = partial(floor, n_items=n_items)
    return named


def print_results(n_items: int, results: dict[str, Measured]) -> None:
    """Prints seconds, those of all pairs by proportion, memory, and how far values differ from ours."""
    ours_name = f"{n_items} items, {N_LAYERS} layers"
    if ours_name not in results:
        ours_name = f"{ours_name}, {HALVES} halves"
    reference, n_all = results[ours_name], N_LAYERS * (N_LAYERS + 1) // 2
    columns = f"{'wall s':>8} {'CPU s':>8} {'all pairs s':>12} {'x':>7} {'peak MiB':>9} {'start':>6} {'differs':>8}"
    print(f"{'way':44} {columns}")
    for name, taken in results.items():
        if name.endswith("floor"):
            seconds = float(taken.vectors[0])
            print(f"{name:44} {seconds:8.2f} s: {ours_name} is at {seconds / reference.wall:.0%} of it")
            continue
        n_pairs = len(taken.vectors)
        is_ours = "layers" in name
        whole = taken.wall if is_ours else taken.wall * n_all / n_pairs
        times = f"{taken.wall:8.2f} {taken.cpu:8.2f} {whole:12.1f} {whole / reference.wall:7.1f}"
        differs = "" if is_ours else f"{np.abs(taken.vectors - reference.vectors[:n_pairs]).max():8.1e}"
        print(f"{name:44} {times} {taken.peak:9.0f} {taken.start:6.0f} {differs}", flush=True)


def main() -> None:
    arguments = _arguments()
    has_rival = (arguments.folder / "rival").is_dir()
    if arguments.way:
        from polyprobe.analysis.similarity import all_pairs  # noqa: F401  (imported before the clock starts)

        n_items = int(arguments.way.split()[0])
        run_way(ways(n_items, arguments.layers, has_rival), arguments.way, arguments.folder)
        return
    print(f"threads: {os.environ.get('OMP_NUM_THREADS', 'as torch and numpy choose')}")
    for n_items in arguments.items:
        write_layers(arguments.folder, n_items)
        print(f"data: {n_items * WIDTH * N_LAYERS * 4 / MIB:.0f} MiB in {N_LAYERS} layers", flush=True)
        named = ways(n_items, arguments.layers, has_rival)
        names = {name: 1 if "pairs" in name else arguments.repetitions for name in named}
        print_results(n_items, measured("benchmarks.all_pairs", names, arguments.folder))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for the layers; rival/ in it has ckatorch")
    parser.add_argument("--items", type=int, nargs="+", choices=list(PAIRS_FROM_SCRATCH), default=[1000, 10_000])
    parser.add_argument("--layers", type=int, nargs="+", default=[5, 20, N_LAYERS])
    parser.add_argument("--repetitions", type=int, default=3, help="of ours and of the floor; the median counts")
    parser.add_argument("--way", help="run this way alone, in this process")
    return parser.parse_args()


if __name__ == "__main__":
    main()
