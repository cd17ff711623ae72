"""Seconds and peak memory of one way of reading, each measured in a process of its own."""

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Ways = Mapping[str, Callable[[Path], np.ndarray]]
MIB = 1024  # ru_maxrss counts KiB


@dataclass(frozen=True, slots=True)
class Measured:
    """What a way took: medians of seconds, the largest peak; start: the peak before it began, imports included.

    Attributes:
        vectors: `[words, width]`, what it read.
    """

    wall: float
    cpu: float
    peak: float
    start: float
    vectors: np.ndarray


def measure(way: Callable[[Path], np.ndarray], folder: Path, vectors: Path) -> None:
    """Runs a way in this process, prints what it took as JSON and keeps what it read in a file."""
    start, wall, cpu = _peak(), time.perf_counter(), time.process_time()
    read = way(folder)
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak": _peak(), "start": start}
    np.save(vectors, read)
    print(json.dumps(taken))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB


def measured(module: str, names: Mapping[str, int], folder: Path) -> dict[str, Measured]:
    """Runs ways in turns, each time in a fresh process.

    Args:
        module: takes `--folder` and `--way`, and calls `measure`.
        names: of the ways, and how often each runs.
        folder: with the files to be read.
    """
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for turn in range(max(names.values())):
        for name in (name for name, repetitions in names.items() if turn < repetitions):
            rounds[name].append(_in_a_fresh_process(module, name, folder))
    return {name: _summary(taken, np.load(_vectors_file(folder, name))) for name, taken in rounds.items()}


def _in_a_fresh_process(module: str, name: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", module, "--folder", str(folder), "--way", name]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])


def _summary(rounds: Sequence[Mapping[str, float]], vectors: np.ndarray) -> Measured:
    wall, cpu = (statistics.median(taken[clock] for taken in rounds) for clock in ("wall", "cpu"))
    peak, start = (max(taken[key] for taken in rounds) for key in ("peak", "start"))
    return Measured(wall, cpu, peak, start, vectors)


def run_way(ways: Ways, name: str, folder: Path) -> None:
    """Measures one way by its name, in this process."""
    measure(ways[name], folder, _vectors_file(folder, name))


def _vectors_file(folder: Path, name: str) -> Path:
    return folder / f"{name.replace(' ', '_')}.npy"


def print_table(results: Mapping[str, Measured], n_bytes: Mapping[str, int], rival: str) -> None:
    """Prints a line for each way; ratios are those of CPU seconds and of wall seconds to the rival's."""
    print(
        f"{'way':34} {'wall s':>7} {'CPU s':>7} {'MB/s':>6} {'peak MiB':>9} {'at start':>9} {'x CPU':>6} {'x wall':>6}"
    )
    for name, taken in results.items():
        times = f"{taken.wall:7.2f} {taken.cpu:7.2f} {n_bytes[name] / 1e6 / taken.cpu:6.0f}"
        ratios = f"{results[rival].cpu / taken.cpu:6.1f} {results[rival].wall / taken.wall:6.1f}"
        print(f"{name:34} {times} {taken.peak:9.0f} {taken.start:9.0f} {ratios}")
