"""LSTM language models of train.py (Mueller et al. 2020, section 4), trained or with random weights, as predictors."""

from pathlib import Path
from typing import Annotated, Any

from polyprobe.encoders.base.device import device_of
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor
from polyprobe.predictors.word_level.predictor import WordOptions
from polyprobe.predictors.word_level.trained_run import LanguageModelRun
from polyprobe.section import Seed, checked


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


class RandomPredictor(LanguageModelPredictor):
    """The architecture and the vocabulary of such a run, its weights drawn afresh: its scores by chance.

    Args:
        run: the run's directory.
        seed: of the weights; they are unrelated to those that training starts from with this seed.
        device: see `device_of`.

    Raises:
        PolyprobeError: see `LanguageModelRun`.
        DamagedCheckpoint: see `load_model`.
    """

    @checked("predictor")
    def __init__(self, run: str | Path, seed: Seed, device: str | None, **options: Annotated[Any, WordOptions]):
        words = WordOptions(**options)
        found = LanguageModelRun(run, "predictor.run")
        model = found.fresh_model(seed)
        super().__init__("random", model.to(device_of(device, "predictor")), words, seed, epoch=None)
        self.training, self.model_name = found.config, found.name
