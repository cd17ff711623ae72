"""The processes of a distributed run: where one is killed or ends, the others end, and one names it.

On one machine rank 0 starts the others and watches them; they watch rank 0. Where a cluster has started all, they watch
a lock that rank 0 holds, on the file system that they share. A process that waits for one that is gone would wait long,
and the messages of gloo and NCCL about a lost connection name neither rank nor cause.
"""

import logging
import math
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.distributed import _set_num_threads_if_needed
from pytorch_lightning.plugins.environments import SLURMEnvironment
from pytorch_lightning.strategies.launchers import subprocess_script

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.formats.files.locks import held_alone, is_held
from polyprobe.formats.files.shared_work import Sharing, shared
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.runs.command.signals import ENDED, GOES_ON
from polyprobe.runs.study import Processes, Study

RANK_ZERO = "POLYPROBE_RANK_ZERO"  # number of its process, for those that it starts
POLL_SECONDS = 0.2
GRACE_SECONDS = 3.0  # in which the main thread may come out of a lost connection by itself
PATIENCE_SECONDS = 10.0  # in which a rank with a lost connection waits for news of who is gone
LOOK_SECONDS = 5.0  # between looks at what rank 0 holds
ABSENCE_SECONDS = 120.0  # in which news of what rank 0 of a cluster has done arrive

_log = logging.getLogger(__name__)
_dealt_with = threading.Lock()  # taken by the thread that reports what happened
_is_done = threading.Event()


class RankEnded(PolyprobeError):
    """A process of a distributed run is gone."""

    def __init__(self, rank: int, process: int, code: int):
        super().__init__(
            f"Rank {rank} of the run (process {process}) {_ending(code)}; all others were ended. {GOES_ON}"
        )


class ConnectionLost(PolyprobeError):
    """A process of a distributed run that the cluster has started is gone."""

    def __init__(self, rank: int):
        super().__init__(
            f"Rank {rank} of the run has lost its connection to another one, which was killed or has ended: the output "
            f"of the job says which. {GOES_ON}"
        )


def watch_each_other() -> None:
    """Lets rank 0 watch the ranks that Lightning is going to start, and every other rank watch rank 0."""
    if os.environ.get("LOCAL_RANK", "0") == "0":
        os.environ[RANK_ZERO] = str(os.getpid())
        # Lightning's own watch kills rank 0, too, without a word.
        subprocess_script._launch_process_observer = _watch_others
    elif RANK_ZERO in os.environ:
        threading.Thread(target=_watch_rank_zero, args=(int(os.environ[RANK_ZERO]),), daemon=True).start()


def work_is_done() -> None:
    """Notes in a rank above 0 that it has done its part: it does not matter then if rank 0 ends first."""
    _is_done.set()


def end_helpers(others: Sequence[subprocess.Popen]) -> None:
    """Ends ranks whose help is not needed any more: the work is done, or has failed."""
    if not _dealt_with.acquire(blocking=False):
        time.sleep(PATIENCE_SECONDS)  # the watch is ending this process
    for process in others:
        process.terminate()
    with suppress(subprocess.TimeoutExpired):
        for process in others:
            process.wait(GRACE_SECONDS)
    _kill(others)


def end_others(trainer: pl.Trainer, error: BaseException) -> None:
    """Ends the other ranks after an error in this one, or waits to be ended if another is the cause.

    `RankEnded` or, on several nodes, `ConnectionLost` is raised where the error is that of a connection to a rank that
    is gone.
    """
    started = getattr(trainer.strategy.launcher, "procs", [])
    others = [process for process in started if isinstance(process, subprocess.Popen)]  # forked ones are joined
    is_lost = isinstance(error, RuntimeError) and trainer.world_size > 1
    if is_lost and isinstance(trainer.strategy.cluster_environment, SLURMEnvironment):
        raise ConnectionLost(trainer.global_rank) from error
    if not others:
        if is_lost and RANK_ZERO in os.environ and os.environ.get("LOCAL_RANK", "0") != "0":
            time.sleep(PATIENCE_SECONDS)  # rank 0 ends this process before that, or is gone itself
        return
    gone = _first_gone(others, PATIENCE_SECONDS if is_lost else 0)
    if not _dealt_with.acquire(blocking=False):
        time.sleep(PATIENCE_SECONDS)  # the watch is ending this process
    _kill(others)
    if is_lost and gone is not None:
        raise gone from error


