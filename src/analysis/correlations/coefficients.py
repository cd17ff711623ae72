"""Computes Spearman's correlation of probing with downstream scores, for each language, test and task."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from src.analysis.correlations.encoder_scores import EncoderScores
from src.analysis.statistics.rank_correlation import rank_correlation
from src.analysis.statistics.significance import CORRECTIONS

FEWEST_ENCODERS = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a probing test and a downstream task rank encoders alike.

    Attributes:
        language, test, task: what is correlated.
        spearman: -1 to 1; NaN where all encoders score the same on one side.
        p: two-sided, by Student's t, as in the paper.
        p_bonferroni, p_holm, p_benjamini_hochberg: corrected over all rows.
        p_exact: two-sided, by all orders of the encoders; NaN for more than eight.
        p_exact_bonferroni, p_exact_holm, p_exact_benjamini_hochberg: corrected over all rows, of which those without an
            exact p count with the other one.
        n: encoders.
    """

    language: str
    test: str
    task: str
    spearman: float
    p: float
    p_bonferroni: float
    p_holm: float
    p_benjamini_hochberg: float
    p_exact: float
    p_exact_bonferroni: float
    p_exact_holm: float
    p_exact_benjamini_hochberg: float
    n: int

    def with_exact_p(self) -> "Correlation":
        """Returns it with the exact p in the place of Student's, where there is one."""
        return self if math.isnan(self.p_exact) else replace(self, p=self.p_exact)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The coefficients of one language, tests by tasks.

    Attributes:
        tests, tasks: in the order of the rows.
        cells: by test and task.
    """

    tests: list[str]
    tasks: list[str]
    cells: dict[tuple[str, str], Correlation]

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
    return "-" if row is None or np.isnan(row.spearman) else f"{round(row.spearman, 2) + 0.0:.2f}"  # no -0.00


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
