"""Left-to-right predictors whose tokens are the words of a vocabulary."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain

import numpy as np

from src.formats.errors import BadValue, UnknownChoice
from src.models.text_vocabulary import END_ID, UNKNOWN_ID, TextVocabulary
from src.predictors.base import Answers, Predictor, Question
from src.predictors.checks import check_questions
from src.predictors.id_rows import IdRows, distinct_rows
from src.predictors.kept_blocks import Arrays, Keeper

UNKNOWN = ("scored", "left_out")
BLOCK_ROWS = 8192
"""Distinct sentences whose log-probabilities are kept in one file."""


class WordPredictor(Predictor):
    """Gives each word its log-probability after the words before it; unknown words are read as `<unk>`.

    Distinct sentences are sorted by the ids of their words and cut into blocks, each computed once and kept. What
    blocks share is computed in each: where two of them meet, the beginning that the last sentence of one and the first
    of the other have in common, most often nothing but the start of the sentence.

    Args:
        name: of the predictor, for messages.
        vocabulary: of the model.
        start: whether `<eos>` is read before the first word; without it the first word has no probability.
        first: whether the first word counts.
        end: whether the end of the sentence counts.
        unknown: "scored": an unknown word counts as `<unk>`; "left_out": it is read, but does not count.

    Raises:
        UnknownChoice, BadValue: an option is none of these, or the first word is to count without a start.
    """

    def __init__(self, name: str, vocabulary: TextVocabulary, start: bool, first: bool, end: bool, unknown: str):
        for key, value in {"start": start, "first": first, "end": end}.items():
            if not isinstance(value, bool):
                raise BadValue(f"predictor.{key}", value, "true or false")
        if unknown not in UNKNOWN:
            raise UnknownChoice("predictor.unknown", str(unknown), UNKNOWN)
        if first and not start:
            raise BadValue("predictor.first", first, "false where predictor.start is false: nothing comes before it")
        self.name, self.vocabulary = name, vocabulary
        self.start, self.first, self.end, self.unknown = start, first, end, unknown

    @property
    def conventions(self) -> str:
        """See `Predictor`."""
        start = "<eos>" if self.start else "nothing"
        unknown = "counts as" if self.unknown == "scored" else "does not count, but is read as"
        return (
            f"{start} is read before the first word; the first word {_counts(self.first)}; the end of the sentence "
            f"{_counts(self.end)}; an unknown word {unknown} <unk>"
        )

    @property
    def options(self) -> dict[str, object]:
        """What is done with starts, ends and unknown words: for the fingerprint."""
        return {"start": self.start, "first": self.first, "end": self.end, "unknown": self.unknown}

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        """See `Predictor`."""
        check_questions(self.name, questions)
        rows = self._coded(questions)
        distinct, row_of = distinct_rows(rows)
        found = self._kept(distinct, keeper)[np.repeat(distinct.starts[row_of], rows.lengths) + rows.places]
        is_unknown = rows.ids == UNKNOWN_ID
        is_asked = (rows.places > 0) | self.first
        is_asked &= ~is_unknown | (self.unknown == "scored")
        n_asked = np.diff(np.concatenate([[0], np.cumsum(is_asked)])[np.concatenate([[0], rows.ends])])
        return Answers(
            log_probabilities=found[is_asked],
            word_of_token=rows.places[is_asked].astype(np.int32),
            is_unknown=is_unknown[is_asked],
            ends=np.cumsum(n_asked),
            refusals=tuple("" if n else "no word of it counts" for n in n_asked.tolist()),
        )

    @abstractmethod
    def log_probabilities(self, rows: IdRows) -> np.ndarray:
        """Gives the log-probability of every token of distinct, sorted rows, in nats: float32 `[tokens]`.

        A first word without a start gets any finite number.
        """

    def _coded(self, questions: Sequence[Question]) -> IdRows:
        """Gives the ids of the words, and of the end where it counts."""
        n_words = np.array([len(question.words) for question in questions], dtype=np.int64)
        ends = np.cumsum(n_words + self.end)
        ids = np.full(ends[-1] if len(ends) else 0, END_ID, dtype=np.int32)
        is_word = np.ones(len(ids), dtype=bool)
        if self.end:
            is_word[ends - 1] = False
        ids[is_word] = self.vocabulary.ids(list(chain.from_iterable(question.words for question in questions)))
        return IdRows(ids, ends)

    def _kept(self, rows: IdRows, keeper: Keeper) -> np.ndarray:
        """Gives the log-probabilities of all tokens, block by block: `[tokens]`."""
        blocks = list(rows.blocks(BLOCK_ROWS))

        def compute(number: int) -> Arrays:
            return {"log_probabilities": self.log_probabilities(blocks[number])}

        found = keeper.blocks([block.digest for block in blocks], compute)
        return np.concatenate([np.zeros(0, np.float32), *(arrays["log_probabilities"] for arrays in found)])


def _counts(does: bool) -> str:
    return "counts" if does else "does not count"
