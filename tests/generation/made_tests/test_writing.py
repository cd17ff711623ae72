import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from polyprobe.formats.files.digest import SEAL
from polyprobe.generation.made_tests.writing import write_test

ROWS = {"train": [("ev", "Noun")], "dev": [("git", "Verb")], "test": [("at", "Noun")]}


def test_a_test_is_written_in_linspectors_layout(tmp_path):
    write_test(tmp_path / "POS", ROWS, [{"line": 1}], {"test": "POS"})
    assert sorted(os.listdir(tmp_path)) == ["POS"]
    assert (tmp_path / "POS/train.txt").read_text(encoding="utf-8") == "ev\tNoun\n"
    assert json.loads((tmp_path / "POS/origin.jsonl").read_text(encoding="utf-8")) == {"line": 1}
    statistics = json.loads((tmp_path / "POS/statistics.json").read_text(encoding="utf-8"))
    assert statistics.keys() == {"test", SEAL}


def test_an_earlier_test_is_replaced_whole(tmp_path):
    write_test(tmp_path / "POS", ROWS, [], {"test": "POS"})
    write_test(tmp_path / "POS", {"train": [("su", "Noun")]}, [], {"test": "POS"})
    assert sorted(os.listdir(tmp_path)) == ["POS"]
    assert sorted(os.listdir(tmp_path / "POS")) == ["origin.jsonl", "statistics.json", "train.txt"]


def test_a_row_that_cannot_be_written_leaves_the_earlier_test(tmp_path):
    write_test(tmp_path / "POS", ROWS, [], {"test": "POS"})
    with pytest.raises(Exception, match="has a tab"):
        write_test(tmp_path / "POS", {"train": [("e\tv", "Noun")]}, [], {})
    assert sorted(os.listdir(tmp_path)) == ["POS"]
    assert (tmp_path / "POS/train.txt").read_text(encoding="utf-8") == "ev\tNoun\n"


def test_a_process_that_is_killed_while_writing_leaves_no_half_test(tmp_path):
    script = """
        import os, signal, sys
        from pathlib import Path
        from polyprobe.generation.made_tests.writing import write_test

        def rows():
            yield ("ev", "Noun")
            os.kill(os.getpid(), signal.SIGKILL)

        write_test(Path(sys.argv[1]), {"train": [("ev", "Noun")], "dev": rows()}, [], {})
    """
    root = Path(__file__).parents[3]
    killed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "POS")], cwd=root, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "POS").exists()
    write_test(tmp_path / "POS", ROWS, [], {"test": "POS"})
    assert (tmp_path / "POS/test.txt").exists()


def test_two_writers_of_one_folder_leave_one_whole_test(tmp_path):
    """The second one writes while the first one is inside."""

    def slow_rows():
        yield ("ev", "Noun")
        write_test(tmp_path / "POS", ROWS, [], {"writer": 2})

    write_test(tmp_path / "POS", {**ROWS, "train": slow_rows()}, [], {"writer": 1})
    assert sorted(os.listdir(tmp_path)) == ["POS"]
    assert json.loads((tmp_path / "POS/statistics.json").read_text(encoding="utf-8"))["writer"] == 1
    assert (tmp_path / "POS/train.txt").read_text(encoding="utf-8") == "ev\tNoun\n"
