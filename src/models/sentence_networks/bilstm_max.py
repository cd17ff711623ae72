"""BiLSTM-max of Conneau et al. 2017 and 2018: a sentence is the maximum of each number over its words."""

from torch import Tensor

from src.models.inputs.word_batch import WordBatch
from src.models.sentence_networks.bilstm_states import BiLSTMStates
from src.models.sentence_networks.over_time import max_over_time


class BiLSTMMax(BiLSTMStates):
    """Takes the maximum over the words of a sentence. InferSent's first release also took it over padding."""

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        return max_over_time(states, words.lengths)
