"""The scripts in a forked process: as a user starts them, but with their libraries loaded already."""

import gc
import multiprocessing
import os
import pickle
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from io import BytesIO
from itertools import count
from pathlib import Path
from pkgutil import walk_packages
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from tests.commands.scripts import ROOT


class ForkedScript(multiprocessing.get_context("fork").Process):
    """Runs a script as its own process, what it prints in a file.

    Args:
        script: its name.
        arguments: of the command line; `trainer.threads` is 1: threads do not live through a fork.
        said: the file of what it prints, on both streams.
        prepare: called in the process before the script begins.
        errors: the file of what it prints on standard error, where that is to be distinguished.
    """

    def __init__(
        self,
        script: str,
        arguments: list[str],
        said: Path,
        prepare: Callable[[], None] = lambda: None,
        errors: Path | None = None,
    ):
        super().__init__()
        self.script, self.arguments, self.file, self.prepare = script, arguments, said, prepare
        self.errors = errors or said

    def start(self) -> None:
        gc.collect()
        gc.freeze()  # else the collector of the process visits, and so copies, all that is loaded
        super().start()

    def run(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        for path in {self.file, self.errors}:
            path.write_text("", encoding="utf-8")
        for number, path in ((1, self.file), (2, self.errors)):
            with open(path, "a", encoding="utf-8") as file:  # one file may be both
                os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        sys.argv = [str(ROOT / f"{self.script}.py"), *self.arguments]
        self.prepare()
        runpy.run_path(sys.argv[0], run_name="__main__")

    @property
    def said(self) -> str:
        return self.file.read_text(encoding="utf-8")


def ended(script: str, arguments: list[str], said: Path, prepare: Callable[[], None] = lambda: None) -> ForkedScript:
    """Runs a script to its end; its exit code and what it printed are in the answer."""
    process = ForkedScript(script, arguments, said, prepare)
    process.start()
    process.join()
    return process


def started_until(
    script: str, arguments: list[str], said: Path, *words: str, prepare: Callable[[], None] = lambda: None
) -> ForkedScript:
    """Starts a script and waits until it has printed lines with these words, in their order."""
    _load_libraries()
    process = ForkedScript(script, arguments, said, prepare)
    process.start()
    while not (said.is_file() and _has_in_order(process.said, words)):
        assert process.is_alive(), process.said
        time.sleep(0.01)
    return process


def _has_in_order(text: str, words: tuple[str, ...]) -> bool:
    """Says whether lines of a text have these words, each below the one before."""
    lines = iter(text.splitlines())
    return all(any(word in line for line in lines) for word in words)


def ended_by(process: ForkedScript, sent: int) -> int:
    """Sends a signal to a process and returns its exit code."""
    os.kill(process.pid, sent)
    process.join(60)
    code = process.exitcode
    process.kill()  # one that does not end in a minute
    return code


def run_script(script: str, *arguments: str, cwd: Path = ROOT) -> CompletedProcess[str]:
    """Runs a script to its end as `subprocess.run` would: its exit code and its output are in the answer.

    Its pictures are PNG alone, their parts where they happen to lie: the same figures as PDF, and with a layout, take
    twice as long, and have tests of their own.
    """
    _load_libraries()
    from matplotlib.figure import Figure

    from polyprobe.analysis.pictures.panels import FORMATS

    def prepare():
        os.chdir(cwd)
        del FORMATS["pdf"]  # of the fork
        Figure.set_layout_engine = lambda figure, *layout, **options: None
        for one in arguments:
            if str(one).startswith("trainer.devices=") and "-m" not in arguments:
                _fork_ranks(int(one.partition("=")[2]) - 1)

    with TemporaryDirectory() as folder:
        said, errors = Path(folder) / "said", Path(folder) / "errors"
        process = ForkedScript(script, [*map(str, arguments)], said, prepare, errors)
        process.start()
        process.join()
        texts = [path.read_text(encoding="utf-8") for path in (said, errors)]
    return CompletedProcess([script, *arguments], process.exitcode, *texts)


class WaitingRank(subprocess.Popen):
    """A process of a distributed run that is forked before the command begins, and begins when Lightning starts it.

    It continues where it was made, as the command of its line; the process that made it starts it by `begin`. Of the
    group of that process it is from then on.
    """

    def __init__(self):
        reads, self._writes = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(reads)
            self.args, self.returncode, self.stdin, self.stdout, self.stderr = "rank", None, None, None, None
            self._child_created, self._waitpid_lock = True, threading.Lock()
            return
        os.close(self._writes)
        os.setpgid(0, 0)
        try:
            with open(reads, "rb") as told:
                sys.argv, environment, folder = pickle.load(told)
        except EOFError:  # the command is over
            os._exit(0)
        os.setpgid(0, os.getpgid(os.getppid()))
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder or ".")

    def begin(self, command: list[str], env: dict[str, str], cwd: str | None) -> subprocess.Popen:
        with open(self._writes, "wb") as file:
            file.write(pickle.dumps((command[1:], env, cwd)))
        return self


def lead_ranks(n: int) -> None:
    """Makes a process the first of a group, with ranks of a distributed run in it."""
    os.setsid()
    _fork_ranks(n)


def _fork_ranks(n: int) -> None:
    """Forks ranks that Lightning then starts in place of a Python of their own.

    It does start such Pythons in tests of the installed package, of sweeps, and of one task by two processes.
    """
    from pytorch_lightning.strategies.launchers import subprocess_script

    ranks = []
    for _ in range(n):
        rank = WaitingRank()
        if not rank.pid:
            return
        ranks.append(rank)
    waiting = iter(ranks)
    subprocess_script.subprocess = SimpleNamespace(Popen=lambda *line, **options: next(waiting).begin(*line, **options))


@cache
def _load_libraries() -> None:
    """Loads all modules, Hydra, its plugins, what writes pictures, and names: no fork does."""
    from matplotlib.figure import Figure

    import polyprobe
    from polyprobe.analysis.pictures.panels import FORMATS
    from polyprobe.runs.command.compose import composed, composing
    from polyprobe.runs.command.overrides import COMMANDS
    from polyprobe.runs.names.foreign_names import ENCODER, MODEL, OPTIMISER, READER, names_of

    for module in walk_packages(polyprobe.__path__, "polyprobe."):
        if module.name != "polyprobe.__main__":  # which would do a command
            import_module(module.name)
    for ending in FORMATS:
        Figure().savefig(BytesIO(), format=ending)
    with composing():
        for script in COMMANDS:
            composed(script, [])
    for place in (MODEL, OPTIMISER, ENCODER, READER):
        names_of(place)


def call_at(owner: Any, name: str, number: int, call: Callable[[], Any]) -> Callable[[], None]:
    """Returns a preparation: before call number `number` (from 1) of `owner.name`, something else is called."""

    def prepare() -> None:
        function, calls = getattr(owner, name), count(1)

        def calling(*arguments: Any, **options: Any) -> Any:
            if next(calls) == number:
                call()
            return function(*arguments, **options)

        setattr(owner, name, calling)

    return prepare


def signal_at(owner: Any, name: str, number: int, sent: int) -> Callable[[], None]:
    """Returns a preparation: call number `number` (from 1) of `owner.name` sends this process a signal first."""
    return call_at(owner, name, number, lambda: os.kill(os.getpid(), sent))
