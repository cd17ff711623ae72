"""Scores models on a suite of minimal sets: every distinct sentence is scored once by each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import Keeper, Predictor
from polyprobe.probing.minimal_sets.findings import MinimalSetFindings
from polyprobe.probing.minimal_sets.outcome import LACKS_FOCUS, Model, ScoredConstruction, ScoringRules
from polyprobe.probing.minimal_sets.questions import (
    Sentences,
    SentenceScores,
    distinct_questions,
    sentence_scores,
    sentences_of,
)
from polyprobe.probing.suites.minimal_sets import ConstructionSets, MinimalSuite
from polyprobe.runs.array_records import SetScores

ALONE = "no ungrammatical sentence"
NO_FOCUS = "a sentence without a critical word"
NOT_SCORED = "a sentence without a scored word"


def score_suite(
    suite: MinimalSuite, predictors: Sequence[Predictor], keepers: Sequence[Keeper], rules: ScoringRules
) -> MinimalSetFindings:
    """Asks each model all distinct questions of a suite at once.

    A set that one model cannot score is left out for all: they are compared on the same sets.

    Args:
        predictors: at least one, of one kind; each with another seed or epoch.

    Raises:
        PolyprobeError: two models have the same seed and epoch, or do not score the same tokens.
    """
    models = distinct_models(predictors)
    asks_focus = predictors[0].asks_focus
    layouts = [_layout(construction, asks_focus) for construction in suite.constructions]
    sentences, is_asked = [one.sentences for one in layouts], [one.is_asked for one in layouts]
    questions, numbers = distinct_questions(sentences, is_asked, asks_focus)
    scored: list[list[SentenceScores]] = [[] for _ in layouts]
    for predictor, keeper in zip(predictors, keepers, strict=True):
        answers = predictor.answer(questions, keeper)
        for of_models, number, one in zip(scored, numbers, layouts, strict=True):
            of_models.append(sentence_scores(answers, number, one.sentences, asks_focus))
    constructions = [_scored(one, of_models, models, rules) for one, of_models in zip(layouts, scored, strict=True)]
    conventions = "; ".join(dict.fromkeys(one.conventions for one in predictors))
    unknown = unknown_language(predictors, rules.lang)
    names = [one.model_name for one in predictors]
    label = predictors[0].label
    groups = [one.groups for one in suite.constructions]
    described = (label, conventions, unknown, constructions, names, groups, suite.means)
    return MinimalSetFindings(suite.name, rules, models, asks_focus, *described)


def unknown_language(predictors: Sequence[Predictor], lang: str) -> str:
    """Says that a model was not trained on a language; "" where all were, or nobody knows."""
    for predictor in predictors:
        if predictor.languages is not None and lang not in predictor.languages:
            return f"the model was trained on lang={'+'.join(predictor.languages)}, not on {lang}"
    return ""


def distinct_models(predictors: Sequence[Predictor]) -> list[Model]:
    """Returns seed and epoch of each predictor."""
    models = [Model(one.seed, one.epoch) for one in predictors]
    for model in models:
        if models.count(model) > 1:
            raise PolyprobeError(
                f"Two models to be scored have the name {model.name} (seed and epoch). Expected models that differ in "
                "their seed or epoch; score others in separate commands, then compare the runs."
            )
    return models


@dataclass(frozen=True, eq=False)
class _Layout:
    """A construction before a model is asked."""

    construction: ConstructionSets
    sentences: Sentences
    reasons: np.ndarray
    """Why nothing can be decided by a set, "" where it can: object `[sets]`."""
    is_asked: np.ndarray
    """Which sentences need an answer: bool `[sentences]`."""


def _layout(construction: ConstructionSets, asks_focus: bool) -> _Layout:
    """Finds the questions; if nothing differs, a model that scores the focus alone has a tie without a question."""
    sentences = sentences_of(construction)
    reasons = _undecidable(sentences, asks_focus)
    is_asked = (reasons == "")[sentences.set_of_sentence]
    return _Layout(construction, sentences, reasons, is_asked & sentences.has_focus if asks_focus else is_asked)


def _undecidable(sentences: Sentences, asks_focus: bool) -> np.ndarray:
    """Says of each set why nothing can be decided by it, "" where it can: object `[sets]`."""
    reasons = np.full(sentences.n_sets, "", dtype=object)
    if asks_focus:
        has_none, has_some = (sentences.any_of_set(which) for which in (~sentences.has_focus, sentences.has_focus))
        reasons[has_none & has_some] = NO_FOCUS
    reasons[np.bincount(sentences.set_of_sentence, minlength=sentences.n_sets) < 2] = ALONE
    return reasons


def _scored(
    one: _Layout, of_models: Sequence[SentenceScores], models: Sequence[Model], rules: ScoringRules
) -> ScoredConstruction:
    sentences, left_out = one.sentences, one.reasons.copy()
    for scores in of_models:
        for place in np.flatnonzero(scores.refusals != "")[::-1].tolist():  # so that of a set the first one counts
            left_out[sentences.set_of_sentence[place]] = scores.refusals[place]
        is_unscored = sentences.any_of_set(one.is_asked & (scores.n_tokens == 0))
        left_out[is_unscored & (left_out == "")] = NOT_SCORED
    lacks_focus = np.any([sentences.any_of_set(scores.lacks_focus) for scores in of_models], axis=0)
    is_left = left_out == ""
    lacks_focus &= is_left
    if rules.unknown_focus == "skipped":
        left_out[lacks_focus] = LACKS_FOCUS
    is_scored = (left_out == "")[sentences.set_of_sentence]
    check_same_tokens(one.construction.name, [scores.n_tokens[is_scored] for scores in of_models], models)
    has_unknown = np.any([sentences.any_of_set(scores.has_unknown) for scores in of_models], axis=0)
    lacks_other = has_unknown & is_left & ~lacks_focus
    return ScoredConstruction(
        _set_scores(one, left_out, of_models, models),
        lacks_focus=lacks_focus,
        lacks_other=lacks_other,
        n_bad_lines=one.construction.n_bad_lines,
    )


def check_same_tokens(name: str, n_tokens: Sequence[np.ndarray], models: Sequence[Model]) -> None:
    """Refuses models that do not score the same tokens of a construction.

    Args:
        n_tokens: of each model, the tokens behind each score.
    """
    for model, counted in zip(models[1:], n_tokens[1:], strict=True):
        if not np.array_equal(counted, n_tokens[0]):
            raise PolyprobeError(
                f"{name}: {models[0].name} and {model.name} do not score the same tokens: their vocabularies differ. "
                "Score them in separate commands, then compare the runs."
            )


def _set_scores(
    one: _Layout, left_out: np.ndarray, of_models: Sequence[SentenceScores], models: Sequence[Model]
) -> SetScores:
    construction, sentences = one.construction, one.sentences
    return SetScores(
        test=construction.name,
        sentences=np.array(sentences.texts, dtype=str),
        set_of_sentence=sentences.set_of_sentence,
        numbers=np.array([a_set.number for a_set in construction.sets], dtype=np.int64),
        lemmas=np.array(sentences.lemmas, dtype=str),
        left_out=left_out.astype(str),
        is_identical=np.array([a_set.has_identical for a_set in construction.sets], dtype=bool),
        models=np.array([model.name for model in models]),
        sums=np.stack([scores.sums for scores in of_models]),
        focuses=np.stack([scores.focuses for scores in of_models]),
        n_tokens=of_models[0].n_tokens,
        n_characters=np.array([len(text) for text in sentences.texts], dtype=np.int64),
    )
