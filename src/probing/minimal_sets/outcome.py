"""The rules by which minimal sets are scored, and the scores of one construction."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.metrics.minimal_sets import TIES, margins
from polyprobe.predictors.base.predictor import Predictor
from polyprobe.runs.array_records import RegionScores, SetScores

LACKS_FOCUS = "an OOV or unscored critical word"
UNKNOWN_REGION = "an OOV or unscored word in a predicted region"
METRICS = {
    "sum": "accuracy",
    "per_token": "accuracy_per_token",
    "per_character": "accuracy_per_character",
    "focus": "accuracy_focus",
}
ALL = "all"  # the rule by which an item of SyntaxGym is right: all of its predictions hold
UNKNOWN_FOCUS = ("scored", "skipped")


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The rules by which models are scored on minimal sets.

    Raises:
        UnknownChoice: `ties` or `unknown_focus` is none of these.
    """

    lang: str
    """Code of the language, for the rows."""
    predictor: str
    """The kind of model, for the rows."""
    ties: str
    """What an exact tie is worth, one of `polyprobe.metrics.minimal_sets.TIES`."""
    unknown_focus: str
    """Whether sets with a focus word that a vocabulary lacks are "scored" or "skipped"."""
    options: str | None = None
    """Of the predictor, for the rows, see `ResultRow`."""

    def __post_init__(self):
        if self.ties not in TIES:
            raise UnknownChoice("ties", _as_typed(self.ties), TIES)
        if self.unknown_focus not in UNKNOWN_FOCUS:
            raise UnknownChoice("unknown_focus", _as_typed(self.unknown_focus), UNKNOWN_FOCUS)


def _as_typed(value: object) -> str:
    return "null" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Model:
    """One of the models that are scored together: those that differ in their seed are averaged."""

    seed: int | None
    epoch: int | None
    """See `polyprobe.predictors.base.predictor.Predictor`."""

    @property
    def name(self) -> str:
        """Returns seed and epoch, as "s1/8"."""
        seed = None if self.seed is None else f"s{self.seed}"
        epoch = None if self.epoch is None else str(self.epoch)
        return "/".join(part for part in (seed, epoch) if part) or "model"


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


