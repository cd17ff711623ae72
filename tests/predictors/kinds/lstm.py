from pathlib import Path

from polyprobe.predictors.lstm import LSTMPredictor
from tests.predictors.kind import Kind
from tests.predictors.plain_scores import of_network
from tests.predictors.saved_run import ALIKE, CHANGES, NETWORK_OPTIONS, QUESTIONS, UNKNOWN, write_run


def build(folder: Path, **changes) -> LSTMPredictor:
    return LSTMPredictor(**{"run": write_run(folder), "epoch": "best", **NETWORK_OPTIONS, **changes})


KIND = Kind("lstm", build, ({"epoch": 0}, *CHANGES), QUESTIONS, ALIKE, UNKNOWN, of_network)
