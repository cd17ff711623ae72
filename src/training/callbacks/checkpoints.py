"""A checkpoint for every epoch, whole or absent, with its digest; the newest good one to continue from.

    epochs/00.ckpt 01.ckpt 02.ckpt 03.ckpt      weights, and where training stood: kept
    resume/                02.ckpt 03.ckpt      states of optimisers (with Adam twice the weights), the newest two

An epoch is there when its file in `epochs` is, which is written last. Where the newest epoch or its states are
damaged, training continues from the one before.

`trainer.keep` says which stay. While a run trains, the epochs that it may continue from stay, too, and the best one
at each of these.
"""

import logging
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins import CheckpointIO
from pytorch_lightning.callbacks import Checkpoint

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import NoRoom, size_of, written_atomically
from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint, load_checkpoint, load_tensors, write_digest
from polyprobe.runs.directory import CHECKPOINT, RunDirectory
from polyprobe.training.callbacks.history import History

STATES = "optimizer_states"
KEPT_STATES = 2  # epochs
_OF_TRAINING = {STATES: list, "epoch": int, "global_step": int, "loops": dict, "callbacks": dict}

log = logging.getLogger(__name__)


class EpochCheckpoints(Checkpoint):
    """Saves `epochs/00.ckpt` before training and `epochs/<k>.ckpt` after k epochs; `best` and `last` link to them.

    Args:
        history: says which epoch is best; must stand before this callback, so that its state is complete.
        saved: plain values from which a checkpoint is opened again: the model's configuration, what the datamodule gave
            the model, and the encoder of frozen inputs or None.
        kept: the epochs that stay in addition to the best and the last; None for all.
    """

    def __init__(
        self, directory: RunDirectory, history: History, saved: Mapping[str, Any], kept: Collection[int] | None
    ):
        self.directory, self.history, self.saved, self.kept = directory, history, dict(saved), kept

    def on_save_checkpoint(self, trainer: pl.Trainer, module: pl.LightningModule, checkpoint: dict[str, Any]) -> None:
        checkpoint["polyprobe"] = self.saved

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        if trainer.global_step == 0:
            self._save(trainer, 0)

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._save(trainer, trainer.current_epoch + 1)

    def _save(self, trainer: pl.Trainer, epoch: int) -> None:
        path = self.directory.checkpoint(epoch)
        trainer.save_checkpoint(path)
        if trainer.is_global_zero:
            self._link(epoch)
            to_go_on_from = range(max(0, epoch - KEPT_STATES + 1), epoch + 1)
            _remove_others(self.directory.resume, to_go_on_from)
            best = {self.history.best_of(one + 1) for one in to_go_on_from}
            self._remove_others_than(best.union(to_go_on_from))

    def finish(self) -> None:
        """Leaves of a run that is trained the epochs that stay; unless all do, the states of its last one alone."""
        last = len(self.history.rows) - 1
        self._link(last)
        self._remove_others_than({last, self.history.best_epoch})
        if self.kept is not None:
            _remove_others(self.directory.resume, {last})

    def _link(self, last: int) -> None:
        link(self.directory.last, self.directory.checkpoint(last))
        link(self.directory.best, self.directory.checkpoint(self.history.best_epoch))

    def _remove_others_than(self, needed: Collection[int]) -> None:
        if self.kept is not None:
            _remove_others(self.directory.epochs, {*needed, *self.kept})


class DigestedCheckpoints(CheckpointIO):
    """Writes checkpoint files atomically, the digest first: a file under its own name is whole and has its digest.

    The states of the optimisers go to a file of their own, which is written before; reading joins them again.
    """

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        path = Path(path)
        _write({STATES: checkpoint[STATES]}, states_path(path))
        _write({key: value for key, value in checkpoint.items() if key != STATES}, path)

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        return load_to_go_on(Path(path))

    def remove_checkpoint(self, path: Any) -> None:
        Path(path).unlink(missing_ok=True)
        states_path(Path(path)).unlink(missing_ok=True)


def load_to_go_on(path: Path) -> dict[str, Any]:
    """Reads the checkpoint of an epoch with all that training needs to continue from it."""
    content = load_checkpoint(path)
    if STATES not in content:
        states = load_tensors(states_path(path))
        content = {**content, **(states if isinstance(states, dict) else {})}
    for key, kind in _OF_TRAINING.items():
        if not isinstance(content.get(key), kind):
            raise DamagedCheckpoint(path, f'its entry "{key}" does not say where training stood', "that of Lightning")
    return content


def states_path(path: Path) -> Path:
    """Returns the file of the states that belong to a checkpoint file."""
    return RunDirectory(path.parents[1]).resume / path.name


def best_checkpoint(directory: RunDirectory) -> Path:
    """Returns the file of the best epoch of a finished run, whether it is there or not."""
    best = directory.record().get("best_epoch")
    if type(best) is not int or best < 0:
        raise PolyprobeError(f"{directory.path}: its run.json names {best!r} as the best epoch. Expected its number.")
    return directory.checkpoint(best)


def newest_checkpoint(directory: RunDirectory) -> Path | None:
    """Returns the newest checkpoint from which training can resume, or None; logs why not from a newer one."""
    for _, path in sorted(directory.checkpoints().items(), reverse=True):
        try:
            load_to_go_on(path)
        except DamagedCheckpoint as error:
            log.warning("%s The run resumes from the previous checkpoint.", error)
        else:
            return path
    return None


def epoch_of(path: Path) -> int:
    """Returns the epoch of a checkpoint file from its name."""
    number = re.match(r"\d+", path.name)
    return int(number[0]) if number else -1


def link(name: Path, target: Path) -> None:
    """Makes `name` a relative link to `target`, in place of what it was before."""
    neighbour = name.with_name(f".{name.name}.tmp")
    neighbour.unlink(missing_ok=True)
    neighbour.symlink_to(os.path.relpath(target, name.parent))
    os.replace(neighbour, name)


def _write(content: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with written_atomically(path) as neighbour:
        try:
            torch.save(content, neighbour)
        except RuntimeError as error:  # torch's own words for a failed write, which name neither file nor cause
            if (end := _hidden_end(error)) is not None:
                raise end from None
            raise NoRoom(path, "torch could not write all of it", size_of(neighbour)) from error
        write_digest(path, file_digest(neighbour))


def _hidden_end(error: BaseException) -> BaseException | None:
    """Finds a signal's exception that broke off a write: closing what is half written, torch puts its own before it."""
    while type(error) is RuntimeError or isinstance(error, OSError):
        error = error.__context__
    return error


def _remove_others(folder: Path, epochs: Collection[int]) -> None:
    for path in sorted(
        folder.glob(f"*{CHECKPOINT}*")
    ):  # a checkpoint before its digest: without it, it would seem damaged
        if epoch_of(path) not in epochs:
            path.unlink(missing_ok=True)
