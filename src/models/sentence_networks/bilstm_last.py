"""BiLSTM-last of Conneau et al. 2018: a sentence is what both directions have read at their ends."""

import torch
from torch import Tensor

from src.models.inputs.word_batch import WordBatch
from src.models.sentence_networks.bilstm_states import BiLSTMStates
from src.models.sentence_networks.over_time import first_and_last_cells


class BiLSTMLast(BiLSTMStates):
    """Joins the forward state at the last word and the backward state at the first."""

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        forward, backward = states.chunk(2, dim=1)
        first, last = first_and_last_cells(words.lengths, states.device)
        return torch.cat([forward.index_select(0, last), backward.index_select(0, first)], dim=1)
