from pathlib import Path

from src.predictors.lstm import LSTMPredictor
from tests.predictors.kind import Kind
from tests.predictors.plain_scores import of_network
from tests.predictors.saved_run import ALIKE, NETWORK_OPTIONS, QUESTIONS, UNKNOWN, write_run


def build(folder: Path, **changes) -> LSTMPredictor:
    return LSTMPredictor(**{"run": write_run(folder), "epoch": "best", **NETWORK_OPTIONS, **changes})


KIND = Kind(
    "lstm",
    build,
    (
        {"epoch": 0},
        {"start": False, "first": False},
        {"first": False},
        {"end": True},
        {"unknown": "left_out"},
        {"split_off": []},
    ),
    QUESTIONS,
    ALIKE,
    UNKNOWN,
    of_network,
)
