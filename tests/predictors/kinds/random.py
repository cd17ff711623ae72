from pathlib import Path

from polyprobe.predictors.lstm import RandomPredictor
from tests.predictors.kind import Kind
from tests.predictors.plain_scores import of_network
from tests.predictors.saved_run import ALIKE, CHANGES, NETWORK_OPTIONS, QUESTIONS, UNKNOWN, write_run


def build(folder: Path, **changes) -> RandomPredictor:
    return RandomPredictor(**{"run": write_run(folder), "seed": 1, **NETWORK_OPTIONS, **changes})


KIND = Kind("random", build, ({"seed": 2}, *CHANGES), QUESTIONS, ALIKE, UNKNOWN, of_network)
