"""The cost of adding a test to a probing run, against that of the run, with a transformer on English tokens.

Two commands, each in its own process, as a user runs them: `probe.py` with three tests on an empty cache, then with
a fourth test beside them. Encodings and outcomes of the first are kept, so the second encodes only what the fourth
test has of its own, and trains its probes alone. The fourth test alone on an empty cache is the rival.

Run: POLYPROBE_DATA=… python -m benchmarks.adding_a_test --model <folder of a transformer> --folder <empty folder>
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FIRST, ADDED = ("Number", "Case", "Person"), "Tense"


def main() -> None:
    arguments = _arguments()
    seconds: dict[str, list[float]] = {"three tests": [], "a fourth added": [], "the fourth alone, anew": []}
    for repetition in range(arguments.repetitions):
        shared, alone = arguments.folder / f"shared{repetition}", arguments.folder / f"alone{repetition}"
        seconds["three tests"].append(_run(arguments, shared, FIRST))
        seconds["the fourth alone, anew"].append(_run(arguments, alone, (ADDED,)))
        seconds["a fourth added"].append(_run(arguments, shared, (*FIRST, ADDED)))
        print(f"repetition {repetition + 1}: {json.dumps({name: round(it[-1]) for name, it in seconds.items()})}")
    _print_table(seconds)


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
