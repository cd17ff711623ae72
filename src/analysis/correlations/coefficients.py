"""Computes Spearman's correlation of probing with downstream scores, and says which coefficients are significant."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyprobe.analysis.correlations.encoder_scores import EncoderScores
from polyprobe.analysis.statistics.significance import (
    CORRECTIONS,
    ROUNDING,
    SIGNIFICANT,
    rank_correlation,
    written_rho,
)
from polyprobe.errors import check_choice

FEWEST_ENCODERS = 3
UNCORRECTED = {"**": 0.1, "*": 0.2}  # marks of LINSPECTOR: five encoders hardly reach smaller levels
CORRECTED = {"*": SIGNIFICANT}
NAMES = {"bonferroni": "Bonferroni", "holm": "Holm", "benjamini_hochberg": "Benjamini and Hochberg"}


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a probing test and a downstream task rank encoders alike."""

    language: str
    test: str
    task: str
    spearman: float
    """-1 to 1; NaN where all encoders score the same on one side."""
    p: float
    """Two-sided, by Student's t, as in the paper."""
    p_bonferroni: float
    p_holm: float
    p_benjamini_hochberg: float
    """Corrected over all rows."""
    p_exact: float
    """Two-sided, by all orders of the encoders; NaN for more than eight."""
    p_exact_bonferroni: float
    p_exact_holm: float
    p_exact_benjamini_hochberg: float
    """Corrected over all rows, of which those without an exact p count with the other one."""
    n: int
    """Number of encoders."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The coefficients of one language, tests by tasks."""

    tests: list[str]
    tasks: list[str]
    """In the order of the rows."""
    cells: dict[tuple[str, str], Correlation]
    """By test and task; those that were not computed are absent."""

    @classmethod
    def of(cls, rows: Iterable[Correlation]) -> "Matrix":
        cells = {(row.test, row.task): row for row in rows}
        return cls(*(list(dict.fromkeys(names)) for names in zip(*cells, strict=True)), cells)

    def of_test(self, test: str) -> list[Correlation | None]:
        """Returns the coefficients of a test, one for each task, None where there is none."""
        return [self.cells.get((test, task)) for task in self.tasks]


def correlations(probing: Iterable[EncoderScores], downstream: Iterable[EncoderScores]) -> list[Correlation]:
    """Correlates every test with every task of its language, over the encoders that have both scores.

    Pairs with fewer than three such encoders are left out.
    """
    downstream = list(downstream)
    pairs = [(test, task) for test in probing for task in downstream if test.lang == task.lang]
    rows = [_correlation(*pair, _shared(*pair)) for pair in pairs if len(_shared(*pair)) >= FEWEST_ENCODERS]
    return [replace(row, **columns) for row, columns in zip(rows, _corrected(rows), strict=True)]


def by_language(rows: Iterable[Correlation]) -> dict[str, list[Correlation]]:
    """Parts rows by language, in their order."""
    parts: dict[str, list[Correlation]] = {}
    for row in rows:
        parts.setdefault(row.language, []).append(row)
    return parts


def coefficient(row: Correlation | None) -> str:
    """Writes a coefficient with two decimals; "-" for none."""
    return "-" if row is None else written_rho(row.spearman)


@dataclass(frozen=True, slots=True)
class Levels:
    """By which p-value coefficients are significant."""

    correction: str | None
    """A name of `CORRECTIONS`, over all coefficients that are computed together; None: none."""

    def __post_init__(self) -> None:
        if self.correction is not None:
            check_choice("correction", self.correction, CORRECTIONS)

    @property
    def marks(self) -> Mapping[str, float]:
        """The marks in tables, the lowest level first."""
        return UNCORRECTED if self.correction is None else CORRECTED

    def p(self, row: Correlation) -> float:
        """Returns the p-value that is marked: by Student's t; if corrected by all orders, where there are few."""
        if self.correction is None:
            return row.p
        exact = getattr(row, f"p_exact_{self.correction}")
        return getattr(row, f"p_{self.correction}") if math.isnan(exact) else exact

    def is_significant(self, row: Correlation) -> bool:
        """Says whether a coefficient differs significantly from zero."""
        return is_below(self.p(row), SIGNIFICANT)

    def mark(self, row: Correlation) -> str:
        """Returns the mark of the lowest level that the p-value stays below; "" for none."""
        return next((mark for mark, level in self.marks.items() if is_below(self.p(row), level)), "")

    def in_words(self) -> str:
        """Explains the marks: "* p < 0.05 after the correction of Holm"."""
        marks = ", ".join(f"{mark} p < {level}" for mark, level in self.marks.items())
        how = ", not corrected" if self.correction is None else f" after the correction of {NAMES[self.correction]}"
        return f"{marks}{how}"


def is_below(p: float, level: float) -> bool:
    """Says whether a p-value is below a level, by more than rounding: over four encoders a rho of 0.8 has p = 0.2."""
    return p < level - ROUNDING


def _shared(test: EncoderScores, task: EncoderScores) -> list[str]:
    return [encoder for encoder in test.scores if encoder in task.scores]


def _correlation(test: EncoderScores, task: EncoderScores, encoders: Sequence[str]) -> Correlation:
    first, second = (np.array([side.scores[encoder] for encoder in encoders]) for side in (test, task))
    found = rank_correlation(first, second)
    unknown = dict.fromkeys((f"{p}_{name}" for p in ("p", "p_exact") for name in CORRECTIONS), np.nan)
    names = {"language": test.lang, "test": test.name, "task": task.name}
    return Correlation(**names, spearman=found.rho, p=found.p, p_exact=found.p_exact, n=len(encoders), **unknown)


def _corrected(rows: Sequence[Correlation]) -> list[dict[str, float]]:
    """Returns the corrected p-values of each row, by column."""
    by_t = [row.p for row in rows]
    exact = [row.p if np.isnan(row.p_exact) else row.p_exact for row in rows]
    columns: list[dict[str, float]] = [{} for _ in rows]
    for name, correct in CORRECTIONS.items():
        for row, column, one, other in zip(rows, columns, correct(by_t), correct(exact), strict=True):
            column[f"p_{name}"] = one
            column[f"p_exact_{name}"] = np.nan if np.isnan(row.p_exact) else other
    return columns
