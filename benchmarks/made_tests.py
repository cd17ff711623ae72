"""What the benchmarks of made tests share: each way of making them runs in a fresh process; imports are not timed."""

import argparse
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fresh_process import Ways, measured, run_way

MADE = "made"  # the folder of the tests


def counted(outcomes: Iterable[Any]) -> np.ndarray:
    """Returns the number of tests that were written, and of their items."""
    from polyprobe.generation.maker import Written

    sizes = [sum(one.statistics["items"].values()) for one in outcomes if isinstance(one, Written)]
    return np.array([len(sizes), sum(sizes)])


def run(module: str, description: str | None, ways: Ways, write: Callable[[Path], None], files: Sequence[str]) -> None:
    """Runs the command of a benchmark.

    Args:
        module: that calls this function when it is run.
        description: of the command.
        ways: to make tests, each from the folder in which files were written to what `counted` returns.
        write: writes the files that tests are made from into a folder.
        files: their names; a star stands for any letters.
    """
    arguments = _arguments(description, ways)
    folder = arguments.folder
    if arguments.way:
        from polyprobe.generation import suites  # noqa: F401  (imported before the clock starts)

        run_way(ways, arguments.way, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        write(folder)
        results = measured(module, dict.fromkeys(ways, arguments.repetitions), folder)
    finally:
        shutil.rmtree(folder / MADE, ignore_errors=True)
        for file in [file for name in (*files, "*.npy") for file in folder.glob(name)]:
            file.unlink(missing_ok=True)
    for name, taken in results.items():
        tests, items = taken.vectors
        what = f"{tests} tests, {items:,} items"
        print(f"{name:38} {what}: {taken.wall:.1f} s, CPU {taken.cpu:.1f} s, {taken.peak:,.0f} MiB")


def _arguments(description: str | None, ways: Ways) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the files are made")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--way", choices=ways, help=argparse.SUPPRESS)
    return parser.parse_args()
