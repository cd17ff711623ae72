"""Trains and evaluates a language model on one process, then on two; prints both outcomes as lines of JSON.

Run: python -m tests.datamodules.text_on_two_processes
"""

import torch

from tests.datamodules.two_processes import print_outcome
from tests.models.small_texts import COIN, LENGTHS, language_model, text_data

if __name__ == "__main__":
    torch.set_num_threads(1)
    for n_dev in (5, 1):
        for n_processes in (1, 2):
            data = text_data(train=[*COIN, *LENGTHS], dev=LENGTHS[:n_dev])
            print_outcome(language_model(data, first_range=1.0), data, n_processes, n_dev)
