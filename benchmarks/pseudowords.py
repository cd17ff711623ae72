"""Pseudowords with all their statistics: polyprobe against the package wuggy (1.1.2), on one core.

Both search five pseudowords of each seed word, drawn from a lexicon, with OLD20, ned1 and deviations. polyprobe takes
10,000 seed words; wuggy a few of them, each in as many seconds as it is allowed, which is scaled up. Every pseudoword
of wuggy must be one that polyprobe finds in the same windows, and a narrower window must be in wuggy's list whole.

Run: python -m benchmarks.pseudowords --lexica FOLDER [--wuggy PYTHON]   (of an environment with wuggy==1.1.2)
"""

import argparse
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path

from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.pseudo_tests.pseudoword_list import deviation, neighbours
from polyprobe.generation.pseudowords import PseudowordLexicon
from polyprobe.generation.syllables.segments import nuclei

LANGUAGES = ("turkish", "basque", "spanish", "english")
N = 5
MOST_WINDOWS = 40
N_LARGE = 50_000  # paths of a window that are no longer compared


def main() -> None:
    arguments = _arguments()
    for language in LANGUAGES:
        path = arguments.lexica / f"{language}.txt"
        start = time.perf_counter()
        lexicon = PseudowordLexicon(wuggy_lexicon.read(path, refuse), language)
        load = time.perf_counter() - start
        words = sorted(set(lexicon.entries))
        seed_words = random.Random(1).sample(words, min(arguments.seed_words, len(words)))
        search, statistics, n_found = _ours(lexicon, seed_words)
        print(
            f"{language:8} {len(seed_words):,} seed words, {n_found:,} pseudowords: "
            f"load {load:.1f} s, search {search:.1f} s, statistics {statistics:.1f} s",
            flush=True,
        )
        if arguments.wuggy:
            some = seed_words[: arguments.seed_words_of_wuggy]
            theirs = _wuggy(arguments.wuggy, path, language, some, arguments.longest)
            a_word, our_word = theirs["search"] / len(some), (search + statistics) / len(seed_words)
            print(
                f"         wuggy: load {theirs['load']:.1f} s, {len(some)} seed words {theirs['search']:.1f} s; a seed "
                f"word {1000 * a_word:.0f} ms, ours {1000 * our_word:.1f} ms ({a_word / our_word:.0f} times); "
                + _agreement(lexicon, theirs["found"]),
                flush=True,
            )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexica", type=Path, required=True, help="folder with turkish.txt, …")
    parser.add_argument("--wuggy", help="python of wuggy's environment")
    parser.add_argument("--seed-words", type=int, default=10_000)
    parser.add_argument("--seed-words-of-wuggy", type=int, default=30)
    parser.add_argument("--longest", type=int, default=20, help="seconds for a word, as wuggy is told")
    return parser.parse_args()


def _ours(lexicon: PseudowordLexicon, seed_words: list[str]) -> tuple[float, float, int]:
    """Measures the seconds of search and of statistics, and counts the pseudowords."""
    start = time.perf_counter()
    chosen = {word: lexicon.chosen(word, N, MOST_WINDOWS, seed=1) for word in seed_words}
    searched = time.perf_counter()
    neighbours([*chosen, *(one.letters for some in chosen.values() for one in some)], lexicon.entries)
    for word, some in chosen.items():
        for one in some:
            deviation(lexicon.chain, one.segments, lexicon.segments(word))
    return searched - start, time.perf_counter() - searched, sum(map(len, chosen.values()))


def _wuggy(python: str, path: Path, language: str, seed_words: list[str], longest: int) -> dict:
    task = {"lexicon": str(path.resolve()), "nuclei": nuclei(language), "seed_words": seed_words, "n": N}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(task | {"longest": longest}, file)
        file.flush()
        program = Path(__file__).with_name("wuggy_process.py")
        done = subprocess.run([python, program, file.name], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _agreement(lexicon: PseudowordLexicon, found: dict[str, list[str]]) -> str:
    kinds = [_agrees(lexicon, word, set(theirs)) for word, theirs in found.items()]
    return ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))


def _agrees(lexicon: PseudowordLexicon, word: str, theirs: set[str]) -> str:
    sizes = {width: paths.n_paths for width, paths in lexicon.paths(word, MOST_WINDOWS)}
    narrower: set[str] = set()
    for width, some in lexicon.windows(word, MOST_WINDOWS):
        together = narrower | {one.letters for one in some}
        if len(together) >= N:
            return "equal" if narrower <= theirs <= together and len(theirs) == N else _shorter(theirs, together)
        narrower = together
        if sizes.get(2 * width, 0) > N_LARGE:
            return "not compared"
    return "equal" if theirs == narrower else _shorter(theirs, narrower)


def _shorter(theirs: set[str], ours: set[str]) -> str:
    return "out of time" if theirs <= ours else "DIFFERENT"


if __name__ == "__main__":
    main()
