"""Masked transformers (BERT, RoBERTa and related models) as scorers of sentences."""

import logging
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
import torch

from polyprobe.encoders.base.encoder import fingerprint
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.pieces import TEXT, WORDS, SentencePieces, WordPieces
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.predictors.base.predictor import Answers, Arrays, Keeper, Question, check_questions
from polyprobe.predictors.base.transformer_predictor import PredictorOptions, TransformerPredictor
from polyprobe.predictors.masked.masked_inputs import (
    NOTHING,
    TOO_LONG,
    FocusPieces,
    InputBlock,
    MaskedQuestion,
    WithinWords,
    distinct_inputs,
    one_by_one,
)
from polyprobe.predictors.masked.model import MaskedModel, masked_position_limit

_log = logging.getLogger(__name__)
_VERSION = 2
_BLOCK_INPUTS = 1024


class MaskedOptions(PredictorOptions, key="predictor"):
    """What a user chooses; `score` as `MaskedPredictor` says."""

    score: Literal["focus", "pll", "pll_within_word"]
    """focus: the critical word, masked (Goldberg); pll: pseudo-log-likelihood, each piece masked in turn (Salazar et
    al.); pll_within_word: the later pieces of its word are also masked (Kauf and Ivanova).
    """
    multi_token: bool
    """With score=focus: forms of several pieces or words: false: skipped and counted; true: scored piece by piece."""
    reading: Literal["text", "words"] = TEXT
    """Sentences: text: as running text, as the tokenizer reads it; words: word by word, each as after a blank."""
    unknown: Literal["scored", "left_out"]
    """OOV pieces with score=pll: scored, or left_out of the sum; an OOV critical word is always skipped."""


