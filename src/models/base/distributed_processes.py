"""The processes of a run on several devices: how they start, share work, and end."""

import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from signal import SIGKILL
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.distributed import _set_num_threads_if_needed

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.formats.files.shared_work import Sharing, shared
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.runs.study import Processes, Study

GRACE_SECONDS = 3.0  # in which a process may end by itself

_log = logging.getLogger(__name__)


def or_interrupt(trainer: pl.Trainer, loop: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Runs a loop of a Trainer (`trainer.fit` …); SIGINT comes out as the KeyboardInterrupt that it was.

    Lightning turns it into an ordinary failure, exit code 1 without a word. Where the loop fails, the processes that
    Lightning started end, too: they would wait for this one.
    """
    try:
        loop(*arguments, **options)
    except BaseException as error:
        started = getattr(trainer.strategy.launcher, "procs", [])
        ranks = [process for process in started if isinstance(process, subprocess.Popen)]  # forked ones are joined
        started.clear()  # Lightning's observer kills this process when one of them was killed
        for process in ranks:
            process.send_signal(SIGKILL)
        if isinstance(error, SystemExit) and trainer.interrupted and error.code == 1:
            raise KeyboardInterrupt from error
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
        machine = {"accelerator": accelerator, "devices": devices, "strategy": "ddp"}
        quiet = {"enable_progress_bar": False, "enable_checkpointing": False}
        trainer = trainer_on(machine, num_nodes=num_nodes, plugins=environment, **quiet)
        self._strategy = trainer.strategy
        self._strategy.set_world_ranks()
        self._is_started = False

    def start(self) -> None:
        """Starts the others by Lightning's launcher, without its observer: where one is lost, the rest do its part."""
        launcher = self._strategy.launcher
        if launcher is None or self._is_started:  # the cluster has started all
            return
        self._is_started = True
        environment = launcher.cluster_environment
        try:
            environment.validate_settings(num_devices=launcher.num_processes, num_nodes=launcher.num_nodes)
            if not environment.creates_processes_externally:
                launcher._call_children_scripts()
        except (ValueError, RuntimeError) as error:  # the cluster has other tasks than are asked for
            raise PolyprobeError(f"The processes of the command cannot be started: {briefly(error)}") from error

    @contextmanager
    def at_work(self, study: Study) -> Iterator[None]:
        with ExitStack() as held:
            self._make_ready(held)
            try:
                yield
            finally:
                if self._is_started:
                    self._end_helpers()

    def _end_helpers(self) -> None:
        """Ends the processes that were started here: the work is done, or has failed."""
        helpers = self._strategy.launcher.procs
        for process in helpers:
            process.terminate()
        for process in helpers:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
            process.kill()
            process.wait()

    def _make_ready(self, held: ExitStack) -> None:
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
        held.enter_context(shared(Sharing(self._strategy.global_rank, self._strategy.world_size)))