class Scored(ABC):
    """One construction as all models scored it: minimal sets, or items of SyntaxGym."""

    scores: SetScores | RegionScores
    """What is kept of it; says which sets or items are left out, and why."""
    is_oov: np.ndarray
    """Sets, scored or skipped, with a critical word that some model does not know: bool `[sets]`."""
    n_bad_lines: int
    """Lines or items of the file that could not be read."""

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many sets are left out for each reason, the most frequent first."""
        return dict(Counter(reason for reason in self.scores.left_out.tolist() if reason).most_common())

    @property
    @abstractmethod
    def counts(self) -> dict[str, Any]:
        """What run.json says of it."""

    @property
    def is_identical(self) -> np.ndarray | None:
        """Which sets have a variant spelt as the grammatical sentence: bool `[sets]`; None where sets are no pairs."""
        return None

    @property
    @abstractmethod
    def unknown(self) -> Mapping[str, np.ndarray]:
        """Which sets, scored or skipped, have unknown words, by what is said of them: bool `[sets]`."""

    @property
    @abstractmethod
    def clusters(self) -> np.ndarray:
        """What is resampled, a name for each set, also where constructions are pooled: str `[sets]`.

        Sets of one cluster are not independent.
        """

    @abstractmethod
    def metrics(self, asks_focus: bool) -> Mapping[str, str]:
        """Returns the metric of each rule, that of the main table first.

        Args:
            asks_focus: whether the models scored the focus words alone.
        """

    @abstractmethod
    def margins(self, rule: str) -> np.ndarray:
        """Returns by how many bits each set is right, 0 for a tie: float64 `[models, sets]`, NaN where left out."""

    @abstractmethod
    def notes(self, rule: str) -> list[str]:
        """Says what a reader of a score by this rule must know."""

    def _notes_on_left_out(self) -> list[str]:
        return notes_on_left_out(self.left_out)

    def _notes_on_unknown(self) -> list[str]:
        return notes_on_unknown({what: int(which.sum()) for what, which in self.unknown.items()}, self.left_out)


def notes_on_left_out(counts: Mapping[str, int]) -> list[str]:
    """Says how many sets are left out for each reason."""
    return [f"{plural(count, 'set')} left out: {reason}" for reason, count in counts.items()]


def notes_on_unknown(counts: Mapping[str, int], left_out: Mapping[str, int]) -> list[str]:
    """Says how many sets have unknown words, where they are not left out for that."""
    return [f"{plural(count, 'set')} with {what}" for what, count in counts.items() if count and what not in left_out]


@dataclass(frozen=True, eq=False)
class ScoredConstruction(Scored):
    """One construction of minimal sets."""

    scores: SetScores
    """Of every sentence."""
    is_oov: np.ndarray
    lacks_focus: np.ndarray
    """Sets, scored or skipped, with a focus word that some model does not know or does not score: bool `[sets]`."""
    lacks_other: np.ndarray
    """Sets without such a word but with another that some model does not know, such as the subject: bool `[sets]`."""
    n_bad_lines: int

    @property
    def is_identical(self) -> np.ndarray:
        return self.scores.is_identical

    @cached_property
    def identical(self) -> list[int]:
        """The numbers of the sets with a variant that is spelt as the grammatical sentence."""
        return self.scores.numbers[self.scores.is_identical].tolist()

    @property
    def counts(self) -> dict[str, Any]:
        return {
            "sets": len(self.scores.numbers),
            "left_out": self.left_out,
            "unknown_focus": int(self.lacks_focus.sum()),
            "unknown_elsewhere": int(self.lacks_other.sum()),
            "bad_lines": self.n_bad_lines,
            "identical": self.identical,
        }

    @property
    def unknown(self) -> Mapping[str, np.ndarray]:
        return {LACKS_FOCUS: self.lacks_focus, "another OOV word": self.lacks_other}

    @property
    def clusters(self) -> np.ndarray:
        """The lemmas, see `SetScores`."""
        return self.scores.lemmas

    def metrics(self, asks_focus: bool) -> Mapping[str, str]:
        """See `Scored`; a model that scores the focus alone has no other rule."""
        return {"focus": "accuracy"} if asks_focus else METRICS

    def margins(self, rule: str) -> np.ndarray:
        """See `Scored`: that of the grammatical sentence over its best variant."""
        return margins(self.scores, rule)

    def notes(self, rule: str) -> list[str]:
        """Says what is left out and why, which sentences are identical, which words unknown."""
        notes = self._notes_on_left_out()
        if self.identical:
            first = f"the first is set {self.identical[0]}"
            notes.append(f"{plural(len(self.identical), 'set')} with an identical variant, {first}")
        notes += self._notes_on_unknown()
        if self.n_bad_lines:
            notes.append(f"malformed lines, skipped with their sets: {self.n_bad_lines}")
        return notes


@dataclass(frozen=True, eq=False)
class ScoredRegions(Scored):
    """One test suite of SyntaxGym, whose items are the sets."""

    scores: RegionScores
    """Of every region."""
    is_oov: np.ndarray
    has_unknown: np.ndarray
    """Items, scored or skipped, with a word that some model does not know or does not score in a region that is
    predicted: bool `[items]`."""
    n_bad_lines: int

    @property
    def counts(self) -> dict[str, Any]:
        return {
            "sets": len(self.scores.numbers),
            "left_out": self.left_out,
            "unknown_regions": int(self.has_unknown.sum()),
            "bad_lines": self.n_bad_lines,
        }

    @property
    def unknown(self) -> Mapping[str, np.ndarray]:
        return {UNKNOWN_REGION: self.has_unknown}

    @property
    def clusters(self) -> np.ndarray:
        """The items' numbers: those of one number in several test suites of a circuit vary the same words."""
        return self.scores.lemmas

    def metrics(self, asks_focus: bool) -> Mapping[str, str]:
        """See `Scored`: all predictions together, then each alone, numbered from 1."""
        single = (f"prediction_{number}" for number in range(1, len(self.scores.predictions) + 1))
        return {ALL: "accuracy", **{name: name for name in single}}

    def margins(self, rule: str) -> np.ndarray:
        """See `Scored`: that of a prediction, or the least of all, which is above 0 if all of them hold."""
        if rule == ALL:
            return self.scores.all_margins
        return self.scores.margins[:, self._place(rule)]

    def notes(self, rule: str) -> list[str]:
        """Says what is left out and why, which regions are unknown; of a single prediction what it is."""
        notes = [] if rule == ALL else [str(self.scores.predictions[self._place(rule)])]
        notes += self._notes_on_left_out()
        notes += self._notes_on_unknown()
        if self.n_bad_lines:
            notes.append(f"malformed items, skipped: {self.n_bad_lines}")
        return notes

    def _place(self, rule: str) -> int:
        return list(self.metrics(False)).index(rule) - 1
