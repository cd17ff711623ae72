"""One row of the contract table: a file of `kinds/` holds one, as KIND."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyprobe.predictors.base.predictor import Predictor, Question


@dataclass(frozen=True)
class Kind:
    """One kind of predictor, small.

    Attributes:
        name: as the predictor calls itself in messages, and the name of the file in `kinds/`.
        build: makes it in a folder of its own, which may be empty or hold what an earlier call left; further
            arguments are changes of its options.
        options: changes of options that matter: each must change the fingerprint.
        questions: with beginnings or contexts in common, and spans where the predictor asks for them; it answers most.
        alike: two different questions that the predictor cannot tell apart (other words that it does not know); None
            where it reads every letter.
        unknown: a question with a word that the vocabulary lacks.
        expected: log-probabilities in nats of the tokens of one question, found in the plainest way: a full softmax at
            every position of the sentence alone; `(predictor, question) -> list of numbers`.
    """

    name: str
    build: Callable[..., Predictor]
    options: tuple[dict[str, object], ...]
    questions: tuple[Question, ...]
    alike: tuple[Question, Question] | None
    unknown: Question
    expected: Callable[[Predictor, Question], Sequence[float]]
