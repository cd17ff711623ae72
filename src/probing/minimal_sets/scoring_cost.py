"""What it costs to score minimal sets, said before it is paid: positions, bytes of scores and of weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.display.shown import size_shown
from polyprobe.encoders.cache.store import free_bytes
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.predictors.base.predictor import Predictor, Question, text_of
from polyprobe.probing.minimal_sets.questions import distinct_questions, sentences_of
from polyprobe.probing.minimal_sets.region_scoring import sentences_of_suite
from polyprobe.probing.suites.minimal_sets import MinimalSuite

_STRETCH, _MOST_STRETCHES = 64, 64  # of sentences, for an estimate: neighbours are of one set, and share work
_BYTES_PER_NUMBER = 4


@dataclass(frozen=True, slots=True)
class ScoringCost:
    """What the models of a run take to score the sentences of a suite."""

    n_sentences: int
    """Distinct ones."""
    n_positions: int | None
    """Of all models, about, also of scores that are kept; None where none has any."""
    n_bytes: int
    """Of the log-probabilities that all models keep, at most: a piece has a byte of its word or more."""
    weight_bytes: int
    """Of the files of all models; 0 where none is read."""
    folder: Path
    """Of all kept scores."""
    has_kept: bool
    """Whether some are there."""

    @classmethod
    def of(cls, suite: MinimalSuite, predictors: Sequence[Predictor], folder: Path) -> "ScoringCost":
        """Looks at the sentences; the weights of no model are loaded.

        Args:
            predictors: of one kind, at least one.
            folder: of all kept scores.
        """
        sentences = sentences_of_suite(suite) if suite.has_regions else [*map(sentences_of, suite.constructions)]
        asks_focus = predictors[0].asks_focus
        is_asked = [one.has_focus if asks_focus else np.ones(len(one.texts), bool) for one in sentences]
        questions, _ = distinct_questions(sentences, is_asked, asks_focus)
        some = _spread_evenly(questions)
        found = [n for one in predictors if (n := one.n_positions(some)) is not None]
        n_positions = sum(found)
        if len(some) < len(questions):
            n_positions = int(float(f"{n_positions * len(questions) / len(some):.3g}"))
        n_pieces = sum(len(text_of(question).encode()) + 1 for question in questions)
        return cls(
            n_sentences=len(questions),
            n_positions=n_positions if found else None,
            n_bytes=_BYTES_PER_NUMBER * n_pieces * sum(one.numbers_per_piece for one in predictors),
            weight_bytes=sum(one.weight_bytes or 0 for one in predictors),
            folder=folder,
            has_kept=any(any((folder / file_name(one.fingerprint)).glob("*.npz")) for one in predictors),
        )

    def line(self) -> str:
        """Returns "distinct sentences: 134,000, positions: about 1,302,000, scores: at most 24 MB, weights: 548 MB"."""
        said = [f"distinct sentences: {self.n_sentences:,}"]
        if self.n_positions is not None:
            kept = " (less those of kept scores)" if self.has_kept else ""
            said.append(f"positions: about {self.n_positions:,}{kept}")
        said.append(f"scores: at most {size_shown(self.n_bytes)}")
        if self.weight_bytes:
            said.append(f"weights: {size_shown(self.weight_bytes)}")
        return ", ".join(said)

    def check_room(self) -> None:
        """Refuses scores for which there is no space. Where some are kept, how many more there will be is not known.

        Raises:
            PolyprobeError: the file system has less space.
        """
        if not self.has_kept and self.n_bytes > (free := free_bytes(self.folder)):
            found = f"the scores of {self.n_sentences:,} sentences take up to {size_shown(self.n_bytes)}"
            raise PolyprobeError(
                f"{self.folder}: {found}, {size_shown(free)} are free. Nothing was scored. Free disk space, or use "
                "fewer constructions (tests=[…]) or paths.work=… on another file system."
            )


def _spread_evenly(questions: Sequence[Question]) -> Sequence[Question]:
    """Returns stretches of neighbours; all questions where they are few."""
    if len(questions) <= _STRETCH * _MOST_STRETCHES:
        return questions
    starts: Iterable[int] = np.linspace(0, len(questions) - _STRETCH, _MOST_STRETCHES).astype(int).tolist()
    return [question for start in starts for question in questions[start : start + _STRETCH]]
