"""10,000 wanted words out of a text file of word vectors: our reader, gensim, and a loop that splits every line.

Each way runs in a fresh process, in turns, on a file that the page cache holds; imports are not timed. The file is made
first and removed at the end: 300 numbers a word with four decimals, as fastText writes them. One process reads a file
of a quarter of the words (that is where growing memory would show); one only reads the bytes.

Run: python -m benchmarks.vec_streaming --folder <a folder with 1.5 GB free>
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.fresh_process import measured, print_table, run_way

WIDTH, N_WANTED = 300, 10_000
FULL, QUARTER = "words.vec", "quarter.vec"


def word(number: int) -> str:
    return f"sõna{number}"


def wanted(folder: Path) -> list[str]:
    """Returns the wanted words; the smaller file has them all."""
    with open(folder / QUARTER, "rb") as file:
        n_words = int(file.readline().split()[0])
    chosen = np.random.default_rng(1).choice(n_words, N_WANTED, replace=False)
    return [word(number) for number in chosen.tolist()]


def streamed(folder: Path, name: str = FULL) -> np.ndarray:
    from polyprobe.formats.vectors.word_vectors import opened

    words = wanted(folder)
    found = opened(folder / name, None).read_wanted(words)
    row_of = {word: row for row, word in enumerate(found.words)}
    return found.vectors[[row_of[word] for word in words]]


def encoded(folder: Path) -> np.ndarray:
    """The whole encoder: the fingerprint reads the file once more."""
    from polyprobe.encoders.static_vectors import StaticVectors
    from polyprobe.items import Form

    encoder = StaticVectors(folder / FULL, None, "shared", 1, lowercase=False, dotless_i=False)
    return np.concatenate([layer for (layer,) in encoder.encode([Form(word) for word in wanted(folder)])])


def with_gensim(folder: Path) -> np.ndarray:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors.load_word2vec_format(str(folder / FULL))
    return np.stack([vectors[word] for word in wanted(folder)])


def split(folder: Path) -> np.ndarray:
    """Splits every line, and turns the numbers of wanted words into floats."""
    words = wanted(folder)
    found = dict.fromkeys(words)
    with open(folder / FULL, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            name, *numbers = line.rstrip().split(" ")
            if name in found:
                found[name] = np.array([float(number) for number in numbers], np.float32)
    return np.stack([found[word] for word in words])


def bytes_alone(folder: Path) -> np.ndarray:
    buffer = bytearray(1 << 20)
    with open(folder / FULL, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return np.empty((0, WIDTH))


WAYS = {
    "ours": streamed,
    "ours, a quarter of the words": lambda folder: streamed(folder, QUARTER),
    "ours, the encoder with fingerprint": encoded,
    "the bytes alone": bytes_alone,
    "split of every line": split,
    "gensim": with_gensim,
}


def main() -> None:
    arguments = _arguments()
    folder = arguments.folder
    if arguments.way:
        from polyprobe.formats.vectors import word_vectors  # noqa: F401  (imported before the clock starts)

        run_way(WAYS, arguments.way, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _write(folder / FULL, arguments.words)
        _write(folder / QUARTER, arguments.words // 4)
        repetitions = dict.fromkeys(WAYS, arguments.repetitions) | {"gensim": arguments.gensim_repetitions}
        _report(folder, measured("benchmarks.vec_streaming", repetitions, folder), arguments)
    finally:
        for file in (*(folder / name for name in (FULL, QUARTER)), *folder.glob("*.npy")):
            file.unlink(missing_ok=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the files are made")
    parser.add_argument("--words", type=int, default=500_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--gensim-repetitions", type=int, default=1, help="it takes minutes")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


def _write(path: Path, n_words: int) -> None:
    with open(path, "wb") as file:
        file.write(f"{n_words} {WIDTH}\n".encode())
        file.writelines(_rows(n_words))


def _rows(n_words: int) -> Iterator[bytes]:
    random = np.random.default_rng(0)
    numbers = [b" ".join(b"%.4f" % value for value in random.normal(0, 0.1, WIDTH)) for _ in range(2000)]
    return (b"%b %b\n" % (word(number).encode(), numbers[number % len(numbers)]) for number in range(n_words))


def _report(folder: Path, results: dict, arguments: argparse.Namespace) -> None:
    n_bytes = dict.fromkeys(WAYS, (folder / FULL).stat().st_size)
    n_bytes["ours, a quarter of the words"] = (folder / QUARTER).stat().st_size
    print(f"{arguments.words:,} words x {WIDTH}, {n_bytes['ours'] / 1e6:.0f} MB; {N_WANTED:,} wanted.")
    print(f"Medians of {arguments.repetitions}, gensim of {arguments.gensim_repetitions}; MB/s of CPU time.")
    print_table(results, n_bytes, "gensim")
    for name, taken in results.items():
        if name not in ("ours", "the bytes alone", "ours, a quarter of the words"):
            print(f"largest difference to {name}: {np.abs(taken.vectors - results['ours'].vectors).max():.1e}")


if __name__ == "__main__":
    main()