class MaskedPredictor(TransformerPredictor):
    """Computes log p(piece | rest of the sentence), the piece masked, by any masked model that transformers loads.

    A token of an answer is a piece. Special tokens surround every sentence and are not scored. A sentence is read as a
    text, as `tokenizer(text)` and minicons read it, or, with `reading="words"`, word by word, each as after a blank,
    the first one too. Nothing is normalised but by the tokenizer.

    - "focus": the words of a question's span (Goldberg 2019). One word of one piece is behind one mask, so that two
      forms are compared at the same input; the released code compares logits, whose differences are the same. Other
      forms are refused, each with its reason, as are those of which a piece is unknown. With `multi_token` forms of
      several pieces or words are scored by their pieces, the whole span as if one word: each piece with itself and all
      later pieces of the span masked, earlier ones and the rest of the sentence visible. The sum is the log-probability
      of the span given the rest and given its number of pieces, which the number of masks reveals.
    - "pll": every piece in turn, that piece alone masked: pseudo-log-likelihood (Salazar et al. 2020).
    - "pll_within_word": the later pieces of the same word are masked too (Kauf and Ivanova 2023); `WithinWords` defines
      a word.

    A sentence that is too long for the model is refused. Every distinct masked input of all questions is run once, with
    those of the same length and without padding.

    Raises:
        NotATransformer: the folder holds no masked model, or no fast tokenizer with a mask.
        PolyprobeError: an option is out of range, or the hub's model cannot be fetched.
    """

    def __init__(self, **options: Annotated[Any, MaskedOptions]):
        self.options = MaskedOptions(**options)
        super().__init__(self.options)
        self.asks_focus = self.options.score == "focus"
        self.pieces = WordPieces(self.folder, self.options.reading)
        if self.pieces.mask_id is None:
            expected = "a masked model such as BERT; one that reads from left to right is for predictor=causal"
            raise NotATransformer(self.folder, "its tokenizer has no mask token", expected)
        self.conventions = f"{_conventions(self.options)}; weights are {self.weights}"
        alone = "multi_token" if self.asks_focus else "unknown"
        self.fingerprint = fingerprint(
            "masked",
            _VERSION,
            files=self.files,
            score=self.options.score,
            **self.weights.in_fingerprint(),
            **{alone: getattr(self.options, alone)},
            **({} if self.options.reading == WORDS else {"reading": self.options.reading}),
        )

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        """Answers as `Predictor.answer` says; weights are loaded when they are first needed.

        Raises:
            NotATransformer: the weights are not those of the model.
            PolyprobeError: a question is refused by `check_questions`, or has no span where one is needed.
        """
        check_questions("masked", questions)
        if self.asks_focus and not all(question.span for question in questions):
            raise PolyprobeError("masked: a set has no critical word. For whole sentences: predictor.score=pll")
        self.log_special(questions)
        numbers = {question: number for number, question in enumerate(dict.fromkeys(questions))}
        asked = list(self._masked(list(numbers)))
        values = self._values(asked, keeper)
        return _answers(asked, values, self.pieces.unknown, [numbers[question] for question in questions])

    def _masked(self, questions: Sequence[Question]) -> Iterator[MaskedQuestion]:
        of_words = self.pieces.of_sentences([question.words for question in questions if question.between])
        for question in questions:
            pieces = next(of_words) if question.between else self.pieces.of_characters(question.words)
            starts, ends = self._masks(question, pieces)
            if self.options.unknown == "left_out" and not self.asks_focus:
                is_known = pieces.ids != self.pieces.unknown
                starts, ends = starts[is_known], ends[is_known]
            refusal = self._refusal(question, pieces) or ("" if len(starts) else NOTHING)
            n_tokens = 0 if refusal else len(starts)
            yield MaskedQuestion(pieces, starts[:n_tokens], ends[:n_tokens], refusal)

    def _refusal(self, question: Question, pieces: SentencePieces) -> str:
        if self._capacity is not None and len(pieces.ids) > self._capacity:
            return TOO_LONG
        return self._focus.refusal(pieces, question.span) if self.asks_focus else ""

    def _masks(self, question: Question, pieces: SentencePieces) -> tuple[np.ndarray, np.ndarray]:
        if self.asks_focus:
            return self._focus.masks(pieces, question.span)
        if self.options.score == "pll":
            return one_by_one(pieces)
        if not question.between:
            raise BadValue(
                "predictor.score", self.options.score, "pll or focus where words are characters (suite.words)"
            )
        return self._within_words(question.words, pieces)

    def _values(self, asked: Sequence[MaskedQuestion], keeper: Keeper) -> np.ndarray:
        """Returns the log-probabilities of all tokens: float32 `[tokens]`."""
        inputs = distinct_inputs(asked, self.pieces, _BLOCK_INPUTS)
        _log.info("masked inputs: %d, of which distinct: %d", len(inputs.target_of_token), inputs.n_inputs)
        names = [block.name for block in inputs.blocks]
        kept = keeper.blocks(names, lambda number: self._of_block(inputs.blocks[number]))
        parts = [arrays["log_probabilities"] for arrays in kept]
        return np.concatenate([np.zeros(0, np.float32), *parts])[inputs.target_of_token]

    def _of_block(self, block: InputBlock) -> Arrays:
        self._model.check_ids(int(max(block.ids.max(), block.targets.max())))
        size = max(1, self.token_budget // block.ids.shape[1])
        parts = [self._of_batch(part) for part in block.parts(size)]
        return {"log_probabilities": np.concatenate(parts)}

    def _of_batch(self, batch: InputBlock) -> np.ndarray:
        arrays = (batch.ids, batch.places, batch.rows, batch.targets)
        tensors = (torch.from_numpy(np.ascontiguousarray(array, np.int64)) for array in arrays)
        return self._model.log_probabilities(*tensors).numpy()

    @cached_property
    def _model(self) -> MaskedModel:
        return MaskedModel(self.folder, self.weights)

    @cached_property
    def _capacity(self) -> int | None:
        limits = [
            limit for limit in (self.pieces.limit, masked_position_limit(self.folder, self.config)) if limit is not None
        ]
        return min(limits) - len(self.pieces.prefix) - len(self.pieces.suffix) if limits else None

    @cached_property
    def _focus(self) -> FocusPieces:
        return FocusPieces(self.pieces, self.options.multi_token)

    @cached_property
    def _within_words(self) -> WithinWords:
        return WithinWords(self.pieces)


def _answers(
    asked: Sequence[MaskedQuestion], values: np.ndarray, unknown: int | None, numbers: Sequence[int]
) -> Answers:
    """Puts the tokens of distinct questions in the order of the questions.

    Args:
        numbers: the distinct question that each question is.
    """
    empty = np.zeros(0, np.int64)
    words = np.concatenate([empty, *(one.pieces.words[one.starts] for one in asked)]).astype(np.int32)
    has_characters = any(one.pieces.last_words is not None for one in asked)
    covered = (one.pieces.words if one.pieces.last_words is None else one.pieces.last_words for one in asked)
    lasts = np.concatenate([empty, *(last[one.starts] for last, one in zip(covered, asked, strict=True))])
    ids = np.concatenate([empty, *(one.pieces.ids[one.starts] for one in asked)])
    ends = np.cumsum([len(one.starts) for one in asked], dtype=np.int64)
    lengths = np.diff(ends, prepend=0)[numbers] if numbers else empty
    ends_here = np.cumsum(lengths)
    tokens = np.arange(lengths.sum()) + np.repeat(ends[numbers] - ends_here if numbers else empty, lengths)
    is_unknown = ids[tokens] == (-1 if unknown is None else unknown)
    refusals = tuple(asked[number].refusal for number in numbers)
    last_words = lasts.astype(np.int32)[tokens] if has_characters else None
    return Answers(values[tokens], words[tokens], is_unknown, ends_here, refusals, last_words)


def _conventions(options: MaskedOptions) -> str:
    if options.score == "focus":
        left_to_right = "by its pieces from left to right, the later ones masked"
        others = left_to_right if options.multi_token else "left out"
        return f"critical word masked, log-probability of each form; a form of several pieces or words: {others}"
    later = "" if options.score == "pll" else " with the later ones of its word"
    first = "as after a blank" if options.reading == WORDS else "as written"
    return (
        f"pseudo-log-likelihood, each piece masked{later}; first word {first}; start and end not scored; "
        f"unknown pieces {options.unknown.replace('_', ' ')}"
    )
