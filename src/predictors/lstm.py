"""An LSTM language model that train.py trained (Mueller et al. 2020, section 4), as a predictor."""

from pathlib import Path
from typing import Annotated, Any

from polyprobe.encoders.base.device import device_of
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor
from polyprobe.predictors.word_level.predictor import WordOptions
from polyprobe.predictors.word_level.trained_run import LanguageModelRun


class LSTMPredictor(LanguageModelPredictor):
    """Predicts each word of a sentence from the words before it, with the model of a run of `train.py task=lm`.

    Args:
        run: the run's directory.
        epoch: "best", or the number of an epoch; 0 is before training.
        device: see `device_of`.

    Raises:
        PolyprobeError: see `LanguageModelRun`.
        DamagedCheckpoint: see `load_model`.
    """

    def __init__(self, run: str | Path, epoch: int | str, device: str | None, **options: Annotated[Any, WordOptions]):
        checked = WordOptions(**options)
        found = LanguageModelRun(run, "predictor.run")
        number = found.epoch(epoch)
        model = found.model(number).to(device_of(device, "predictor"))
        super().__init__("lstm", model, checked, found.seed, number)
        self.training, self.model_name = found.config, found.name
