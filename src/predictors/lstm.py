"""An LSTM language model that train.py trained (Mueller et al. 2020, section 4), as a predictor."""

from pathlib import Path

from src.encoders.device import device_of
from src.models.language_model import LanguageModel
from src.predictors.language_model import LanguageModelPredictor
from src.predictors.language_model_run import LanguageModelRun


class LSTMPredictor(LanguageModelPredictor):
    """Predicts each word of a sentence from the words before it, with the model of a run of `train.py task=lm`.

    Args:
        run: the run's directory.
        epoch: "best", or the number of an epoch; 0 is before training.
        start, first, end, unknown: see `WordPredictor`.
        device: see `device_of`.

    Raises:
        BadValue, UnknownChoice: an option makes no sense.
        PolyprobeError: see `LanguageModelRun`.
        DamagedCheckpoint: see `load_model`.
    """

    def __init__(
        self,
        run: str | Path,
        epoch: int | str,
        start: bool,
        first: bool,
        end: bool,
        unknown: str,
        device: str | None,
    ):
        found = LanguageModelRun(run)
        number = found.epoch(epoch)
        model = found.model(number).to(device_of(device, "predictor"))
        super().__init__("lstm", model, start, first, end, unknown, found.seed, number)

    @staticmethod
    def of_model(
        model: LanguageModel,
        *,
        start: bool,
        first: bool,
        end: bool,
        unknown: str,
        seed: int | None = None,
        epoch: int | None = None,
    ) -> LanguageModelPredictor:
        """Gives the predictor of a model in memory, on the device where it is; it has the fingerprint of its run's."""
        return LanguageModelPredictor("lstm", model, start, first, end, unknown, seed, epoch)
