"""Scores models on a suite of minimal sets: every distinct sentence is scored once by each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import Answers, Keeper, Predictor
from polyprobe.probing.minimal_sets.findings import MinimalSetFindings
from polyprobe.probing.minimal_sets.outcome import LACKS_FOCUS, Model, ScoredConstruction, ScoringRules, distinct_models
from polyprobe.probing.minimal_sets.questions import (
    Layout,
    QuestionScores,
    Sentences,
    distinct_questions,
    last_words,
    sentences_of,
    tokens_of,
)
from polyprobe.probing.minimal_sets.region_scoring import RegionLayout
from polyprobe.probing.suites.minimal_sets import MinimalSuite, SetConstruction
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
        PolyprobeError: two models have the same seed and epoch, or do not score the same tokens; or they score critical
            words alone, and the suite compares regions.
    """
    models, asks_focus = distinct_models(predictors), predictors[0].asks_focus
    if suite.has_regions and asks_focus:
        raise PolyprobeError(
            f"suite={suite.name} compares surprisals of regions, but predictor.score=focus only scores "
            "the critical words. Expected predictor.score=pll or pll_within_word: sums of pseudo-surprisals."
        )
    layouts = laid_out(suite, asks_focus)
    questions, numbers = distinct_questions(layouts, asks_focus)
    scored: list[list[QuestionScores]] = [[] for _ in layouts]
    for predictor, keeper in zip(predictors, keepers, strict=True):
        answers = predictor.answer(questions, keeper)
        for of_models, number, one in zip(scored, numbers, layouts, strict=True):
            of_models.append(one.scores(answers, number))
    constructions = [one.scored(of_models, models, rules) for one, of_models in zip(layouts, scored, strict=True)]
    return MinimalSetFindings(suite, predictors, rules, constructions)


def laid_out(suite: MinimalSuite, asks_focus: bool) -> list[Layout]:
    """Returns the sentences of each construction, as they are scored, and which of them are asked.

    Args:
        asks_focus: whether only the words that differ are scored.
    """
    if suite.has_regions:
        return [RegionLayout.of(construction, suite.preparation) for construction in suite.constructions]
    return [SetLayout.of(construction, asks_focus) for construction in suite.constructions]


@dataclass(frozen=True, eq=False)
class SentenceScores(QuestionScores):
    """What one model makes of sentences; not a number where there is no score."""

    sums: np.ndarray
    focuses: np.ndarray
    """See `polyprobe.runs.array_records.SetScores`: float64 `[sentences]`."""
    lacks_focus: np.ndarray
    """Whether a focus word is unknown, or has no score of its own: bool `[sentences]`."""
    is_oov: np.ndarray
    """Whether a focus word is unknown: bool `[sentences]`."""
    has_unknown: np.ndarray
    """Whether any scored word is unknown: bool `[sentences]`."""


