"""Probing tests are made by a command that is killed while it writes, or given twice: tests are whole all the time."""

import multiprocessing
import os
from collections import Counter
from pathlib import Path
from signal import SIGKILL, SIGTERM

import pytest

import polyprobe.generation.suites
from polyprobe.generation.made_tests.writing import STATISTICS
from tests.commands.forked import ForkedScript, call_at, ended, signal_at
from tests.commands.scripts import only_run
from tests.generation.type_tests.lexica import write_lexicon

KILLED = -SIGKILL
FILES = {"train.txt", "dev.txt", "test.txt", "origin.jsonl", STATISTICS}
# Which call of a function of the operating system comes too late; each of the two tests is five files and one folder.
MOMENTS = [("replace", 4), ("rename", 1), ("replace", 13), ("rename", 2)]


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory) -> list[str]:
    unimorph, words = write_lexicon(tmp_path_factory.mktemp("lexicon"), lemmas=25)
    return ["suite=linspector_type", f"made_from.unimorph={unimorph}", f"made_from.frequency={words}"]


def arguments(lexicon: list[str], work: Path) -> list[str]:
    return [*lexicon, "type_level.sizes=scaled", "tests=[Case,SameFeat]", f"paths.work={work}"]


def sets_of(work: Path) -> dict[str, bytes]:
    """The bytes of all files of the tests, of a killed process left-overs, too."""
    sets = only_run(work, "generate") / "sets"
    return {path.relative_to(sets).as_posix(): path.read_bytes() for path in sets.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(lexicon, tmp_path_factory) -> dict[str, bytes]:
    work = tmp_path_factory.mktemp("whole") / "work"
    done = ended("generate", arguments(lexicon, work), work.with_suffix(".said"))
    assert done.exitcode == 0, done.said
    return sets_of(work)


def test_a_command_that_is_killed_again_and_again_ends_with_the_same_bytes(lexicon, whole, tmp_path):
    work = tmp_path / "work"
    for name, number in MOMENTS:
        prepare = signal_at(os, name, number, SIGKILL)
        done = ended("generate", arguments(lexicon, work), tmp_path / "said", prepare)
        assert done.exitcode == KILLED, (name, number, done.said)
        files = Counter(Path(file).parent.name for file in sets_of(work))
        assert all(n == len(FILES) for test, n in files.items() if not test.startswith(".")), files
    done = ended("generate", arguments(lexicon, work), tmp_path / "said")
    assert done.exitcode == 0, done.said
    assert sets_of(work) == whole
    assert not list(work.rglob(".*.tmp"))


def test_a_signal_while_a_test_is_written_is_one_line_and_the_command_goes_on(lexicon, whole, tmp_path):
    work = tmp_path / "work"
    done = ended("generate", arguments(lexicon, work), tmp_path / "said", signal_at(os, "replace", 9, SIGTERM))
    assert done.exitcode == 143, done.said
    assert done.said.count("Ended by SIGTERM.") == 1
    assert not list(work.rglob(".*.tmp"))
    assert ended("generate", arguments(lexicon, work), tmp_path / "said").exitcode == 0
    assert sets_of(work) == whole


def test_of_two_commands_at_once_one_makes_the_tests_and_the_other_says_who_does(lexicon, whole, tmp_path):
    work, is_written, may_finish = tmp_path / "work", multiprocessing.Event(), multiprocessing.Event()

    def wait() -> None:
        is_written.set()
        may_finish.wait()

    prepare = call_at(polyprobe.generation.suites, "described", 1, wait)  # when all is written, and nothing finished
    first = ForkedScript("generate", arguments(lexicon, work), tmp_path / "first", prepare)
    first.start()
    is_written.wait()
    second = ended("generate", arguments(lexicon, work), tmp_path / "second")
    may_finish.set()
    first.join()
    assert (first.exitcode, second.exitcode) == (0, 1), first.said
    assert f"is in use by process {first.pid}" in second.said
    assert sets_of(work) == whole
    assert not list(work.rglob(".*.tmp"))
