"""A language model with random weights, as a predictor: the scores of an architecture by chance."""

from pathlib import Path
from typing import Annotated, Any

from polyprobe.encoders.base.device import device_of
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor
from polyprobe.predictors.word_level.predictor import WordOptions
from polyprobe.predictors.word_level.trained_run import LanguageModelRun
from polyprobe.section import Seed, checked


class RandomPredictor(LanguageModelPredictor):
    """The architecture and the vocabulary of a run of `train.py task=lm`, its weights drawn afresh.

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
