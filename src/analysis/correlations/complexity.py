"""Correlates the accuracy of languages in minimal sets with their morphological complexity: `job=complexity`.

Mueller et al. (2020, section 5 and Figure 3) correlate the average accuracy of each language with C_WALS of Bentz et
al. (2016). Such values come from a table that the user provides.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from polyprobe.analysis.correlations.encoder_scores import read_scores
from polyprobe.analysis.output.tables import Printable, Table, picture_lines, write_records
from polyprobe.analysis.pictures.panels import COLOURS, new_figure, save_figure
from polyprobe.analysis.reports.side_by_side import rows_of_minimal_sets
from polyprobe.analysis.results.collection import collect
from polyprobe.analysis.results.kinds import CONSTRUCTIONS
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row, distinct, percent
from polyprobe.analysis.statistics.significance import RankCorrelation, rank_correlation, written_p, written_rho
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name

FEWEST_LANGUAGES = 3


@dataclass(frozen=True, slots=True)
class LanguageAccuracy:
    """A language in one correlation; `accuracy` is the mean over the constructions that all languages have, 0 to 1."""

    suite: str
    predictor: str
    language: str
    complexity: float
    accuracy: float
    n_constructions: int
    run: str


def correlation_of(languages: Sequence[LanguageAccuracy]) -> RankCorrelation:
    """Returns Spearman's coefficient of complexity with accuracy."""
    pairs = [(one.complexity, one.accuracy) for one in languages]
    return rank_correlation(*np.array(pairs, dtype=np.float64).T)


def correlate_complexity(work: Path, table: str | Path, references: Sequence[str] | None = None) -> Iterator[Printable]:
    """Correlates the accuracies of languages with their complexities, for each suite and kind of predictor.

    Args:
        table: CSV with the columns `language` (code, as in lang=) and `complexity`; further columns are ignored.
        references: runs of minimal sets, "run" or "run:epoch"; None: all of probe.py below the work folder.

    Raises:
        PolyprobeError: the table is not what it should be, a language has several runs or epochs, or nowhere do three
            languages have both numbers.
    """
    known = read_scores(Path(table), "language", "complexity")
    complexities = {one.lang: one.scores["complexity"] for one in known if one.scores}
    if references is None:
        found = collect(work)
        yield from found.lines()
        trained = {row["run"] for row in found.rows if row["stage"] == "training"}  # whose epochs are curves
        rows = [row for row in found.rows if row["run"] not in trained]
    else:
        rows = [row for reference in references for row in rows_of_minimal_sets(work, reference)]
    groups = accuracies_of_languages(rows, complexities)
    if not groups:
        raise PolyprobeError(
            f"No suite and kind of predictor has runs of minimal sets of {FEWEST_LANGUAGES} languages that {table} has "
            f"a complexity of. It has {', '.join(complexities) or 'no column complexity'}."
        )
    for languages in groups:
        yield complexity_table(languages, Path(table).name)
        name = file_name(f"complexity-{languages[0].suite}-{languages[0].predictor}")
        path = write_records(Path(work) / "correlations" / f"{name}.csv", LanguageAccuracy, languages)
        yield from picture_lines(save_figure(complexity_figure(languages), path.with_suffix("")))
        yield f"{len(languages)} rows in {path}"


def accuracies_of_languages(rows: Sequence[Row], complexities: Mapping[str, float]) -> list[list[LanguageAccuracy]]:
    """Averages accuracies by language, for each suite and kind of predictor that has enough languages.

    Args:
        rows: of minimal sets.
        complexities: by language.

    Raises:
        PolyprobeError: a language has several runs or epochs, or the languages have no construction in common.
    """
    kept = [row for row in grid_of(CONSTRUCTIONS, rows).all_rows if row["lang"] in complexities]
    groups = []
    for suite, predictor in distinct(CONSTRUCTIONS.rows(kept), "suite", "predictor"):
        grid = grid_of(CONSTRUCTIONS, [r for r in kept if (r["suite"], r.get("predictor")) == (suite, predictor)])
        if len({lang for _, lang, *_ in grid.columns}) < FEWEST_LANGUAGES:
            continue
        _check_columns(suite, grid)
        columns = zip(grid.columns, map(float, grid.averages()), strict=True)
        of_group = [(lang, complexities[lang], average, len(grid.common), run) for (run, lang, *_), average in columns]
        groups.append([LanguageAccuracy(suite, predictor or "", *one) for one in of_group])
    return groups


def _check_columns(suite: str, grid: Grid) -> None:
    """Checks that a language has one run at one epoch, and that all have constructions in common."""
    runs: dict[str, list[str]] = {}
    for run, lang, _, epoch in grid.columns:
        runs.setdefault(lang, []).append(run if epoch is None else f"{run}:{epoch}")
    if several := next((lang for lang in runs if len(runs[lang]) > 1), None):
        raise PolyprobeError(
            f"{several} has {', '.join(runs[several])}. Only one accuracy of a language can be correlated: "
            "choose with runs=[run,run:epoch,…]"
        )
    if not grid.common:
        raise PolyprobeError(f"The runs of {suite} have no construction in common.")


def complexity_table(languages: Sequence[LanguageAccuracy], source: str) -> Table:
    """Makes the table of languages; below it the coefficient, and that without each language."""
    first, found = languages[0], correlation_of(languages)
    notes = [f"accuracy: unweighted mean over the {first.n_constructions} constructions that all languages have."]
    notes.append(f"Spearman's rho: {_in_words(found, len(languages))}.")
    if len(languages) > FEWEST_LANGUAGES:
        without = {one.language: correlation_of([other for other in languages if other != one]) for one in languages}
        rhos = [f"{language} {written_rho(one.rho)}" for language, one in without.items()]
        notes.append(f"Without one language: {', '.join(rhos)}.")
    notes.append(f"Complexities: {source}. Runs: {', '.join(one.run for one in languages)}.")
    lines = sorted(languages, key=lambda one: one.complexity)
    right = {"complexity": lambda one: f"{one.complexity:.3f}", "accuracy": lambda one: percent(one.accuracy)}
    table = Table.of(lines, {"language": lambda one: one.language}, right)
    return table.titled(f"Complexity and average accuracy (%): {first.suite}, {first.predictor}", notes)


def complexity_figure(languages: Sequence[LanguageAccuracy]) -> Figure:
    """Draws average accuracy by complexity, a named point for each language; the coefficient stands above."""
    first, figure = languages[0], new_figure(5.5, 4.2)
    axes = figure.add_subplot()
    accuracies = [100 * one.accuracy for one in languages]
    axes.plot([one.complexity for one in languages], accuracies, marker="o", color=COLOURS[0], linestyle="none")
    for one, accuracy in zip(languages, accuracies, strict=True):
        axes.annotate(one.language, (one.complexity, accuracy), (6, 4), textcoords="offset points")
    axes.set(xlabel="morphological complexity", ylabel="average accuracy (%)", ylim=(min(45, *accuracies) - 2, 102))
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    said = f"rho = {_in_words(correlation_of(languages), len(languages))}"
    figure.suptitle(f"Complexity and accuracy: {first.suite}, {first.predictor}\nSpearman's {said}", fontsize=11)
    return figure


def _in_words(found: RankCorrelation, n: int) -> str:
    p, test = (found.p, "by Student's t") if math.isnan(found.p_exact) else (found.p_exact, "exact")
    return f"{written_rho(found.rho)}, n = {n}, p = {written_p(p)} (two-sided, {test})"
