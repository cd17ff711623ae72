"""Scores minimal sets in a process of its own, forked: it notes the blocks that it computes, and may kill itself."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.predictors.word_level import in_memory
from polyprobe.predictors.word_level.predictor import IdRows
from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from tests.probed import score_minimal_sets

SENTENCES_PER_BLOCK = 16


class ScoringProcess(multiprocessing.get_context("fork").Process):
    """A command that scores minimal sets by a configuration; forked, it need not load its libraries again.

    Args:
        config: of the command; `trainer.threads` is 1: threads do not live through a fork.
        last: the number of blocks after which the process is killed; 0: it is not.
    """

    def __init__(self, config: Mapping[str, Any], last: int = 0):
        super().__init__(daemon=True)
        self.config, self.last = config, last
        self.work = Path(config["paths"]["work"])

    def run(self) -> None:
        in_memory.BLOCK_ROWS = SENTENCES_PER_BLOCK
        LSTMPredictor.log_probabilities = self._noting()
        with open(self.work / f"{os.getpid()}.out", "w", encoding="utf-8") as said, redirect_stdout(said):
            score_minimal_sets(MinimalSetSettings.of(probe_settings(self.config)))

    @property
    def said(self) -> str:
        return (self.work / f"{self.pid}.out").read_text(encoding="utf-8")

    def _noting(self):
        """Returns the way an LSTM scores a block, with a line in the log for each block, up to the last."""
        compute, numbers = LSTMPredictor.log_probabilities, iter(range(sys.maxsize))

        def log_probabilities(predictor: LSTMPredictor, rows: IdRows) -> np.ndarray:
            if self.last and next(numbers) == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            with open(self.work / "log", "a", encoding="utf-8") as log:
                log.write(f"{rows.digest}\n")
            return compute(predictor, rows)

        return log_probabilities
