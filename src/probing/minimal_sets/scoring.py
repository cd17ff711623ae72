"""Scores models on a suite of minimal sets: every distinct sentence is scored once by each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import Answers, Keeper, Predictor
from polyprobe.probing.minimal_sets.findings import MinimalSetFindings
from polyprobe.probing.minimal_sets.outcome import LACKS_FOCUS, Model, ScoredConstruction, ScoringRules, distinct_models
from polyprobe.probing.minimal_sets.questions import (
    Sentences,
    distinct_questions,
    last_words,
    sentences_of,
    tokens_of,
)
from polyprobe.probing.suites.minimal_sets import Construction, MinimalSuite
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
    models, asks_focus = distinct_models(predictors), predictors[0].asks_focus
    layouts = [Layout.of(construction, asks_focus) for construction in suite.constructions]
    questions, numbers = distinct_questions([(one.sentences, one.is_asked) for one in layouts], asks_focus)
    scored: list[list[SentenceScores]] = [[] for _ in layouts]
    for predictor, keeper in zip(predictors, keepers, strict=True):
        answers = predictor.answer(questions, keeper)
        for of_models, number, one in zip(scored, numbers, layouts, strict=True):
            of_models.append(one.scores(answers, number))
    constructions = [one.scored(of_models, models, rules) for one, of_models in zip(layouts, scored, strict=True)]
    return MinimalSetFindings(suite, predictors, rules, constructions)


@dataclass(frozen=True, eq=False)
class SentenceScores:
    """What one model makes of the sentences of a construction; not a number where there is no score."""

    sums: np.ndarray
    focuses: np.ndarray
    """See `polyprobe.runs.array_records.SetScores`: float64 `[sentences]`."""
    n_tokens: np.ndarray
    """Behind each score: int64 `[sentences]`."""
    lacks_focus: np.ndarray
    """Whether a focus word is unknown, or has no score of its own: bool `[sentences]`."""
    is_oov: np.ndarray
    """Whether a focus word is unknown: bool `[sentences]`."""
    has_unknown: np.ndarray
    """Whether any scored word is unknown: bool `[sentences]`."""
    refusals: np.ndarray
    """Why there is no answer, "" where there is one or none was requested: object `[sentences]`."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A construction before a model is asked."""

    construction: Construction
    sentences: Sentences
    reasons: np.ndarray
    """Why nothing can be decided by a set, "" where it can: object `[sets]`."""
    is_asked: np.ndarray
    """Which sentences need an answer: bool `[sentences]`."""
    asks_focus: bool

    @classmethod
    def of(cls, construction: Construction, asks_focus: bool) -> "Layout":
        """Finds the questions; if nothing differs, a model that scores the focus alone has a tie without a question."""
        sentences = sentences_of(construction)
        reasons = np.full(sentences.n_sets, "", dtype=object)
        if asks_focus:
            has_none, has_some = (sentences.any_of_set(one) for one in (~sentences.has_focus, sentences.has_focus))
            reasons[has_none & has_some] = NO_FOCUS
        reasons[np.bincount(sentences.set_of_sentence, minlength=sentences.n_sets) < 2] = ALONE
        is_asked = (reasons == "")[sentences.set_of_sentence]
        is_asked = is_asked & sentences.has_focus if asks_focus else is_asked
        return cls(construction, sentences, reasons, is_asked, asks_focus)

    def scores(self, answers: Answers, numbers: np.ndarray) -> SentenceScores:
        """Returns the scores of every sentence; there are no sums where only the words of the spans were scored.

        Args:
            numbers: of each sentence's question: int64 `[sentences]`.
        """
        n_sentences = len(numbers)
        sentence, token = tokens_of(answers, numbers)
        values = answers.log_probabilities[token].astype(np.float64)
        word, last_word = answers.word_of_token[token], last_words(answers)[token]
        in_focus = (self.sentences.spans[sentence, 0] <= last_word) & (word < self.sentences.spans[sentence, 1])
        n_tokens = np.bincount(sentence, minlength=n_sentences)
        n_in_focus = np.bincount(sentence[in_focus], minlength=n_sentences)
        focuses = np.bincount(sentence[in_focus], values[in_focus], minlength=n_sentences)
        sums = np.bincount(sentence, values, minlength=n_sentences)
        differs = self.sentences.any_of_set(self.sentences.has_focus)[self.sentences.set_of_sentence]
        without_focus = np.where(differs, np.nan, 0.0)  # a tie where nothing differs
        return SentenceScores(
            sums=np.where((n_tokens == 0) | self.asks_focus, np.nan, sums),
            focuses=np.where((n_in_focus == 0), without_focus, focuses),
            n_tokens=n_tokens,
            lacks_focus=_lacks_focus(answers, sentence[in_focus], token[in_focus], self.sentences),
            is_oov=np.bincount(sentence[in_focus & answers.is_unknown[token]], minlength=n_sentences) > 0,
            has_unknown=np.bincount(sentence[answers.is_unknown[token]], minlength=n_sentences) > 0,
            refusals=np.array([*answers.refusals, ""], dtype=object)[numbers],
        )

    def scored(
        self, of_models: Sequence[SentenceScores], models: Sequence[Model], rules: ScoringRules
    ) -> ScoredConstruction:
        """Returns the construction as all models scored it.

        Raises:
            PolyprobeError: two of them do not score the same tokens.
        """
        sentences, left_out = self.sentences, self.left_out(of_models)
        lacks_focus, is_oov = (
            np.any([sentences.any_of_set(of_model) for of_model in of_all], axis=0)
            for of_all in zip(*((scores.lacks_focus, scores.is_oov) for scores in of_models), strict=True)
        )
        is_left = left_out == ""
        lacks_focus &= is_left
        if rules.unknown_focus == "skipped":
            left_out[lacks_focus] = LACKS_FOCUS
        is_scored = (left_out == "")[sentences.set_of_sentence]
        for model, one in zip(models, of_models, strict=True):
            if not np.array_equal(one.n_tokens[is_scored], of_models[0].n_tokens[is_scored]):
                raise PolyprobeError(
                    f"{self.construction.name}: {models[0].name} and {model.name} do not score the same tokens: their "
                    "vocabularies differ. Score them in separate commands, then compare the runs."
                )
        has_unknown = np.any([sentences.any_of_set(scores.has_unknown) for scores in of_models], axis=0)
        scores = SetScores(
            test=self.construction.name,
            sentences=np.array(sentences.texts, dtype=str),
            set_of_sentence=sentences.set_of_sentence,
            numbers=np.array([one.number for one in self.construction.sets], dtype=np.int64),
            lemmas=np.array(sentences.lemmas, dtype=str),
            left_out=left_out.astype(str),
            is_identical=np.array([one.has_identical for one in self.construction.sets], dtype=bool),
            models=np.array([model.name for model in models]),
            sums=np.stack([one.sums for one in of_models]),
            focuses=np.stack([one.focuses for one in of_models]),
            n_tokens=of_models[0].n_tokens,
            n_characters=np.array([len(text) for text in sentences.texts], dtype=np.int64),
        )
        return ScoredConstruction(
            scores,
            lacks_focus=lacks_focus,
            is_oov=is_oov & is_left,
            lacks_other=has_unknown & is_left & ~lacks_focus,
            n_bad_lines=self.construction.n_bad_lines,
        )

    def left_out(self, of_models: Sequence[SentenceScores]) -> np.ndarray:
        """Says why a set is left out, for all models: they are compared on the same; "" of others: object `[sets]`."""
        left_out, set_of_sentence = self.reasons.copy(), self.sentences.set_of_sentence
        for scores in of_models:
            for place in np.flatnonzero(scores.refusals != "")[::-1].tolist():  # so that of a set the first one counts
                left_out[set_of_sentence[place]] = scores.refusals[place]
        for scores in of_models:
            is_unscored = self.sentences.any_of_set(self.is_asked & (scores.n_tokens == 0))
            left_out[is_unscored & (left_out == "")] = NOT_SCORED
        return left_out


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
