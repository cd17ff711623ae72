"""The cost of adding a test to a probing run, against that of the run, with a transformer on English tokens.

Two commands, each in its own process, as a user runs them: `probe.py` with three tests on an empty cache, then with
a fourth test beside them. Encodings and outcomes of the first are kept, so the second encodes only what the fourth
test has of its own, and trains its probes alone. The fourth test alone on an empty cache is the rival.

First it says what is new in the fourth: sentences, items, and sentences that have to be run since an item of theirs is
new. Most of these were run for another of their words: the vectors of the words that tests ask for are kept, not those
of all words of their sentences.

Run: POLYPROBE_DATA=… python -m benchmarks.adding_a_test --model <folder of a transformer> --folder <empty folder>
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.finnish_tests import composed
from polyprobe.encoders.cache.encoding_blocks import GB
from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.suites.tests import load_test

FIRST, ADDED = ("Number", "Case", "Person"), "Tense"


class Spent(NamedTuple):
    """What one command took."""

    seconds: float
    cpu_seconds: float
    disk: float
    """Gigabytes of the cache of encodings after it."""


def main() -> None:
    arguments = _arguments()
    _print_news()
    spent: dict[str, list[Spent]] = {}
    for repetition in range(arguments.repetitions):
        alone = arguments.folder / f"alone{repetition}"
        spent.setdefault("the fourth alone, anew", []).append(_run(arguments, alone, (ADDED,)))
        shared = arguments.folder / f"shared{repetition}"
        spent.setdefault("three tests", []).append(_run(arguments, shared, FIRST))
        spent.setdefault("a fourth added", []).append(_run(arguments, shared, (*FIRST, ADDED)))
        print(f"repetition {repetition + 1}: {json.dumps({name: round(of[-1].seconds) for name, of in spent.items()})}")
    _print_table(spent)


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
    to_be_run = f"{len(to_run):,} sentences have to be run ({len(to_run) / len(sentences):.0%})"
    print(f"{len(new):,} items, for which {to_be_run}.", flush=True)


def _run(arguments: argparse.Namespace, work: Path, tests: Sequence[str]) -> Spent:
    choices = ["lang=en", "suite=linspector_token", "encoder=transformer", f"encoder.model={arguments.model}"]
    settings = [f"tests=[{','.join(tests)}]", f"trainer.threads={arguments.threads}", f"paths.work={work}"]
    command = [sys.executable, "probe.py", *choices, *settings]
    began, cpu_began = time.perf_counter(), _cpu_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds, cpu_seconds = time.perf_counter() - began, _cpu_seconds() - cpu_began
    n_bytes = sum(block.stat().st_size for block in (work / "cache" / "encodings").glob("*/*.block"))
    return Spent(seconds, cpu_seconds, n_bytes / GB)


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _print_table(spent: dict[str, list[Spent]]) -> None:
    alone = statistics.median(of.cpu_seconds for of in spent["the fourth alone, anew"])
    for name, of_name in spent.items():
        seconds, cpu_seconds, disk = (statistics.median(values) for values in zip(*of_name, strict=True))
        said = f"{seconds:7.0f} s {cpu_seconds:7.0f} CPU s {disk:6.2f} GB"
        print(f"{name:24} {said}   {cpu_seconds / alone:5.2f} of the fourth alone (CPU)")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--folder", type=Path, required=True, help="runs and caches are made here")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
