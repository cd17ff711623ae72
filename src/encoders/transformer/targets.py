"""The vectors that items need of a transformer: distinct sentences, a row for each word or sentence vector."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from src.encoders.transformer.batches import NO_ROW
from src.items import Form, Item, Sentence


@dataclass(frozen=True, eq=False)
class Targets:
    """The vectors that a block of items needs, each once.

    Attributes:
        sentences: distinct, as they go through the model.
        sentence_of_item: `[items]`, numbers of sentences.
        word_of_item: `[items]`, the word in its sentence; `NO_ROW` where the item is the whole sentence.
        word_rows: for each sentence `[words]`, the row of each word's vector; `NO_ROW` for words that are not needed.
        sentence_rows: `[sentences]`, the same for their own vectors.
    """

    sentences: tuple[tuple[str, ...], ...]
    sentence_of_item: np.ndarray
    word_of_item: np.ndarray
    word_rows: tuple[np.ndarray, ...]
    sentence_rows: np.ndarray

    @property
    def n_words(self) -> int:
        return 1 + max(rows.max() for rows in self.word_rows)

    @property
    def n_sentences(self) -> int:
        return 1 + self.sentence_rows.max()

    def of_items(self, words: Sequence[np.ndarray], sentences: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Returns the items' vectors from those of the rows; `[rows, width]` to `[items, width]` for each layer."""
        is_sentence = self.word_of_item == NO_ROW
        places = zip(self.sentence_of_item[~is_sentence], self.word_of_item[~is_sentence], strict=True)
        rows_of_words = [self.word_rows[sentence][word] for sentence, word in places]
        rows_of_sentences = self.sentence_rows[self.sentence_of_item[is_sentence]]
        vectors = tuple(np.empty((len(is_sentence), layer.shape[1]), np.float32) for layer in words)
        for layer, word_layer, sentence_layer in zip(vectors, words, sentences, strict=True):
            layer[~is_sentence] = word_layer[rows_of_words]
            layer[is_sentence] = sentence_layer[rows_of_sentences]
        return vectors


def targets(items: Sequence[Item], cased: Callable[[str], str]) -> Targets:
    """Collects the targets of items; a form is the first word of its sentence of one word.

    Args:
        items: a block, not empty.
        cased: applied to each word first.
    """
    by_words: dict[tuple[str, ...], int] = {}
    original = [(item.form,) if isinstance(item, Form) else item.words for item in items]
    number_of = {
        words: by_words.setdefault(tuple(map(cased, words)), len(by_words)) for words in dict.fromkeys(original)
    }
    sentence_of_item = np.array([number_of[words] for words in original])
    word_of_item = np.array([_word(item) for item in items])
    sentence_rows = np.full(len(by_words), NO_ROW)
    wanted = np.unique(sentence_of_item[word_of_item == NO_ROW])
    sentence_rows[wanted] = np.arange(len(wanted))
    word_rows = _word_rows(by_words, zip(sentence_of_item.tolist(), word_of_item.tolist(), strict=True))
    return Targets(tuple(by_words), sentence_of_item, word_of_item, word_rows, sentence_rows)


def _word_rows(sentences: Iterable[Sequence[str]], places: Iterable[tuple[int, int]]) -> tuple[np.ndarray, ...]:
    rows = tuple(np.full(len(words), NO_ROW) for words in sentences)
    wanted = (place for place in dict.fromkeys(places) if place[1] != NO_ROW)
    for row, (sentence, word) in enumerate(wanted):
        rows[sentence][word] = row
    return rows


def _word(item: Item) -> int:
    if isinstance(item, Sentence):
        return NO_ROW
    return 0 if isinstance(item, Form) else item.index
