"""Learned embeddings: a row for each word of train plus the sum of the rows of its character n-grams."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from src.errors import check_at_least
from src.models.inputs.word_batch import WordBatch, WordCoder
from src.models.inputs.word_vocabulary import WordVocabulary

STARTING_DEVIATION = 0.1


class LearnedWords(nn.Module):
    """Looks up the vector of every distinct word of a batch.

        row of the word, lower-cased, or of the unknown word  +  sum of the rows of its n-grams, as written

    An unknown word is known by its n-grams alone; capitals, digits and endings enter through them.

    Args:
        words, ngrams: the vocabulary, from `WordVocabulary.counted(...)`; the unknown word has one more row.
        word_size: width of a vector.

    Attributes:
        coder: makes its batches.
        width: of a vector.
        reads_context: False, since a word has the same vector in every sentence.
    """

    reads_context = False

    def __init__(self, words: list[str], ngrams: list[str], word_size: int):
        super().__init__()
        check_at_least("encoder.word_size", word_size, 1)
        self.width = word_size
        self.coder = WordCoder(WordVocabulary(words, ngrams))
        self.words = nn.Embedding(len(words) + 1, word_size)
        self.ngrams = nn.Embedding(len(ngrams), word_size)

    def forward(self, batch: WordBatch) -> Tensor:
        """Returns `[distinct words, width]`; the n-grams of a word without a known one count as zero."""
        inputs = batch.inputs
        ngrams = F.embedding_bag(inputs.ngram_ids, self.ngrams.weight, inputs.ngram_starts, mode="sum")
        return self.words(inputs.word_ids) + ngrams

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all rows from a narrow normal distribution: the start of rare n-grams must not drown what is learned.

        With a deviation of 1 a tagger of Turkish is right at 71 % of the words of dev after four epochs, not at 92 %.
        """
        for table in (self.words, self.ngrams):
            nn.init.normal_(table.weight, std=STARTING_DEVIATION, generator=generator)
