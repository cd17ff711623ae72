"""Correlates the accuracy of languages in minimal sets with their morphological complexity."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.output.csv_files import number_of
from src.analysis.statistics.rank_correlation import (
    MOST_PERMUTED,
    RankCorrelation,
    least_significant_rho,
    rank_correlation,
)
from src.analysis.statistics.significance import SIGNIFICANT, written_p
from src.display.spreadsheets import text_of_cell
from src.errors import MalformedLine, PolyprobeError

FEWEST_LANGUAGES = 3
COLUMNS = ("language", "complexity")


@dataclass(frozen=True, slots=True)
class LanguageAccuracy:
    """A language in one correlation.

    Attributes:
        suite, predictor: what was scored, by which kind of model.
        language: its code.
        complexity: of its morphology, by the user's table.
        accuracy: unweighted mean over constructions, a fraction.
        n_constructions: that all languages have.
        run: that scored it.
    """

    suite: str
    predictor: str
    language: str
    complexity: float
    accuracy: float
    n_constructions: int
    run: str


def read_complexities(path: Path) -> dict[str, float]:
    """Reads the complexity of each language.

    Raises:
        MalformedLine: a line has another number of cells, a cell is not a number, or a language comes twice.
        PolyprobeError: the file is absent or no UTF-8, or a column is missing.
    """
    try:
        table = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline=""))
    except FileNotFoundError as error:
        raise PolyprobeError(f"{path} is not there. Expected a CSV table of languages and complexities.") from error
    except UnicodeDecodeError as error:
        raise PolyprobeError(f"{path}: byte {error.start + 1} is not UTF-8. Expected a CSV table in UTF-8.") from error
    missing = [column for column in COLUMNS if column not in (table.fieldnames or ())]
    if missing:
        raise PolyprobeError(f"{path} has no column {' and no column '.join(missing)}.")
    complexities: dict[str, float] = {}
    for row in table:
        if None in row or None in row.values():
            raise MalformedLine(path, table.line_num, "the line has another number of cells than the header", "as many")
        language = text_of_cell(row["language"])
        if language in complexities:
            raise MalformedLine(path, table.line_num, f"{language} occurs again", "one line for each")
        complexities[language] = number_of(path, table.line_num, "the complexity", row["complexity"], "a number")
    return complexities


def correlation_of(languages: Sequence[LanguageAccuracy]) -> RankCorrelation:
    """Returns Spearman's coefficient of complexity with accuracy."""
    pairs = [(one.complexity, one.accuracy) for one in languages]
    return rank_correlation(*np.array(pairs, dtype=np.float64).T)


def without_one(languages: Sequence[LanguageAccuracy]) -> dict[str, float]:
    """Returns the coefficient without each language in turn; nothing where too few would be left."""
    if len(languages) <= FEWEST_LANGUAGES:
        return {}
    return {
        language.language: correlation_of([one for one in languages if one is not language]).rho
        for language in languages
    }


def written_rho(rho: float) -> str:
    """Writes a coefficient with two decimals; "-" for none."""
    return "-" if math.isnan(rho) else f"{round(rho, 2) + 0.0:.2f}"  # no -0.00


def p_in_words(found: RankCorrelation) -> str:
    """Returns the exact p-value, or that of Student's t for more numbers than are permuted."""
    if math.isnan(found.p_exact):
        return f"p = {written_p(found.p)} (two-sided, by Student's t)"
    return f"p = {written_p(found.p_exact)} (two-sided, exact)"


def significance_in_words(n: int) -> str:
    """Says how far from zero a coefficient has to be for a small exact p-value; "" where none is computed."""
    if n > MOST_PERMUTED:
        return ""
    least = least_significant_rho(n, SIGNIFICANT)
    if math.isnan(least):
        return f"With n = {n} no coefficient has an exact p below {SIGNIFICANT}."
    if least == 1:
        return f"With n = {n} only a perfect rank correlation has an exact p below {SIGNIFICANT}."
    return f"With n = {n} a coefficient has an exact p below {SIGNIFICANT} from {least:.2f} (or -{least:.2f}) on."