def or_interrupt(trainer: pl.Trainer, loop: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Runs a loop of a Trainer (`trainer.fit` …); SIGINT comes out as the KeyboardInterrupt that it was.

    Lightning turns it into an ordinary failure, exit code 1 without a word. Where the loop fails, the other processes
    of a distributed run end, too.

    Raises:
        RankEnded: one of them was killed or ended.
    """
    try:
        loop(*arguments, **options)
    except SystemExit as end:
        end_others(trainer, end)
        if trainer.interrupted and end.code == 1:
            raise KeyboardInterrupt from end
        raise
    except BaseException as error:
        end_others(trainer, error)
        raise


class Ranks(Processes):
    """The processes that share the work of a command through its caches, one for each device that a user asks for.

    They send each other nothing: each computes what no other has taken (`polyprobe.formats.files.shared_work`), rank 0
    reads what the others left. Whatever `trainer.strategy` says, Lightning's ddp finds the
    devices and starts the processes.

    Args:
        accelerator, devices, num_nodes: as Lightning takes them.

    Raises:
        PolyprobeError: the machine has no such devices.
    """

    def __init__(self, accelerator: str, devices: int | str | list[int], num_nodes: int):
        environment = own_environment(num_nodes)
        watch_each_other()
        machine = {"accelerator": accelerator, "devices": devices, "strategy": "ddp"}
        quiet = {"enable_progress_bar": False, "enable_checkpointing": False}
        trainer = trainer_on(machine, num_nodes=num_nodes, plugins=environment, **quiet)
        self._strategy = trainer.strategy
        self._strategy.set_world_ranks()
        self._is_started = False

    def start(self) -> None:
        if self._strategy.launcher is not None and not self._is_started:  # else the cluster has started all
            self._is_started = True
            try:
                self._strategy.launcher.launch(lambda: None)
            except (ValueError, RuntimeError) as error:  # the cluster has other tasks than are asked for
                raise PolyprobeError(f"The processes of the command cannot be started: {briefly(error)}") from error

    @contextmanager
    def at_work(self, study: Study) -> Iterator[None]:
        with ExitStack() as held:
            self._make_ready(study, held)
            try:
                yield
            finally:
                work_is_done()
                if self._is_started:
                    end_helpers(self._strategy.launcher.procs)

    def _make_ready(self, study: Study, held: ExitStack) -> None:
        n_here = self._strategy.num_processes
        _set_num_threads_if_needed(n_here)  # the ranks that are started inherit it
        device = self._strategy.root_device
        if torch.cuda.is_available():  # "cuda" means the GPU of this process, also where probes are trained on the CPU
            own = self._strategy.local_rank % torch.cuda.device_count()
            torch.cuda.set_device(device if device.type == "cuda" else own)
        if device.type == "cpu" and n_here > (os.cpu_count() or n_here):
            cores = plural(os.cpu_count(), "core")
            _log.warning("trainer.devices=%d: this machine has %s, which more processes share.", n_here, cores)
        if self._strategy.global_rank:
            held.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.WARNING)  # rank 0 says it
        self._let_all_know(study, held)
        held.enter_context(shared(Sharing(self._strategy.global_rank, self._strategy.world_size)))

    def _let_all_know(self, study: Study, held: ExitStack) -> None:
        """Where a cluster has started all: lets rank 0 show that it is there, and each other one look whether it is."""
        own, environment = str(os.getpid()), self._strategy.cluster_environment
        if not environment.creates_processes_externally or os.environ.get(RANK_ZERO, own) != own:
            return  # rank 0 starts the others, or has started this one
        _is_done.clear()  # of an earlier study of this process
        lock = study.workspace.processes / f"{study.name}.lock"
        if self._strategy.global_rank:
            options = lock, self._strategy.global_rank, study
            threading.Thread(target=_watch_lock_of_rank_zero, args=options, daemon=True).start()
        else:
            held.enter_context(held_alone(lock))


def _watch_others(others: list[subprocess.Popen]) -> None:
    threading.Thread(target=_end_with_first, args=(others,), daemon=True).start()


def _end_with_first(others: Sequence[subprocess.Popen]) -> None:
    gone = _first_gone(others, None)
    if gone is None:
        return
    time.sleep(GRACE_SECONDS)
    if _dealt_with.acquire(blocking=False):
        _kill(others)
        _end_process(str(gone))


def _first_gone(others: Sequence[subprocess.Popen], seconds: float | None) -> RankEnded | None:
    """Waits for so long (None: without end) for a rank that is killed or fails; None where there is none."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while True:
        codes = [process.poll() for process in others]
        for rank, (process, code) in enumerate(zip(others, codes, strict=True), start=1):
            if code:
                return RankEnded(rank, process.pid, code)
        if all(code == 0 for code in codes) or (deadline is not None and time.monotonic() >= deadline):
            return None
        time.sleep(POLL_SECONDS)


def _watch_rank_zero(process: int) -> None:
    while os.getppid() == process:
        time.sleep(POLL_SECONDS)
    tells = os.environ["LOCAL_RANK"] == "1" and not _is_done.is_set()
    _end_process(f"Rank 0 of the run (process {process}) was killed; all others end. {GOES_ON}" if tells else "")


def _watch_lock_of_rank_zero(lock: Path, rank: int, study: Study) -> None:
    """Ends this process where rank 0 has been seen, and no more for a while: a lock that none sees tells nothing."""
    deadline = math.inf
    while not _is_done.wait(LOOK_SECONDS):
        if is_held(lock):
            deadline = time.monotonic() + ABSENCE_SECONDS
        elif study.run.is_finished:
            return
        elif time.monotonic() >= deadline:
            absent = f"has been gone for {ABSENCE_SECONDS:g} s"
            _end_process(f"Rank 0 of the run {absent}; rank {rank} ends. {GOES_ON}")


def _kill(processes: Sequence[subprocess.Popen]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            process.send_signal(SIGKILL)
    for process in processes:
        process.wait()


def _end_process(message: str) -> None:
    """Ends this process at once: its main thread may wait for a rank that is gone. The system frees its locks."""
    os.write(2, f"\n{message}\n".encode() if message else b"")
    os._exit(1)


def _ending(code: int) -> str:
    if code == -SIGKILL:
        return "was killed (SIGKILL; the system does so where memory runs out)"
    if code < 0:
        return f"was killed ({Signals(-code).name})"
    if code == ENDED:
        return f"received a request to stop ({SIGTERM.name})"
    return f"ended with exit code {code}; see its output above"
