"""The inputs of a task's model: `encoder=`, with its vocabulary from the training data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from polyprobe.models.inputs.vocabularies import TrigramVocabulary, WordVocabulary

if TYPE_CHECKING:  # imported where they are built: what a run is called is known without torch
    from polyprobe.models.inputs.frozen_vectors import Source
    from polyprobe.models.inputs.learned_words import TrigramCoder
    from polyprobe.models.inputs.word_batch import Coder, WordCoder

Sentences = Sequence[Sequence[str]]


class Inputs(Protocol):
    """Learned inputs or frozen ones."""

    identity: Mapping[str, Any]
    """Plain values: everything that can change a number."""
    source: "Source | None"
    """Of frozen vectors; None where there are none."""
    saved: Mapping[str, Any] | None
    """What a checkpoint must hold to find the source again, plain values; None where there is none."""

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], "Coder"]:
        """Returns the settings of a reader, plain values from which `build_model` builds it, and a coder for it.

        Args:
            train: the only words from which anything is learned.
            others: further sentences that are going to be coded.
        """


class _Learned:
    """Inputs of which nothing is frozen; a subclass has as its fields what its reader is made by."""

    source: ClassVar[None] = None
    saved: ClassVar[None] = None

    @property
    def identity(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class LearnedInputs(_Learned):
    """A row for each word of train plus the sum of those of its character n-grams, learned with the model.

    Args:
        word_size: width of a vector.
        least_word_count, ngram_lengths, least_ngram_words: see `WordVocabulary.counted`.
    """

    word_size: int
    least_word_count: int
    ngram_lengths: Sequence[int]
    least_ngram_words: int

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], "WordCoder"]:
        from polyprobe.models.inputs.learned_words import LearnedWords
        from polyprobe.models.inputs.word_batch import WordCoder

        words = (word for sentence in train for word in sentence)
        known = WordVocabulary.counted(words, self.least_word_count, self.ngram_lengths, self.least_ngram_words)
        names = {"words": list(known.words), "ngrams": list(known.ngrams)}
        reader = {"_target_": LearnedWords.__name__, **names, "word_size": self.word_size}
        return reader, WordCoder(known)


@dataclass(frozen=True)
class TrigramInputs(_Learned):
    """Words composed from their character trigrams, whose vectors and composition are learned with the model.

    Args:
        trigram_size: width of the vector of a trigram.
        hidden_size: width of a state of one direction of the bi-LSTM that reads a word.
        trigram_start: from what the vectors of trigrams are drawn: see `TrigramWords`.
    """

    trigram_size: int
    hidden_size: int
    trigram_start: str

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], "TrigramCoder"]:
        from polyprobe.models.inputs.learned_words import TrigramCoder, TrigramWords

        known = TrigramVocabulary.counted(word for sentence in train for word in sentence)
        settings = {"_target_": TrigramWords.__name__, "trigrams": list(known.units)}
        return {**settings, **asdict(self)}, TrigramCoder(known)
