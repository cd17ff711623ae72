"""The cost of adding a test to a probing run, against that of the run, with a transformer on English tokens.

Two commands, each in its own process, as a user runs them: `probe.py` with three tests on an empty cache, then with
a fourth test beside them. Encodings and outcomes of the first are kept, so the second encodes only what the fourth
test has of its own, and trains its probes alone. The fourth test alone on an empty cache is the rival.

First it says what is new in the fourth: sentences, items, and sentences that have to be run since an item of theirs is
new. Most of these were run for another of their words: of each sentence the vectors of the words that tests ask for are
kept, not those of all its words, which would take so many times the disk.

Run: POLYPROBE_DATA=… python -m benchmarks.adding_a_test --model <folder of a transformer> --folder <empty folder>
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.finnish_tests import composed
from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.suites.tests import load_test

FIRST, ADDED = ("Number", "Case", "Person"), "Tense"


def main() -> None:
    arguments = _arguments()
    _print_news()
    seconds: dict[str, list[float]] = {"three tests": [], "a fourth added": [], "the fourth alone, anew": []}
    for repetition in range(arguments.repetitions):
        shared, alone = arguments.folder / f"shared{repetition}", arguments.folder / f"alone{repetition}"
        seconds["three tests"].append(_run(arguments, shared, FIRST))
        seconds["the fourth alone, anew"].append(_run(arguments, alone, (ADDED,)))
        seconds["a fourth added"].append(_run(arguments, shared, (*FIRST, ADDED)))
        print(f"repetition {repetition + 1}: {json.dumps({name: round(it[-1]) for name, it in seconds.items()})}")
    _print_table(seconds)


def _print_news() -> None:
    """Says how much of the fourth test the first three lack."""
    config = composed("lang=en", "suite=linspector_token", "encoder=char_ngrams")
    suite, root = built(config["suite"], "suite"), Path(os.environ["POLYPROBE_DATA"])
    tests = [load_test(suite, config["lang"], name, root, None, refuse) for name in (*FIRST, ADDED)]
    *first, added = (
        {item for split in (one.train, one.dev, one.test) for items in split.items for item in items} for one in tests
    )
    known, new = set().union(*first), added.difference(*first)
    sentences, to_run, before = ({item.words for item in items} for items in (added, new, known))
    print(f"{ADDED}: {len(added):,} items in {len(sentences):,} sentences. New beside {', '.join(FIRST)}:", end=" ")
    print(f"{len(sentences - before):,} sentences ({len(sentences - before) / len(sentences):.0%}),", end=" ")
    print(
        f"{len(new):,} items, for which {len(to_run):,} sentences have to be run ({len(to_run) / len(sentences):.0%})."
    )
    times = sum(map(len, before)) / len(known)
    print(f"Vectors of all words of the sentences of the three would take {times:.1f} times the disk.", flush=True)


def _run(arguments: argparse.Namespace, work: Path, tests: Sequence[str]) -> float:
    choices = ["lang=en", "suite=linspector_token", "encoder=transformer", f"encoder.model={arguments.model}"]
    settings = [f"tests=[{','.join(tests)}]", f"trainer.threads={arguments.threads}", f"paths.work={work}"]
    begin = time.perf_counter()
    subprocess.run([sys.executable, "probe.py", *choices, *settings], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def _print_table(seconds: dict[str, list[float]]) -> None:
    whole = statistics.median(seconds["three tests"])
    for name, taken in seconds.items():
        median = statistics.median(taken)
        print(f"{name:24} {median:7.0f} s   {median / whole:5.2f} of three tests anew")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--folder", type=Path, required=True, help="runs and caches are made here")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
