"""The contract of predictors, anything frozen that gives log-probabilities of the words of a sentence; their cache."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyprobe.display.progress import watched
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.outcome_files import OutcomeFiles

Arrays = Mapping[str, np.ndarray]
_NAME = "name"  # of the array that repeats the name of the block
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence to be scored."""

    words: tuple[str, ...]
    """At least one, none empty."""
    span: tuple[int, int] | None = None
    """`[start, end)` in words, for predictors that score these words alone (`asks_focus`); None for all others."""
    between: str = " "
    """What stands between two words of the text: a blank; or nothing, where every character is a word."""


def text_of(question: Question) -> str:
    """Returns the sentence as it is written."""
    return question.between.join(question.words)


@dataclass(frozen=True, eq=False, slots=True)
class Answers:
    """Log-probabilities of the tokens of several questions, one question after the other.

    A token is a unit that the predictor predicts: a word, a piece of one, or the end of the sentence; those that an
    option leaves out are absent.
    """

    log_probabilities: np.ndarray
    """In nats: float32 `[tokens]`."""
    word_of_token: np.ndarray
    """Number of the token's word in its question, the number of words for the end: int32 `[tokens]`."""
    is_unknown: np.ndarray
    """Whether the vocabulary lacks the word: bool `[tokens]`."""
    ends: np.ndarray
    """Where the tokens of each question end: int64 `[questions]`."""
    refusals: tuple[str, ...]
    """Why a question has no answer (and no tokens), "" where it has one: `[questions]`."""
    last_words: np.ndarray | None = None
    """Number of the last word that a token covers, where a piece may cover several characters, or a word that lies in
    it as a whole: int32 `[tokens]`; None where every token belongs to one word."""


class Predictor(ABC):
    """Assigns log-probabilities; the same question always has the same answer, alone or in a batch with others.

    Equal token sequences have equal answers to the last bit, so that sentences that a predictor cannot distinguish tie.
    """

    fingerprint: str
    """A hexadecimal digest that changes whenever an answer could change (weights, options, code version), and with
    nothing else: no path, no time."""
    asks_focus: bool = False
    """True if a question needs its span and only the words in it are scored."""
    conventions: str
    """How the first token, the beginning and the end of a sentence and unknown words are treated, as shown in results:
    one line."""
    label: str | None = None
    """Which model it is, as shown in results: a folder's name, or the name on the hub; None where the name of the
    scored run says it."""
    model_name: str | None = None
    """The same more exactly, for the rows: with the commit of a hub's model, or the name of a run; None where it is
    unknown."""
    seed: int | None = None
    """Of the model's training or of its random weights; None where nothing was drawn here."""
    epoch: int | None = None
    """Of the checkpoint; None where there is none."""
    architecture: Mapping[str, object] | None = None
    """Of a transformer its sizes, its vocabulary and digests, by what they are: what checkpoints of one training share,
    and what tells them apart; None of others."""
    provenance: Mapping[str, Any] = MappingProxyType({})
    """The sizes of a transformer, and under `files` digests of what answers rest on; those of a checkpoint begin with
    its epoch ("8/model.safetensors"). See `Encoder.provenance`."""
    training: Mapping[str, Any] | None = None
    """Configuration of the run that trained the model; None where it is not a model of such a run."""

    @property
    def languages(self) -> tuple[str, ...] | None:
        """Codes of the languages that the model was trained on; None where they are not known."""
        return None if self.training is None else tuple(self.training["lang"]["code"].split("+"))

    @abstractmethod
    def answer(self, questions: Sequence[Question], keeper: "Keeper") -> Answers:
        """Answers questions, in their order; shared parts are computed once.

        Args:
            questions: of a whole suite, distinct or not.
            keeper: computes and keeps the predictor's blocks of work, or reads kept ones: see `NothingKept`.

        Raises:
            PolyprobeError: a question has no words, or an empty one.
        """


def check_questions(predictor: str, questions: Iterable[Question]) -> None:
    """Refuses questions that cannot be answered.

    Args:
        predictor: its name, for the message, which counts questions from 1.
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
        return f"the span is not part of its {n_words} words"
    return None


class NothingKept:
    """Computes every block each time: for tests, and for weights that change from one call to the next."""

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        """Returns the arrays of all blocks, in the order of their names.

        Args:
            names: one for each block, hexadecimal digests of all that its arrays depend on other than the predictor
                (its questions); distinct.
            compute: returns the arrays of block number i; called for blocks that are not kept yet, in their order.
        """
        return [compute(number) for number in range(len(names))]


class KeptBlocks(OutcomeFiles[Arrays]):
    """Keeps blocks as `.npz` files; an interrupted scoring resumes after its last block.

        cache/scores/<fingerprint>/               one predictor
            3f2a9c1e….npz                         a block: arrays, named by all that they depend on
            3f2a9c1e….lock                        held while it is computed; stays, empty

    A damaged block is named in the log and computed again. A block is computed by one process: another one that needs
    it computes other blocks first, then waits, see `each_once`.

    Args:
        folder: of one predictor: its fingerprint is the folder's name. Made if absent.
    """

    def __init__(self, folder: Path):
        super().__init__(folder, [])

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        self.folder.mkdir(parents=True, exist_ok=True)
        n_missing = sum(not self.has(name) for name in names)
        with watched("scoring", "blocks of sentences", n_missing) as progress:

            def computed(missing: Sequence[str]) -> Iterator[Arrays]:
                for name in missing:
                    if self.has(name):
                        _log.warning("%s is damaged. Its block is computed again.", self.path(name))
                    yield compute(names.index(name))
                    progress.advance()

            found = self.read_or_make(names, computed)
        return [found[name] for name in names]

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.npz"

    def of_arrays(self, name: str, saved: Mapping[str, np.ndarray]) -> Arrays | None:
        arrays = {key: array for key, array in saved.items() if key != _NAME}
        return arrays if str(saved.get(_NAME, name)) == name else None  # blocks of earlier versions have no name

    def arrays_of(self, name: str, outcome: Arrays) -> dict[str, np.ndarray]:
        return {**outcome, _NAME: np.array(name)}


Keeper = NothingKept | KeptBlocks
"""What returns the blocks of a predictor's work."""
