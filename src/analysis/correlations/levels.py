"""Says which coefficients are significant: by a p-value as it is, or corrected for the number of coefficients."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from src.analysis.correlations.coefficients import Correlation
from src.analysis.statistics.rank_correlation import MOST_PERMUTED, least_significant_rho, needed_rho
from src.analysis.statistics.significance import CORRECTIONS, ROUNDING, SIGNIFICANT
from src.errors import check_choice

UNCORRECTED = {"**": 0.1, "*": 0.2}  # marks of LINSPECTOR: five encoders hardly reach smaller levels
CORRECTED = {"*": SIGNIFICANT}
NAMES = {"bonferroni": "Bonferroni", "holm": "Holm", "benjamini_hochberg": "Benjamini and Hochberg"}


@dataclass(frozen=True, slots=True)
class Levels:
    """By which p-value coefficients are significant.

    Attributes:
        correction: a name of `CORRECTIONS`, over all coefficients that are computed together; None: none.
    """

    correction: str | None

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
        """Says whether a coefficient differs significantly from zero. By Student's t a rho of 1 does, over as few as
        three encoders: so an exact p counts where there is one.
        """
        is_exact = self.correction is None and not math.isnan(row.p_exact)
        return is_below(row.p_exact if is_exact else self.p(row), SIGNIFICANT)

    def mark(self, row: Correlation) -> str:
        """Returns the mark of the lowest level that the p-value stays below; "" for none."""
        return next((mark for mark, level in self.marks.items() if is_below(self.p(row), level)), "")

    def needed(self, n_encoders: int, n_coefficients: int) -> float:
        """Returns the size of a coefficient that is significant whatever the others are; infinity where none is.

        That is at Bonferroni's level, if any correction is made, since the others ask for no more.
        """
        return _needed(n_encoders, 1 if self.correction is None else n_coefficients)

    def in_words(self) -> str:
        """Explains the marks: "* p < 0.05 after the correction of Holm"."""
        marks = ", ".join(f"{mark} p < {level}" for mark, level in self.marks.items())
        how = ", not corrected" if self.correction is None else f" after the correction of {NAMES[self.correction]}"
        return f"{marks}{how}"


def is_below(p: float, level: float) -> bool:
    """Says whether a p-value is below a level, by more than rounding: over four encoders a rho of 0.8 has p = 0.2."""
    return p < level - ROUNDING


def n_known(rows: Sequence[Correlation]) -> int:
    """Counts the coefficients that are numbers: those that a correction corrects for."""
    return sum(not math.isnan(row.spearman) for row in rows)


def power_in_words(rows: Sequence[Correlation]) -> list[str]:
    """Says for each number of encoders what a coefficient must reach for p < 0.05, as it is and corrected."""
    return [_power(n, n_known(rows)) for n in sorted({row.n for row in rows})]


def _power(n: int, n_coefficients: int) -> str:
    alone, corrected = _needed(n, 1), _needed(n, n_coefficients)
    how = "an exact p" if n <= MOST_PERMUTED else "p"
    if math.isinf(alone):
        return f"Over {n} encoders no |rho| has {how} < {SIGNIFICANT}."
    words = f"Over {n} encoders |rho| must reach {alone:.2f} for {how} < {SIGNIFICANT} as it is"
    survive = f"survive Bonferroni's correction over {n_coefficients} coefficients"
    if math.isinf(corrected):
        return f"{words}; none can {survive}."
    return (
        f"{words}, and {corrected:.2f} to {survive}. Holm's asks as much of the first and less of each further one, "
        f"Benjamini and Hochberg's less the more of them are large; neither less than {alone:.2f}."
    )


def _needed(n_encoders: int, n_coefficients: int) -> float:
    """Returns the size of a coefficient that Bonferroni's correction leaves significant; infinity where none is."""
    level = SIGNIFICANT / max(1, n_coefficients)
    if n_encoders > MOST_PERMUTED:
        return needed_rho(n_encoders, level)
    least = least_significant_rho(n_encoders, level)
    return math.inf if math.isnan(least) else least
