"""The rules by which minimal sets are scored, and the scores of one construction."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from src.errors import UnknownChoice
from src.metrics.minimal_sets import TIES
from src.runs.set_scores import SetScores

LACKS_FOCUS = "a focus word that is unknown or not scored"
UNKNOWN_FOCUS = ("scored", "skipped")


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The rules by which models are scored on minimal sets.

    Attributes:
        lang: code of the language, for the rows.
        predictor: the kind of model, for the rows.
        ties: what an exact tie is worth, one of `src.metrics.minimal_sets.TIES`.
        unknown_focus: whether sets with a focus word that a vocabulary lacks are "scored" or "skipped".
        options: of the predictor, for the rows, see `ResultRow`.

    Raises:
        UnknownChoice: `ties` or `unknown_focus` is none of these.
    """

    lang: str
    predictor: str
    ties: str
    unknown_focus: str
    options: str | None = None

    def __post_init__(self):
        if self.ties not in TIES:
            raise UnknownChoice("ties", _as_typed(self.ties), TIES)
        if self.unknown_focus not in UNKNOWN_FOCUS:
            raise UnknownChoice("unknown_focus", _as_typed(self.unknown_focus), UNKNOWN_FOCUS)


def _as_typed(value: object) -> str:
    return "null" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Model:
    """One of the models that are scored together: those that differ in their seed are averaged.

    Attributes:
        seed, epoch: see `src.predictors.base.predictor.Predictor`.
    """

    seed: int | None
    epoch: int | None

    @property
    def name(self) -> str:
        """Returns seed and epoch, as "s1/8"."""
        seed = None if self.seed is None else f"s{self.seed}"
        epoch = None if self.epoch is None else str(self.epoch)
        return "/".join(part for part in (seed, epoch) if part) or "model"


@dataclass(frozen=True, eq=False)
class ScoredConstruction:
    """One construction as all models scored it.

    Attributes:
        scores: of every sentence; says which sets are left out, and why.
        n_unknown_focus: sets, scored or skipped, with a focus word that some model does not know or does not score.
        n_unknown_other: sets without such a word but with another that some model does not know, such as the subject.
        n_bad_lines: see `ConstructionSets`.
    """

    scores: SetScores
    n_unknown_focus: int
    n_unknown_other: int
    n_bad_lines: int

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many sets are left out for each reason, the most frequent first."""
        return dict(Counter(reason for reason in self.scores.left_out.tolist() if reason).most_common())

    @cached_property
    def identical(self) -> list[int]:
        """The numbers of the sets with a variant that is spelt as the grammatical sentence."""
        return self.scores.numbers[self.scores.is_identical].tolist()
