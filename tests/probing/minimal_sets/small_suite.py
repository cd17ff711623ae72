"""Small suites of minimal sets, and predictors whose scores a person can work out."""

from collections.abc import Mapping, Sequence

import numpy as np

from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant
from polyprobe.predictors.base.predictor import Answers, NothingKept, Predictor, Question
from polyprobe.probing.minimal_sets.outcome import ScoringRules
from polyprobe.probing.minimal_sets.scoring import score_suite
from polyprobe.probing.suites.minimal_sets import Construction, MinimalSuite


class GivenLogProbabilities(Predictor):
    """Scores every word by a table, unknown words with -9, and counts the questions that it gets.

    Args:
        table: of each known word, in nats.
        seed, epoch, asks_focus: see `Predictor`.
        refused: words whose questions have no answer.
    """

    conventions = "every word counts"

    def __init__(self, table: Mapping[str, float], seed=None, epoch=None, asks_focus=False, refused=()):
        self.table, self.seed, self.epoch = table, seed, epoch
        self.asks_focus, self.refused = asks_focus, frozenset(refused)
        self.fingerprint = f"{seed or 0:x}{epoch or 0:x}"
        self.asked: list[Question] = []

    def answer(self, questions, keeper):
        self.asked += questions
        refusals = ["" if self.refused.isdisjoint(one.words) else "a refused word" for one in questions]
        words = [[] if why else self._scored(one) for one, why in zip(questions, refusals, strict=True)]
        of_tokens = [one.words[place] for one, places in zip(questions, words, strict=True) for place in places]
        return Answers(
            log_probabilities=np.array([self.table.get(word, -9.0) for word in of_tokens], dtype=np.float32),
            word_of_token=np.array([place for places in words for place in places], dtype=np.int32),
            is_unknown=np.array([word not in self.table for word in of_tokens], dtype=bool),
            ends=np.cumsum([len(places) for places in words], dtype=np.int64),
            refusals=tuple(refusals),
        )

    def _scored(self, question: Question) -> Sequence[int]:
        start, end = question.span if self.asks_focus else (0, len(question.words))
        return range(start, end)


def a_set(number: int, grammatical: str, *ungrammatical: str) -> MinimalSet:
    return MinimalSet(number, Variant(grammatical, (), ()), tuple(Variant(one, (), ()) for one in ungrammatical))


def construction(name: str, *sets: tuple[str, ...]) -> Construction:
    return Construction(name, [a_set(number, *sentences) for number, sentences in enumerate(sets, start=1)])


def suite(*constructions: Construction, means=()) -> MinimalSuite:
    return MinimalSuite("toy", constructions, {one.name: "00" for one in constructions}, means=dict(means))


def findings_of(constructions, predictors, ties="wrong", unknown_focus="scored", means=()):
    keepers = [NothingKept() for _ in predictors]
    return score_suite(
        suite(*constructions, means=means), predictors, keepers, ScoringRules("xx", "given", ties, unknown_focus)
    )


def rows_of(found, **wanted):
    """Returns the rows of findings whose columns are as wanted."""
    return [row for row in found.rows() if all(getattr(row, key) == value for key, value in wanted.items())]
