"""Judges models by a suite of minimal sets: every distinct sentence is scored once by each of them."""

from collections.abc import Sequence

import numpy as np

from src.formats.errors import PolyprobeError
from src.predictors.base import Predictor
from src.predictors.kept_blocks import Keeper
from src.probing.minimal_sets.outcome import LACKS_FOCUS, Judged, Judging, Model
from src.probing.minimal_sets.questions import (
    Sentences,
    SentenceScores,
    distinct_questions,
    sentence_scores,
    sentences_of,
)
from src.probing.minimal_sets.rows import Judgement
from src.probing.minimal_sets.suite import Construction, MinimalSuite
from src.runs.set_scores import SetScores

ALONE = "no ungrammatical sentence"
NO_FOCUS = "a sentence without a word that differs"
NOT_SCORED = "a sentence without a scored word"


def judged(
    suite: MinimalSuite, predictors: Sequence[Predictor], keepers: Sequence[Keeper], judging: Judging
) -> Judgement:
    """Asks each model all distinct questions of a suite at once.

    A set that one model cannot judge is left out for all: they are compared on the same sets.

    Args:
        suite: what is judged.
        predictors: at least one, of one kind; each with another seed or epoch.
        keepers: of each predictor's blocks of work.
        judging: how.

    Raises:
        PolyprobeError: two models have the same seed and epoch, or do not score the same tokens.
    """
    models = distinct_models(predictors)
    asks_focus = predictors[0].asks_focus
    laid_out = [sentences_of(construction) for construction in suite.constructions]
    reasons = [_undecidable(sentences, asks_focus) for sentences in laid_out]
    is_asked = [_is_asked(*both, asks_focus) for both in zip(laid_out, reasons, strict=True)]
    questions, numbers = distinct_questions(laid_out, is_asked, asks_focus)
    scored: list[list[SentenceScores]] = [[] for _ in laid_out]
    for predictor, keeper in zip(predictors, keepers, strict=True):
        answers = predictor.answer(questions, keeper)
        for of_models, number, sentences in zip(scored, numbers, laid_out, strict=True):
            of_models.append(sentence_scores(answers, number, sentences, asks_focus))
    constructions = [
        _judged(construction, sentences, why, asked, of_models, models, judging)
        for construction, sentences, why, asked, of_models in zip(
            suite.constructions, laid_out, reasons, is_asked, scored, strict=True
        )
    ]
    conventions = "; ".join(dict.fromkeys(one.conventions for one in predictors))
    return Judgement(suite.name, judging, models, asks_focus, conventions, constructions)


def distinct_models(predictors: Sequence[Predictor]) -> list[Model]:
    """Gives seed and epoch of each predictor.

    Raises:
        PolyprobeError: two have the same: their scores could not be told apart.
    """
    models = [Model(one.seed, one.epoch) for one in predictors]
    for model in models:
        if models.count(model) > 1:
            raise PolyprobeError(
                f"Two models to be judged have the name {model.name} (seed and epoch). Expected models that differ in "
                "their seed or epoch; judge others by commands of their own, then compare the runs."
            )
    return models


def _undecidable(sentences: Sentences, asks_focus: bool) -> np.ndarray:
    """Says of each set why nothing can be decided by it, "" where it can: object `[sets]`."""
    reasons = np.full(sentences.n_sets, "", dtype=object)
    if asks_focus:
        has_none, has_some = (sentences.any_of_set(which) for which in (~sentences.has_focus, sentences.has_focus))
        reasons[has_none & has_some] = NO_FOCUS
    reasons[np.bincount(sentences.set_of_sentence, minlength=sentences.n_sets) < 2] = ALONE
    return reasons


def _is_asked(sentences: Sentences, reasons: np.ndarray, asks_focus: bool) -> np.ndarray:
    """Says which sentences need an answer; where nothing differs, a model that is asked for the focus has a tie."""
    is_decidable = (reasons == "")[sentences.set_of_sentence]
    return is_decidable & sentences.has_focus if asks_focus else is_decidable


def _judged(
    construction: Construction,
    sentences: Sentences,
    reasons: np.ndarray,
    is_asked: np.ndarray,
    of_models: Sequence[SentenceScores],
    models: Sequence[Model],
    judging: Judging,
) -> Judged:
    left_out = reasons.copy()
    for scores in of_models:
        for place in np.flatnonzero(scores.refusals != "")[::-1].tolist():  # so that of a set the first one counts
            left_out[sentences.set_of_sentence[place]] = scores.refusals[place]
        is_unscored = sentences.any_of_set(is_asked & (scores.n_tokens == 0))
        left_out[is_unscored & (left_out == "")] = NOT_SCORED
    lacks_focus = np.any([sentences.any_of_set(scores.lacks_focus) for scores in of_models], axis=0)
    lacks_focus &= left_out == ""
    if judging.unknown_focus == "skipped":
        left_out[lacks_focus] = LACKS_FOCUS
    is_judged = (left_out == "")[sentences.set_of_sentence]
    _check_same_tokens(construction.name, [scores.n_tokens[is_judged] for scores in of_models], models)
    return Judged(_set_scores(construction, sentences, left_out, of_models, models), int(lacks_focus.sum()))


def _check_same_tokens(name: str, n_tokens: Sequence[np.ndarray], models: Sequence[Model]) -> None:
    for model, counted in zip(models[1:], n_tokens[1:], strict=True):
        if not np.array_equal(counted, n_tokens[0]):
            raise PolyprobeError(
                f"{name}: {models[0].name} and {model.name} do not score the same tokens: their vocabularies differ. "
                "Judge them by commands of their own, then compare the runs."
            )


def _set_scores(
    construction: Construction,
    sentences: Sentences,
    left_out: np.ndarray,
    of_models: Sequence[SentenceScores],
    models: Sequence[Model],
) -> SetScores:
    return SetScores(
        test=construction.name,
        sentences=np.array(sentences.texts, dtype=str),
        set_of_sentence=sentences.set_of_sentence,
        numbers=np.array([one.number for one in construction.sets], dtype=np.int64),
        lemmas=np.array(sentences.lemmas, dtype=str),
        left_out=left_out.astype(str),
        is_identical=np.array([one.has_identical for one in construction.sets], dtype=bool),
        models=np.array([model.name for model in models]),
        sums=np.stack([scores.sums for scores in of_models]),
        focuses=np.stack([scores.focuses for scores in of_models]),
        n_tokens=of_models[0].n_tokens,
        n_characters=np.array([len(text) for text in sentences.texts], dtype=np.int64),
    )
