"""The rules by which minimal sets are scored, and the scores of one construction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import Predictor
from polyprobe.runs.array_records import SetScores

LACKS_FOCUS = "an OOV or unscored critical word"
METRICS = {
    "sum": "accuracy",
    "per_token": "accuracy_per_token",
    "per_character": "accuracy_per_character",
    "focus": "accuracy_focus",
}


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The rules by which models are scored on minimal sets."""

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


def notes_on_left_out(counts: Mapping[str, int]) -> list[str]:
    """Says how many sets are left out for each reason."""
    return [f"{plural(count, 'set')} left out: {reason}" for reason, count in counts.items()]


def notes_on_unknown(counts: Mapping[str, int], left_out: Mapping[str, int]) -> list[str]:
    """Says how many sets have unknown words, where they are not left out for that."""
    return [f"{plural(count, 'set')} with {what}" for what, count in counts.items() if count and what not in left_out]


@dataclass(frozen=True, eq=False)
class ScoredConstruction:
    """One construction as all models scored it."""

    scores: SetScores
    """Of every sentence; says which sets are left out, and why."""
    is_oov: np.ndarray
    """Sets, scored or skipped, with a critical word that some model does not know: bool `[sets]`."""
    lacks_focus: np.ndarray
    """Sets, scored or skipped, with a focus word that some model does not know or does not score: bool `[sets]`."""
    lacks_other: np.ndarray
    """Sets without such a word but with another that some model does not know, such as the subject: bool `[sets]`."""
    n_bad_lines: int
    """Lines of the file that could not be read."""

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many sets are left out for each reason, the most frequent first."""
        return dict(Counter(reason for reason in self.scores.left_out.tolist() if reason).most_common())

    @cached_property
    def identical(self) -> list[int]:
        """The numbers of the sets with a variant that is spelt as the grammatical sentence."""
        return self.scores.numbers[self.scores.is_identical].tolist()

    @property
    def counts(self) -> dict[str, Any]:
        """What run.json says of it."""
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
        """Which sets, scored or skipped, have unknown words, by what is said of them: bool `[sets]`."""
        return {LACKS_FOCUS: self.lacks_focus, "another OOV word": self.lacks_other}

    def notes(self) -> list[str]:
        """Says what is left out and why, which sentences are identical, which words unknown."""
        notes = notes_on_left_out(self.left_out)
        if self.identical:
            first = f"the first is set {self.identical[0]}"
            notes.append(f"{plural(len(self.identical), 'set')} with an identical variant, {first}")
        notes += notes_on_unknown({what: int(which.sum()) for what, which in self.unknown.items()}, self.left_out)
        if self.n_bad_lines:
            notes.append(f"malformed lines, skipped with their sets: {self.n_bad_lines}")
        return notes
