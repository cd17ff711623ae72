"""A run of `train.py task=lm`, as predictors find it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from src.encoders.checks import path_of
from src.formats.errors import BadValue, PolyprobeError
from src.models.language_model import LanguageModel
from src.models.saved import DamagedCheckpoint, load_model
from src.runs.directory import RunDirectory
from src.runs.provenance import changed, digests, of_files

BEST = "best"


class LanguageModelRun:
    """A language model's configuration and checkpoints.

    Args:
        run: the run's directory.
        key: of the configuration, which names it.

    Attributes:
        config: as it was trained, plain values.
        epochs: the checkpoint file of each epoch, 0 before training.

    Raises:
        BadValue: `run` is no name.
        PolyprobeError: it is no run, one of another task, or has no checkpoints yet.
    """

    def __init__(self, run: str | Path, key: str):
        self.key, self.path = key, path_of(key, run)
        self.directory = RunDirectory(self.path)
        self.config = self._read_config()
        task = self.config["task"]["name"]
        if task != "lm":
            raise PolyprobeError(f"{key}: {self.path} is a run of task={task}. Expected one of task=lm.")
        files = sorted(self.directory.epochs.glob("*.ckpt"))
        self.epochs = {int(file.stem): file for file in files if file.stem.isdecimal()}
        if not self.epochs:
            raise PolyprobeError(f"{key}: {self.path} has no checkpoints yet. {_EXPECTED}")

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.path.resolve().name

    @property
    def seed(self) -> int:
        """The seed of its training."""
        return self.config["seed"]

    @property
    def first(self) -> Path:
        """The file of the earliest epoch that is there."""
        return self.epochs[min(self.epochs)]

    def epoch(self, epoch: int | str) -> int:
        """Gives the number of an epoch that has a checkpoint; "best" is that with the lowest dev perplexity.

        Raises:
            BadValue: it is neither a number nor "best".
            PolyprobeError: no checkpoint is of that epoch, the best is not known before the run is finished, or the run
                lost its run.json.
        """
        there = ", ".join(map(str, sorted(self.epochs)))
        if epoch == BEST:
            record = self._record()
            if not self.directory.is_finished:
                found = f"{self.path} is not finished, so its best epoch is not known"
                raise PolyprobeError(f"{found}. Wait for it, or name an epoch: predictor.epoch of {there}.")
            return record["best_epoch"]
        if isinstance(epoch, bool) or not isinstance(epoch, int):
            raise BadValue("predictor.epoch", epoch, f"best, or one of {there}")
        if epoch not in self.epochs:
            raise PolyprobeError(f"predictor.epoch: {self.path} has no checkpoint of epoch {epoch}. There: {there}.")
        return epoch

    def model(self, epoch: int) -> LanguageModel:
        """Loads the model of an epoch, in evaluation mode, on the CPU.

        Raises:
            DamagedCheckpoint: see `load_model`.
        """
        model = load_model(self.epochs[epoch])
        if not isinstance(model, LanguageModel):
            found = f"its model is a {type(model).__name__}"
            raise DamagedCheckpoint(self.epochs[epoch], found, "a LanguageModel, as the run's configuration says")
        return model

    def check_data(self, files: Sequence[Path], root: Path) -> None:
        """Checks that texts are those of training.

        Args:
            files: all that were read, below `root`.

        Raises:
            PolyprobeError: some are not, names them; or the run lost its run.json.
        """
        before = of_files(self._record().get("data", {}))
        if names := changed(before, digests(files, root)):
            found = f"{', '.join(names)} in {root} changed since {self.path} was begun"
            raise PolyprobeError(f"{found}. Put them back, or name the folder where they are as paths.data.")

    def _record(self) -> Mapping[str, Any]:
        record = self.directory.record()
        if not record:
            found = f"{self.path} has no run.json, which says when it is finished and which texts it learnt from"
            raise PolyprobeError(f"{self.key}: {found}. {_EXPECTED}")
        return record

    def _read_config(self) -> Mapping[str, Any]:
        path = self.directory.config
        try:
            config = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            found = f"{self.path} is no run ({path}: {error.strerror})"
            raise PolyprobeError(f"{self.key}: {found}. {_EXPECTED}") from error
        except (ValueError, yaml.YAMLError) as error:
            raise PolyprobeError(f"{path} is damaged ({_briefly(error)}). {_EXPECTED}") from error
        if not isinstance(config, Mapping) or not isinstance(config.get("task"), Mapping):
            raise PolyprobeError(f"{path} is damaged (it names no task). {_EXPECTED}")
        return config


_EXPECTED = "Expected the directory of a run of python train.py task=lm, as that command prints it."


def _briefly(error: Exception) -> str:
    """Gives an error's words in one line: those of YAML draw the place in four."""
    return " ".join(str(error).split())


def words_of_run(run: str | Path, key: str) -> tuple[str, ...]:
    """Gives the words that the model of a run knows: the same in every epoch.

    Args:
        run, key: see `LanguageModelRun`.

    Raises:
        PolyprobeError: see `LanguageModelRun`.
        DamagedCheckpoint: see `load_model`.
    """
    found = LanguageModelRun(run, key)
    return found.model(min(found.epochs)).vocabulary.words
