"""Learned vectors of words: a row for each word of train plus the mean of its character n-grams."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from src.models.word_batch import WordBatch


class WordInputs(nn.Module):
    """Gives every distinct word of a batch its vector.

        row of the word, lower-cased, or of the unknown word  +  mean of the rows of its n-grams, as written

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
        ngrams = F.embedding_bag(batch.ngram_ids, self.ngrams.weight, batch.ngram_starts, mode="mean")
        return self.words(batch.word_ids) + ngrams

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all rows from the standard normal distribution."""
        nn.init.normal_(self.words.weight, generator=generator)
        nn.init.normal_(self.ngrams.weight, generator=generator)
