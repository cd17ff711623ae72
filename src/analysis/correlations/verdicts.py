"""Decides whether claims about coefficients hold, do not hold, or cannot be decided with so many encoders."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from src.analysis.correlations.coefficients import Correlation
from src.analysis.correlations.levels import Levels, is_below

SIGNS = {"positive": 1, "negative": -1}
# Of n coefficients, how many must meet a claim.
HOW_MANY: Mapping[str, Callable[[int], int]] = {
    "all": lambda n: n,
    "most": lambda n: n // 2 + 1,
    "many": lambda n: math.ceil(n / 3),
}


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be decided"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which coefficients say something about a claim.

    Attributes:
        levels: which coefficients are significant.
        strong_rho: a coefficient that is not significant speaks for or against a claim only where one of this size
            would have been; None: always.
        n_coefficients: those that a correction corrects for.
    """

    levels: Levels
    strong_rho: float | None
    n_coefficients: int

    def speaks(self, row: Correlation) -> bool:
        """Says whether a coefficient says anything: it is significant, or there are encoders enough."""
        if math.isnan(row.spearman):
            return False
        if self.strong_rho is None or self.levels.is_significant(row):
            return True
        return self.levels.needed(row.n, self.n_coefficients) < self.strong_rho

    def is_significant(self, row: Correlation) -> bool:
        return self.levels.is_significant(row)


# By the key of a claim: whether a coefficient that speaks meets it, given the value of the key.
MEETS: Mapping[str, Callable[[Correlation, object, Evidence], bool]] = {
    "p_below": lambda row, level, _: is_below(row.p, level) and row.spearman > 0,
    "no_p_below": lambda row, level, _: not is_below(row.p, level),
    "positive": lambda row, *_: row.spearman > 0,
    "sign": lambda row, sign, _: row.spearman * SIGNS[sign] > 0,
    "significant": lambda row, sign, evidence: row.spearman * SIGNS[sign] > 0 and evidence.is_significant(row),
}


def verdict_on_number(n_meeting: int, n_unclear: int, needed: int) -> Verdict:
    """Decides whether enough coefficients meet a claim, those that are unclear taken as both."""
    if n_meeting >= needed:
        return Verdict.HOLDS
    return Verdict.FAILS if n_meeting + n_unclear < needed else Verdict.OPEN


def verdict_on_lead(
    named: Mapping[str, list[Correlation]], others: Mapping[str, list[Correlation]], evidence: Evidence
) -> Verdict:
    """Decides whether each of some tests or tasks has more significant coefficients than each of the others."""
    if not named or not others:
        return Verdict.OPEN
    if min(n_significant(rows, evidence) for rows in named.values()) > max(
        n_significant(rows, evidence) + n_unclear(rows, evidence) for rows in others.values()
    ):
        return Verdict.HOLDS
    most = min(n_significant(rows, evidence) + n_unclear(rows, evidence) for rows in named.values())
    is_reached = most <= max(n_significant(rows, evidence) for rows in others.values())
    return Verdict.FAILS if is_reached else Verdict.OPEN


def n_significant(rows: list[Correlation], evidence: Evidence) -> int:
    return sum(map(evidence.is_significant, rows))


def n_unclear(rows: list[Correlation], evidence: Evidence) -> int:
    return sum(not evidence.speaks(row) for row in rows)
