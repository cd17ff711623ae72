"""A run that is prolonged: with a greater trainer.max_epochs it continues from the checkpoints of a shorter one."""

import glob
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import written_atomically
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import is_ours
from polyprobe.runs.record.configuration_file import read_configuration
from polyprobe.runs.record.provenance import note_on
from polyprobe.runs.trainer_settings import counted_callbacks
from polyprobe.training.callbacks.checkpoints import epoch_of, newest_checkpoint
from polyprobe.training.settings import TrainingSettings

EARLY_STOPPING = "pytorch_lightning.callbacks.EarlyStopping"
LIMITS = {"fast_dev_run", "max_steps", "max_time", "min_epochs", "min_steps"}  # arguments that end training elsewhere


def take_over_shorter_run(settings: TrainingSettings, inputs: Mapping[str, Any], run: RunDirectory) -> str | None:
    """Copies the checkpoints of the run with most epochs that differs from this one in trainer.max_epochs alone.

    Training goes on from them as an uninterrupted run of so many epochs would: on the same data, with the same versions
    and number of threads, and only if nothing of the model depends on the number of epochs.

    Args:
        inputs: the identity of the inputs, as in the name of the run.
        run: has begun, and no checkpoint.

    Returns:
        The line that says so; None if there is no such run.
    """
    if not _is_independent_of_max_epochs(settings):
        return None
    for epoch, other in sorted(_shorter_runs(settings, inputs, run), key=lambda one: one[0], reverse=True):
        with suppress(PolyprobeError, FileNotFoundError), other.held():  # it is trained at this moment
            for folder in (other.resume, other.epochs):
                target = run.path / folder.name
                target.mkdir(exist_ok=True)
                for file in sorted(folder.glob("[0-9]*")):
                    with written_atomically(target / file.name) as neighbour:
                        shutil.copyfile(file, neighbour)
            return f"continuing from epoch {epoch} of {other.path}"
    return None


def _is_independent_of_max_epochs(settings: TrainingSettings) -> bool:
    """Says whether an epoch is the same however many follow: of a user's own classes nobody knows."""
    others = [one.get("_target_") for one in counted_callbacks(settings.callbacks).values()]
    ours = is_ours(settings.model.class_path) and is_ours(str(settings.task.datamodule["_target_"]))
    is_known = ours and all(one == EARLY_STOPPING for one in others)
    return is_known and not settings.trainer.several_processes and not LIMITS & settings.trainer.arguments.keys()


def _shorter_runs(
    settings: TrainingSettings, inputs: Mapping[str, Any], run: RunDirectory
) -> Iterator[tuple[int, RunDirectory]]:
    """Yields runs whose name is that of this one with another number of epochs, after the number that is trained."""
    own, trainer = run.record(), settings.identity.settings["trainer"]
    for path in run.path.parent.glob(f"{glob.escape(run.name[:-8])}{'?' * 8}"):
        with suppress(PolyprobeError, OSError):
            other = RunDirectory(path)
            n_epochs = read_configuration(other.config)["trainer"]["max_epochs"]
            name = settings.identity.name(encoder=inputs, trainer={**trainer, "max_epochs": n_epochs})
            record = other.record()
            is_same = name == path.name != run.name and record.get("data") == own["data"]
            if not is_same or note_on([*record.get("starts", []), own["starts"][-1]]):
                continue
            epoch = epoch_of(newest_checkpoint(other) or Path())
            was_stopped = other.is_finished and epoch != n_epochs
            kept = settings.trainer.kept_epochs
            has_all = {one for one in range(epoch) if kept is None or one in kept} <= other.checkpoints().keys()
            if 0 < epoch <= settings.trainer.max_epochs and has_all and not was_stopped:
                yield epoch, other