@dataclass(frozen=True, eq=False)
class SetLayout(Layout[SentenceScores]):
    """Minimal sets before a model is asked."""

    asks_focus: bool

    not_scored = NOT_SCORED

    @classmethod
    def of(cls, construction: SetConstruction, asks_focus: bool) -> "SetLayout":
        """Finds the questions; if nothing differs, a model that scores the focus alone has a tie without a question."""
        sentences = sentences_of(construction)
        reasons = _undecidable(sentences, asks_focus)
        is_asked = (reasons == "")[sentences.set_of_sentence]
        is_asked = is_asked & sentences.has_focus if asks_focus else is_asked
        return cls(construction, sentences, reasons, is_asked, asks_focus)

    def scores(self, answers: Answers, numbers: np.ndarray) -> SentenceScores:
        """Returns the scores of every sentence; there are no sums where only the words of the spans were scored."""
        n_sentences = len(numbers)
        sentence, token = tokens_of(answers, numbers)
        values = answers.log_probabilities[token].astype(np.float64)
        word, last_word = answers.word_of_token[token], last_words(answers)[token]
        in_focus = (self.sentences.spans[sentence, 0] <= last_word) & (word < self.sentences.spans[sentence, 1])
        n_tokens = np.bincount(sentence, minlength=n_sentences)
        n_in_focus = np.bincount(sentence[in_focus], minlength=n_sentences)
        focuses = np.bincount(sentence[in_focus], values[in_focus], minlength=n_sentences)
        sums = np.bincount(sentence, values, minlength=n_sentences)
        return SentenceScores(
            sums=np.where((n_tokens == 0) | self.asks_focus, np.nan, sums),
            focuses=np.where((n_in_focus == 0), _without_focus(self.sentences), focuses),
            n_tokens=n_tokens,
            lacks_focus=_lacks_focus(answers, sentence[in_focus], token[in_focus], self.sentences),
            is_oov=np.bincount(sentence[in_focus & answers.is_unknown[token]], minlength=n_sentences) > 0,
            has_unknown=np.bincount(sentence[answers.is_unknown[token]], minlength=n_sentences) > 0,
            refusals=np.array([*answers.refusals, ""], dtype=object)[numbers],
        )

    def is_unscored(self, scores: SentenceScores) -> np.ndarray:
        return self.sentences.any_of_set(self.is_asked & (scores.n_tokens == 0))

    def scored(
        self, of_models: Sequence[SentenceScores], models: Sequence[Model], rules: ScoringRules
    ) -> ScoredConstruction:
        sentences, left_out = self.sentences, self.left_out(of_models)
        lacks_focus, is_oov = (
            np.any([sentences.any_of_set(of_model) for of_model in of_all], axis=0)
            for of_all in zip(*((scores.lacks_focus, scores.is_oov) for scores in of_models), strict=True)
        )
        is_left = left_out == ""
        lacks_focus &= is_left
        if rules.unknown_focus == "skipped":
            left_out[lacks_focus] = LACKS_FOCUS
        self.check_same_tokens(of_models, models, (left_out == "")[sentences.set_of_sentence])
        has_unknown = np.any([sentences.any_of_set(scores.has_unknown) for scores in of_models], axis=0)
        return ScoredConstruction(
            _set_scores(self, left_out, of_models, models),
            lacks_focus=lacks_focus,
            is_oov=is_oov & is_left,
            lacks_other=has_unknown & is_left & ~lacks_focus,
            n_bad_lines=self.construction.n_bad_lines,
        )


def _undecidable(sentences: Sentences, asks_focus: bool) -> np.ndarray:
    """Says of each set why nothing can be decided by it, "" where it can: object `[sets]`."""
    reasons = np.full(sentences.n_sets, "", dtype=object)
    if asks_focus:
        has_none, has_some = (sentences.any_of_set(which) for which in (~sentences.has_focus, sentences.has_focus))
        reasons[has_none & has_some] = NO_FOCUS
    reasons[np.bincount(sentences.set_of_sentence, minlength=sentences.n_sets) < 2] = ALONE
    return reasons


def _without_focus(sentences: Sentences) -> np.ndarray:
    """Returns 0 to the sentences of a set in which nothing differs: a tie. No score to any other without a focus."""
    differs = sentences.any_of_set(sentences.has_focus)[sentences.set_of_sentence]
    return np.where(differs, np.nan, 0.0)


def _lacks_focus(answers: Answers, sentence: np.ndarray, token: np.ndarray, sentences: Sentences) -> np.ndarray:
    """Says where a word of the span is unknown or has no token; the arguments are those of the tokens in the spans."""
    n_sentences = len(sentences.texts)
    longest = int(sentences.spans.max(initial=0)) + 1
    first = np.maximum(answers.word_of_token[token], sentences.spans[sentence, 0])
    n_words = np.minimum(last_words(answers)[token] + 1, sentences.spans[sentence, 1]) - first
    within = np.arange(n_words.sum()) - np.repeat(np.cumsum(n_words) - n_words, n_words)
    scored = np.unique(np.repeat(sentence * longest + first, n_words) + within) // longest
    n_unscored = np.diff(sentences.spans)[:, 0] - np.bincount(scored, minlength=n_sentences)
    n_unknown = np.bincount(sentence[answers.is_unknown[token]], minlength=n_sentences)
    return (n_unscored > 0) | (n_unknown > 0)


def _set_scores(
    one: SetLayout, left_out: np.ndarray, of_models: Sequence[SentenceScores], models: Sequence[Model]
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
