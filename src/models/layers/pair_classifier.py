"""Decides on a pair from the vectors of its two sides (InferSent; Conneau et al. 2018, section 3)."""

import torch
from torch import Tensor, nn

from src.errors import check_at_least


class PairClassifier(nn.Module):
    """Scores labels for pairs of vectors.

        u, v, |u - v|, u * v -> linear -> tanh -> linear -> labels

    Conneau et al. (2018) say "an MLP with 100 hidden units"; features and non-linearity are InferSent's, whose default
    leaves the non-linearity out.

    Args:
        sentence_size: width of the vector of a sentence.
        n_labels: that are scored.
        hidden_size: of the hidden layer.
    """

    def __init__(self, sentence_size: int, n_labels: int, hidden_size: int):
        super().__init__()
        check_at_least("model.head.hidden_size", hidden_size, 1)
        self.hidden, self.output = nn.Linear(4 * sentence_size, hidden_size), nn.Linear(hidden_size, n_labels)
        self.tanh = nn.Tanh()

    def forward(self, premises: Tensor, hypotheses: Tensor) -> Tensor:
        """Returns the scores of all labels, `[pairs, n_labels]`, unnormalised; `[pairs, sentence_size]` each."""
        features = [premises, hypotheses, (premises - hypotheses).abs(), premises * hypotheses]
        return self.output(self.tanh(self.hidden(torch.cat(features, dim=1))))

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters: Xavier's uniform numbers."""
        for linear in (self.hidden, self.output):
            nn.init.xavier_uniform_(linear.weight, generator=generator)
            nn.init.zeros_(linear.bias)
