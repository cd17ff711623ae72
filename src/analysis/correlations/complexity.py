"""Correlates the accuracy of languages in minimal sets with their morphological complexity: `complexity=FILE`.

Mueller et al. (2020, section 5 and Figure 3) correlate the average accuracy of each language with C_WALS of Bentz et
al. (2016). Such values come from a table that the user provides.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from polyprobe.analysis.output.tables import Printable, Table, number_of, picture_lines, write_records
from polyprobe.analysis.pictures.panels import COLOURS, new_figure, save_figure
from polyprobe.analysis.reports.side_by_side import rows_of_minimal_sets
from polyprobe.analysis.results.collection import collect
from polyprobe.analysis.results.kinds import CONSTRUCTIONS
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row, distinct, percent
from polyprobe.analysis.statistics.significance import (
    MOST_PERMUTED,
    SIGNIFICANT,
    RankCorrelation,
    least_significant_rho,
    rank_correlation,
    written_p,
    written_rho,
)
from polyprobe.display.shown import text_of_cell
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError
from polyprobe.formats.files.file_names import file_name

FEWEST_LANGUAGES = 3
COLUMNS = ("language", "complexity")


@dataclass(frozen=True, slots=True)
class LanguageAccuracy:
    """A language in one correlation."""

    suite: str
    predictor: str
    """What was scored, by which kind of model."""
    language: str
    """Its code, as in `lang=`."""
    complexity: float
    """Of its morphology, by the user's table."""
    accuracy: float
    """Unweighted mean over constructions, a fraction."""
    n_constructions: int
    """Number of those that all languages have."""
    run: str


def read_complexities(path: Path) -> dict[str, float]:
    """Reads the complexity of each language."""
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


def complexity_figure(languages: Sequence[LanguageAccuracy]) -> Figure:
    """Draws average accuracy by complexity, a named point for each language; the coefficient stands above."""
    first, found = languages[0], correlation_of(languages)
    figure = new_figure(5.5, 4.2)
    axes = figure.add_subplot()
    accuracies = [100 * one.accuracy for one in languages]
    axes.plot([one.complexity for one in languages], accuracies, marker="o", color=COLOURS[0], linestyle="none")
    for one, accuracy in zip(languages, accuracies, strict=True):
        axes.annotate(one.language, (one.complexity, accuracy), (6, 4), textcoords="offset points")
    axes.set(xlabel="morphological complexity", ylabel="average accuracy (%)", ylim=(min(45, *accuracies) - 2, 102))
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    said = f"rho = {written_rho(found.rho)}, n = {len(languages)}, {p_in_words(found)}"
    figure.suptitle(f"Complexity and accuracy: {first.suite}, {first.predictor}\nSpearman's {said}", fontsize=11)
    return figure


def correlate_complexity(work: Path, table: str | Path, references: object = None) -> Iterator[Printable]:
    """Correlates the accuracies of languages with their complexities, for each suite and kind of predictor.

    `correlations/` has a CSV file of each with a row per language (the fields of `LanguageAccuracy`), and a picture.

    Args:
        table: CSV with the columns `language` (code, as in lang=) and `complexity`; further columns are ignored.
        references: runs of minimal sets, "run" or "run:epoch"; None: all of probe.py below the work folder.

    Raises:
        PolyprobeError: the table is not what it should be, a language has several runs or epochs, or nowhere do three
            languages have both numbers.
    """
    complexities = read_complexities(Path(table))
    rows, left_out = _rows(Path(work), references)
    yield from left_out
    grid = grid_of(CONSTRUCTIONS, rows)
    groups = [
        [row for row in grid.all_rows if _group(row) == group] for group in distinct(grid.rows, "suite", "predictor")
    ]
    found = [languages for of_group in groups if (languages := _languages(of_group, complexities))]
    if not found:
        raise PolyprobeError(
            f"No suite and kind of predictor has runs of minimal sets of {FEWEST_LANGUAGES} languages that {table} has "
            f"a complexity of. It has {', '.join(complexities)}."
        )
    for languages in found:
        yield _table(languages, Path(table).name)
        name = f"complexity-{languages[0].suite}-{languages[0].predictor}"
        path = write_records(Path(work) / "correlations" / f"{file_name(name)}.csv", LanguageAccuracy, languages)
        yield from picture_lines(save_figure(complexity_figure(languages), path.with_suffix("")))
        yield f"{len(languages)} rows in {path}"


def _rows(work: Path, references: object) -> tuple[list[Row], list[str]]:
    """Returns the rows of the runs that are named, or else of all but training runs, whose epochs are curves.

    And lines about the runs that are left out.
    """
    if references is None:
        found = collect(work)
        trained = {row["run"] for row in found.rows if row["stage"] == "training"}
        return [row for row in found.rows if row["run"] not in trained], found.lines()
    if not isinstance(references, list) or not references:
        raise BadValue("runs", references, "a list of runs of minimal sets such as [runA,runB], or null")
    return [row for reference in references for row in rows_of_minimal_sets(work, reference)], []


def _group(row: Row) -> tuple[str, str | None]:
    return row["suite"], row.get("predictor")


def _languages(rows: Sequence[Row], complexities: Mapping[str, float]) -> list[LanguageAccuracy]:
    """Returns the languages of one suite and kind of predictor that have a complexity; none where they are too few."""
    chosen = grid_of(CONSTRUCTIONS, rows).rows
    rows = [row for row in chosen if row["lang"] in complexities]
    grid = grid_of(CONSTRUCTIONS, rows)
    if len({lang for _, lang, _, _ in grid.columns}) < FEWEST_LANGUAGES:
        return []
    _check_one_each(grid)
    if not grid.common:
        raise PolyprobeError(f"The runs of {grid.rows[0]['suite']} have no construction in common.")
    suite, predictor = _group(rows[0])
    return [
        LanguageAccuracy(suite, predictor or "", lang, complexities[lang], float(average), len(grid.common), run)
        for (run, lang, *_), average in zip(grid.columns, grid.averages(), strict=True)
    ]


def _check_one_each(grid: Grid) -> None:
    for language in dict.fromkeys(lang for _, lang, _, _ in grid.columns):
        found = [
            f"{run}:{epoch}" if epoch is not None else run for run, lang, _, epoch in grid.columns if lang == language
        ]
        if len(found) > 1:
            raise PolyprobeError(
                f"{language} has {', '.join(found)}. Only one accuracy of a language can be correlated: "
                "choose with runs=[run,run:epoch,…]"
            )


def _table(languages: Sequence[LanguageAccuracy], source: str) -> Table:
    table = Table(["language"], ["complexity", "accuracy"])
    for one in sorted(languages, key=lambda language: language.complexity):
        table.add_row(one.language, f"{one.complexity:.3f}", percent(one.accuracy))
    first = languages[0]
    title = f"Complexity and average accuracy (%): {first.suite}, {first.predictor}"
    return table.titled(title, _notes(languages, correlation_of(languages), source))


def _notes(languages: Sequence[LanguageAccuracy], found: RankCorrelation, source: str) -> list[str]:
    n = len(languages)
    left_out = [f"{language} {written_rho(rho)}" for language, rho in without_one(languages).items()]
    return [
        f"accuracy: unweighted mean over the {languages[0].n_constructions} constructions that all languages have.",
        f"Spearman's rho: {written_rho(found.rho)}, n = {n}, {p_in_words(found)}.",
        *filter(None, [significance_in_words(n)]),
        *([f"Without one language: {', '.join(left_out)}."] if left_out else []),
        f"Complexities: {source}. Runs: {', '.join(one.run for one in languages)}.",
    ]
