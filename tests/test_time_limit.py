"""A test that hangs fails, alone and beside others, and what every thread was waiting for is printed."""

import subprocess
import sys

from tests.commands.scripts import ROOT

HANGS = """
import multiprocessing
import threading

from tests.conftest import no_process_left


def waits_in_a_thread(event):
    event.wait()


def waits_in_a_fork():
    threading.Event().wait()


def test_that_hangs():
    threading.Thread(target=waits_in_a_thread, args=(threading.Event(),), daemon=True).start()
    process = multiprocessing.get_context("fork").Process(target=waits_in_a_fork)
    process.start()
    process.join()


def test_after_it():
    pass
"""


def test_a_test_that_hangs_fails_with_all_stacks(tmp_path, pytestconfig):
    assert 0 < float(pytestconfig.getini("timeout")) < float(pytestconfig.getini("faulthandler_timeout"))
    (tmp_path / "test_hangs.py").write_text(HANGS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-n", "1", "--timeout=1", tmp_path]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert "1 failed, 1 passed" in ended.stdout
    for place in ("process.join()", "in waits_in_a_thread", "in waits_in_a_fork"):
        assert place in ended.stdout
