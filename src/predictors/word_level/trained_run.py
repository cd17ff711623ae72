"""A run of `train.py task=lm`, opened for predictors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyprobe.encoders.base.encoder import path_of
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint, fresh_model, load_model
from polyprobe.models.language_model import LanguageModel
from polyprobe.runs.directory import RunDirectory

BEST = "best"


class LanguageModelRun:
    """A language model's configuration and checkpoints.

    Attributes:
        config: as it was trained, plain values.
        epochs: the checkpoint file of each epoch, 0 before training.

    Raises:
        BadValue: `run` is not a name.
        PolyprobeError: it is not a run, is one of another task, or has no checkpoints yet.
    """

    def __init__(self, run: str | Path, key: str):
        self.key, self.path = key, path_of(key, run)
        self.directory = RunDirectory(self.path)
        self.config = self._read_config()
        task = self.config["task"]["name"]
        if task != "lm":
            raise PolyprobeError(f"{key}: {self.path} is a run of task={task}. Expected one of task=lm.")
        self.epochs = self.directory.checkpoints()
        if not self.epochs:
            raise PolyprobeError(f"{key}: {self.path} has no checkpoints yet. {EXPECTED}")

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.path.resolve().name

    @property
    def seed(self) -> int:
        """The seed of its training."""
        return self.config["seed"]

    def epoch(self, epoch: int | str) -> int:
        """Returns the number of an epoch that has a checkpoint; "best" is that with the lowest dev perplexity.

        Raises:
            BadValue: it is neither "best" nor the number of an epoch with a checkpoint.
            PolyprobeError: the best is not known before the run is finished.
        """
        there = ", ".join(map(str, sorted(self.epochs)))
        if epoch == BEST:
            if not self.directory.is_finished:
                found = f"{self.path} is not finished, so its best epoch is not known"
                raise PolyprobeError(f"{found}. Wait for it, or name an epoch: predictor.epoch of {there}.")
            return self.directory.record()["best_epoch"]
        if type(epoch) is not int or epoch not in self.epochs:
            raise BadValue("predictor.epoch", epoch, f"best, or one of {there}, the checkpoints of {self.path}")
        return epoch

    def model(self, epoch: int) -> LanguageModel:
        """Loads the model of an epoch, in evaluation mode, on the CPU.

        Raises:
            DamagedCheckpoint: see `load_model`.
        """
        return _language_model(self.epochs[epoch], load_model(self.epochs[epoch]))

    def fresh_model(self, seed: int) -> LanguageModel:
        """Returns the model of the earliest epoch with weights drawn afresh, in evaluation mode, on the CPU.

        Raises:
            DamagedCheckpoint: see `load_model`.
        """
        first = self.epochs[min(self.epochs)]
        model, _ = fresh_model(first, seed)
        return _language_model(first, model)

    def _read_config(self) -> Mapping[str, Any]:
        path = self.directory.config
        try:
            config = self.directory.configuration()
        except OSError as error:
            found = f"{self.path} is no run ({path}: {error.strerror})"
            raise PolyprobeError(f"{self.key}: {found}. {EXPECTED}") from error
        except PolyprobeError as error:
            raise PolyprobeError(f"{error} {EXPECTED}") from error
        if not isinstance(config.get("task"), Mapping):
            raise PolyprobeError(f"{path} is of another command. {EXPECTED}")
        return config


EXPECTED = "Expected the directory of a run of python train.py task=lm, as that command prints it."


def _language_model(path: Path, model: Any) -> LanguageModel:
    if not isinstance(model, LanguageModel):
        found = f"its model is a {type(model).__name__}"
        raise DamagedCheckpoint(path, found, "a LanguageModel, as the run's configuration says")
    return model


def words_of_run(run: str | Path, key: str) -> tuple[str, ...]:
    """Returns the words that the model of a run knows: the same in every epoch.

    Args:
        run, key: see `LanguageModelRun`.

    Raises:
        PolyprobeError: see `LanguageModelRun`.
        DamagedCheckpoint: see `load_model`.
    """
    found = LanguageModelRun(run, key)
    return found.model(min(found.epochs)).vocabulary.words
