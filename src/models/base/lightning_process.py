"""Silences Lightning, sets the threads of torch, and lets Ctrl-C end a run."""

import logging
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytorch_lightning as pl
import torch

from polyprobe.errors import check_at_least
from polyprobe.left_as_found import changing
from polyprobe.models.base.distributed_processes import end_others


def quiet_lightning() -> None:
    """Keeps warnings of Lightning that concern the numbers, and silences the rest."""
    for name in ("pytorch_lightning", "lightning_fabric", "pytorch_lightning.utilities.rank_zero"):
        logger = logging.getLogger(name)
        changing(name, partial(logger.setLevel, logger.level))
        logger.setLevel(logging.WARNING)
    for message in (
        ".*isinstance\\(treespec, LeafSpec\\).*",  # inside Lightning, with this version of torch
        ".*`configure_optimizers` returned `None`.*",  # the probe bank has its own
        ".*does not have many workers.*",  # batches are made in memory, faster than a worker could send them
        ".*Checkpoint directory .* exists and is not empty.*",
        ".*recommended to use `self.log\\(.*sync_dist=True.*",  # our metrics sum over processes themselves
        ".*number of training batches .* is smaller than the logging interval.*",
        ".*`srun` command is available on your system but is not used.*",  # sweeps start SLURM's jobs (submitit)
    ):
        warnings.filterwarnings("ignore", message=message)


def flush_denormals() -> None:
    """Lets torch round numbers below the smallest normal one to zero, in every command, so that all compute alike.

    Saturated gates leave such gradients, which a CPU multiplies some ten times slower. To be called before torch starts
    its threads, which take the mode over.
    """
    changing("torch's generator", partial(torch.set_rng_state, torch.get_rng_state()))
    torch.set_flush_denormal(True)


def set_threads(threads: int | None) -> None:
    """Sets how many threads torch's operations use; None leaves torch's choice.

    Raises:
        BadValue: below 1, or not an integer.
    """
    if threads is not None:
        check_at_least("trainer.threads", threads, 1)
        changing("torch's threads", partial(torch.set_num_threads, torch.get_num_threads()))
        torch.set_num_threads(threads)


def circumstances(accelerator: str, devices: int = 1) -> dict[str, Any]:
    """Returns what run.json records of a start besides versions: threads, devices, and the name of the accelerator.

    Args:
        accelerator: as Lightning names it: "cpu", "gpu", "auto".
        devices: how many processes share the work.
    """
    is_on_gpu = accelerator != "cpu" and torch.cuda.is_available()
    name = torch.cuda.get_device_name() if is_on_gpu else "cpu" if accelerator == "auto" else accelerator
    return {"threads": torch.get_num_threads(), "devices": devices, "accelerator": name}


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
