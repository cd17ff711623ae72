"""Vectors of 10,000 words, half of them unseen, from a fastText model of 1.4 GB: our reader and gensim.

Each way runs in a fresh process, in turns, on a file that the page cache holds; imports are not timed. The model is
made first, in the published layout, and removed at the end: 200,000 words, 800,000 buckets for n-grams of three to six
characters, width 300.

Run: python -m benchmarks.fasttext_bin --folder <a folder with 1.5 GB free>
"""

import argparse
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from benchmarks.fresh_process import measured, print_table, run_way

WIDTH, N_WANTED = 300, 10_000
MIN_N, MAX_N = 3, 6
MODEL = "model.bin"
ROWS_AT_ONCE = 50_000


def word(number: int) -> str:
    return f"sõna{number:x}"


def wanted(folder: Path) -> list[str]:
    """Returns known words, and as many that end otherwise."""
    with open(folder / MODEL, "rb") as file:
        n_words = struct.unpack("<i", file.read(68)[64:])[0]
    known = np.random.default_rng(1).choice(n_words, N_WANTED // 2, replace=False)
    return [*map(word, known.tolist()), *(f"{word(number)}lle{number % 256:x}" for number in known.tolist())]


def by_row(folder: Path) -> np.ndarray:
    from polyprobe.formats.vectors.fasttext_bin import read_head, read_vectors

    return read_vectors(read_head(folder / MODEL), wanted(folder))


def encoded(folder: Path) -> np.ndarray:
    """The whole encoder: the fingerprint reads the file once."""
    from polyprobe.encoders.fasttext import Fasttext
    from polyprobe.items import Form

    encoder = Fasttext(folder / MODEL, lowercase=False, dotless_i=False)
    return np.concatenate([layer for (layer,) in encoder.encode([Form(word) for word in wanted(folder)])])


def with_gensim(folder: Path) -> np.ndarray:
    from gensim.models.fasttext import load_facebook_vectors

    vectors = load_facebook_vectors(str(folder / MODEL))
    return np.stack([vectors[word] for word in wanted(folder)])


WAYS = {"ours": by_row, "ours, the encoder with fingerprint": encoded, "gensim": with_gensim}


def main() -> None:
    arguments = _arguments()
    folder = arguments.folder
    if arguments.way:
        from polyprobe.formats.vectors import fasttext_bin  # noqa: F401  (imported before the clock starts)

        run_way(WAYS, arguments.way, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with open(folder / MODEL, "wb") as file:
            _write(file, arguments.words, arguments.buckets)
        results = measured("benchmarks.fasttext_bin", dict.fromkeys(WAYS, arguments.repetitions), folder)
        _report(folder, results, arguments)
    finally:
        for file in (folder / MODEL, *folder.glob("*.npy")):
            file.unlink(missing_ok=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the model is made")
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--buckets", type=int, default=800_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


def _write(file: BinaryIO, n_words: int, n_buckets: int) -> None:
    """Writes a model of version 12, skip-gram with negative sampling; its numbers are random."""
    file.write(struct.pack("<2i", 793712314, 12))
    file.write(struct.pack("<12id", WIDTH, 5, 5, 5, 5, 1, 2, 2, n_buckets, MIN_N, MAX_N, 100, 1e-4))
    file.write(struct.pack("<3i2q", n_words, n_words, 0, 10**9, -1))
    for number in range(n_words):
        file.write(word(number).encode() + b"\0" + struct.pack("<qb", n_words - number, 0))
    random = np.random.default_rng(0)
    for n_rows in (n_words + n_buckets, n_words):
        file.write(struct.pack("<?2q", False, n_rows, WIDTH))
        for start in range(0, n_rows, ROWS_AT_ONCE):
            size = (min(ROWS_AT_ONCE, n_rows - start), WIDTH)
            file.write(random.standard_normal(size, np.float32) * np.float32(0.1))


def _report(folder: Path, results: dict, arguments: argparse.Namespace) -> None:
    n_bytes = (folder / MODEL).stat().st_size
    print(f"{arguments.words:,} words, {arguments.buckets:,} buckets x {WIDTH}, {n_bytes / 1e6:.0f} MB.")
    print(f"{N_WANTED:,} words wanted, half unseen; medians of {arguments.repetitions}; MB/s of the whole file.")
    print_table(results, dict.fromkeys(results, n_bytes), "gensim")
    difference = np.abs(results["gensim"].vectors - results["ours"].vectors).max()
    print(f"largest difference to gensim: {difference:.1e}")


if __name__ == "__main__":
    main()
