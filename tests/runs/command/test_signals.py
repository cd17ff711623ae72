"""A process that is asked to end, from its first statement on."""

import ast
import subprocess
import sys
from signal import SIGINT, SIGTERM, SIGUSR1

import pytest

from tests.commands.scripts import ROOT

WAITING = """
import signal
print("ready", flush=True)
try:
    signal.pause()
except BaseException:
    print("swallowed")
"""
CODES = {SIGINT: 130, SIGTERM: 143, SIGUSR1: 143}


@pytest.mark.parametrize("script", ["train", "probe", "analyze", "generate"])
def test_a_script_takes_signals_before_it_imports_anything_else(script):
    _docstring, imported, called, *_ = ast.parse((ROOT / f"{script}.py").read_text(encoding="utf-8")).body
    assert ast.unparse(imported) == "from polyprobe.runs.command.signals import end_clearly"
    assert ast.unparse(called) == "end_clearly()"


@pytest.mark.parametrize("sent", CODES)
def test_a_signal_among_imports_that_swallow_everything_ends_the_process_with_one_line(sent, tmp_path):
    (tmp_path / "waiting.py").write_text(WAITING)
    program = "import sys; from polyprobe.runs.command.signals import end_clearly; end_clearly()"
    program += f"; sys.path.append({str(tmp_path)!r})"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", f"{program}; import waiting"], cwd=ROOT, text=True, **pipes)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(sent)
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (CODES[sent], "")
    assert len(said.strip().splitlines()) == 1
    assert "repeat the command" in said


def test_a_signal_that_is_to_be_ignored_stays_ignored():
    program = """
import os, signal
from polyprobe.runs.command.signals import end_clearly
signal.signal(signal.SIGINT, signal.SIG_IGN)
end_clearly()
os.kill(os.getpid(), signal.SIGINT)
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_a_signal_while_python_clears_up_ends_the_process_with_one_line(tmp_path):
    program = """
import atexit, os, signal, sys
from polyprobe.runs.command.signals import end_at_once, end_clearly
end_clearly()
atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))
end_at_once()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 143
    assert done.stderr.strip().startswith("Ended by SIGTERM.")
    assert "Traceback" not in done.stderr


def test_a_signal_that_is_repeated_is_told_once_and_no_progress_comes_after():
    program = """
import os, signal, sys, threading
from polyprobe.runs.command.signals import end_clearly
from polyprobe.display import progress
end_clearly()
progress.FIRST_LINE = 0.0
is_due = threading.Event()
def no_more(pause):
    is_due.set()
    yield from ()
progress.repeat = no_more
def kill():
    os.kill(os.getpid(), signal.SIGTERM)
def show_once():
    is_due.clear()
    with progress.lines_of(progress.WorkProgress("training", "epochs", 3), sys.stderr):
        is_due.wait()
try:
    show_once()
    kill()
finally:
    try:
        kill()
    finally:
        show_once()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 143
    first, last = filter(None, done.stderr.splitlines())
    assert (first, last.split(".")[0]) == ("training: 0 of 3 epochs done, 3 left", "Ended by SIGTERM")
