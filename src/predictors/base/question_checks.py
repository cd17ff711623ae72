"""Checks of questions that every predictor makes before it computes anything."""

from collections.abc import Iterable

from src.errors import PolyprobeError
from src.predictors.base.predictor import Question


def check_questions(predictor: str, questions: Iterable[Question]) -> None:
    """Refuses questions that cannot be answered.

    Args:
        predictor: its name, for the message, which counts questions from 1.
        questions: in the caller's order.

    Raises:
        PolyprobeError: a question has no words, or an empty one, or a span outside its words.
    """
    for number, question in enumerate(questions, start=1):
        if complaint := _complaint(question):
            raise PolyprobeError(f"{predictor} cannot score question {number}, {question!r}: {complaint}.")


def _complaint(question: Question) -> str | None:
    n_words = len(question.words)
    if not n_words:
        return "the sentence has no words"
    if "" in question.words:
        return f"word {question.words.index('') + 1} of the sentence is empty"
    if question.span is not None and not 0 <= question.span[0] < question.span[1] <= n_words:
        return f"the span is no part of its {n_words} words"
    return None
