"""Scoring that is killed goes on from its last block; two processes share the work. Real processes on lang=mini."""

import signal
import subprocess
import sys

from tests.commands.scripts import ROOT


def begun(folder, last=0):
    """Starts to judge, up to the moment before the model is asked."""
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.probing.minimal_sets.judged_in_process", str(folder), str(last)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def ended(processes):
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    return [process.returncode for process in processes]


def results(folder):
    return [path.read_text() for path in folder.glob("*.jsonl")]


def blocks(folder):
    return (folder / "log").read_text().split()


def test_scoring_goes_on_where_it_was_killed_and_two_processes_do_each_block_once(tmp_path):
    killed, shared = tmp_path / "killed", tmp_path / "shared"
    assert ended([begun(killed, last=5)]) == [-signal.SIGKILL]
    assert (len(blocks(killed)), results(killed)) == (5, [])
    assert ended([begun(killed), begun(shared), begun(shared)]) == [0, 0, 0]
    assert len(blocks(killed)) == len(set(blocks(killed))) > 10
    assert sorted(blocks(shared)) == sorted(blocks(killed))
    (resumed,) = results(killed)
    assert results(shared) == [resumed, resumed]
