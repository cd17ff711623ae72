"""The processes of a run on several devices: how they start, share work, and end."""

import logging
import os
import subprocess
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from signal import SIGKILL

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.formats.files.shared_work import Sharing, shared
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.runs.study import Processes, Study

GRACE_SECONDS = 3.0  # in which a process may end by itself


@contextmanager
def interruptible(trainer: pl.Trainer) -> Iterator[None]:
    """Holds a loop of a Trainer (`trainer.fit` …); SIGINT comes out as the KeyboardInterrupt that it was.

    Lightning turns it into an ordinary failure, exit code 1 without a word. Where the loop fails, the processes that
    Lightning started end, too: they would wait for this one.

    Raises:
        PolyprobeError: Lightning itself, or one of its callbacks, refuses how it is set.
    """
    try:
        yield
    except BaseException as error:
        started = getattr(trainer.strategy.launcher, "procs", [])
        ranks = [process for process in started if isinstance(process, subprocess.Popen)]  # forked ones are joined
        started.clear()  # Lightning's observer kills this process when one of them was killed
        for process in ranks:
            process.send_signal(SIGKILL)
        if isinstance(error, SystemExit) and trainer.interrupted and error.code == 1:
            raise KeyboardInterrupt from error
        if isinstance(error, MisconfigurationException) or _is_of_lightning(error):
            raise PolyprobeError(f"Lightning cannot train so: {' '.join(str(error).split())}") from error
        raise


def _is_of_lightning(error: BaseException) -> bool:
    """Says whether Lightning's own code raised an error, as EarlyStopping does of an unknown metric."""
    if not isinstance(error, RuntimeError | ValueError):
        return False
    frame, _ = [*traceback.walk_tb(error.__traceback__)][-1]
    return str(frame.f_globals.get("__name__")).startswith(("pytorch_lightning.", "lightning_fabric."))


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
        machine = {"accelerator": accelerator, "devices": devices, "strategy": "ddp"}
        quiet = {"enable_progress_bar": False, "enable_checkpointing": False}
        trainer = trainer_on(machine, num_nodes=num_nodes, plugins=environment, **quiet)
        self._strategy = trainer.strategy
        self._strategy.set_world_ranks()
        self._is_started = False
        self._helpers: list[subprocess.Popen] = []

    def start(self) -> None:
        """Starts the others by Lightning's launcher; where one is lost, the rest do its part."""
        launcher = self._strategy.launcher
        if launcher is None or self._is_started:  # the cluster has started all
            return
        self._is_started = True
        try:
            launcher.launch(self._take_over)
        except (ValueError, RuntimeError) as error:  # the cluster has other tasks than are asked for
            raise PolyprobeError(f"The processes of the command cannot be started: {briefly(error)}") from error

    def _take_over(self) -> None:
        """Takes the started processes from Lightning, which kills all when one of its own was killed."""
        self._helpers = [*self._strategy.launcher.procs]
        self._strategy.launcher.procs.clear()

    @contextmanager
    def at_work(self, study: Study) -> Iterator[None]:
        with ExitStack() as held:
            self._make_ready(held)
            try:
                yield
            finally:
                self._end_helpers()

    def _end_helpers(self) -> None:
        """Ends the processes that were started here: the work is done, or has failed."""
        for process in self._helpers:
            process.terminate()
        for process in self._helpers:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
            process.kill()
            process.wait()

    def _make_ready(self, held: ExitStack) -> None:
        n_here = self._strategy.num_processes
        if "OMP_NUM_THREADS" not in os.environ:  # as Lightning does; the ranks that are started inherit it
            n_cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            n_threads = max(1, n_cpus // n_here)
            torch.set_num_threads(n_threads)
            os.environ["OMP_NUM_THREADS"] = str(n_threads)
        device = self._strategy.root_device
        if torch.cuda.is_available():  # "cuda" means the GPU of this process, also where probes are trained on the CPU
            own = self._strategy.local_rank % torch.cuda.device_count()
            torch.cuda.set_device(device if device.type == "cuda" else own)
        if self._strategy.global_rank:
            held.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.WARNING)  # rank 0 says it
        held.enter_context(shared(Sharing(self._strategy.global_rank, self._strategy.world_size)))
