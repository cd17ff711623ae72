"""Readers of words that are learned with the model.

`LearnedWords` has a row for each word of train plus the sum of the rows of its character n-grams, `TrigramWords`
composes words from their trigrams (Şahin and Steedman 2018).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.inputs.vocabularies import TrigramVocabulary, WordVocabulary, spelling
from polyprobe.models.inputs.word_batch import LearnedCoder, WordBatch, WordCoder
from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.initialisation import initialise_lstm
from polyprobe.models.layers.packing import Batch, Packing
from polyprobe.section import Count, checked

STARTING_DEVIATION = 0.1
STARTS: Mapping[str, Callable[..., Tensor]] = {
    "normal": nn.init.normal_,
    "glorot": nn.init.xavier_uniform_,
    "orthogonal": nn.init.orthogonal_,
}
"""What fills the matrix of the vectors of trigrams, `[trigrams, trigram_size]`: N(0, 1), as the released code and the
framework's own embeddings; Glorot's uniform numbers; orthogonal columns, as the article says of all matrices. The
latter two are smaller the more trigrams there are: with 8,000 of 200 numbers deviations of 0.016 and 0.011."""


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

    @checked("encoder")
    def __init__(self, words: list[str], ngrams: list[str], word_size: Count):
        super().__init__()
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


@dataclass(frozen=True, slots=True)
class TrigramBatch(Batch):
    """Distinct words as sequences of trigrams, each distinct trigram once."""

    trigram_ids: Tensor
    """`[distinct trigrams]`, their numbers in the vocabulary."""
    trigram_of_unit: Tensor
    """`[units]`, which of them each unit of the distinct words is."""
    packing: Packing
    """Of the distinct words over their units."""


class TrigramCoder(LearnedCoder):
    """The coder of composed words, which are distinct in lower case."""

    vocabulary: TrigramVocabulary
    spelled = staticmethod(spelling)

    def rows_of(self, word: str) -> np.ndarray:
        return np.array(self.vocabulary.ids(word), dtype=np.int64)

    def inputs(self, rows: list[np.ndarray]) -> TrigramBatch:
        trigram_ids, trigram_of_unit = np.unique(np.concatenate(rows), return_inverse=True)
        packing = Packing.of([len(word) for word in rows])
        return TrigramBatch(torch.from_numpy(trigram_ids), torch.from_numpy(trigram_of_unit), packing)

    def counts(self) -> dict[str, int]:
        return {"trigrams": len(self.vocabulary.units)}


class TrigramWords(nn.Module):
    """Composes every distinct word of a batch from its trigrams.

        trigrams of a word -> vectors -> bi-LSTM -> last states of both directions

    The released code runs the composition over padding behind short words; here nothing is padded.

    Args:
        trigrams: units of the vocabulary, from `TrigramVocabulary.counted(...).units`.
        trigram_size: width of the vector of a trigram.
        hidden_size: width of a state of one direction.
        trigram_start: from what the vectors of trigrams are drawn, a key of `STARTS`. Checkpoints of earlier versions
            do not say it: all were drawn from the normal distribution.

    Attributes:
        coder, width, reads_context: see `Reader`.
    """

    reads_context = False

    @checked("encoder")
    def __init__(
        self,
        trigrams: list[str],
        trigram_size: Count,
        hidden_size: Count,
        trigram_start: Literal[*STARTS] = "normal",
    ):
        super().__init__()
        self.coder, self.width = TrigramCoder(TrigramVocabulary(tuple(trigrams))), 2 * hidden_size
        self.trigrams = nn.Embedding(len(trigrams), trigram_size, padding_idx=0)
        self.composition, self.start = BiLSTM(trigram_size, hidden_size), trigram_start

    def forward(self, batch: WordBatch) -> Tensor:
        """Returns `[distinct words, width]`, the last forward state before the last backward state."""
        words = batch.inputs
        return self.composition.last_states(self.trigrams(words.trigram_ids), words.trigram_of_unit, words.packing)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws the vectors of trigrams as they are to start, LSTM matrices each orthogonal as a whole."""
        STARTS[self.start](self.trigrams.weight, generator=generator)[0] = 0.0  # padding
        initialise_lstm(self.composition, generator)
