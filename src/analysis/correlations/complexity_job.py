"""Reports how accuracy in minimal sets correlates with morphological complexity: `analyze.py complexity=FILE`.

Mueller et al. (2020, section 5 and Figure 3) correlate the average accuracy of each language with C_WALS of Bentz et
al. (2016). Such values come from a table that the user provides.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from src.analysis.comparisons.side_by_side import rows_of_minimal_sets
from src.analysis.correlations.complexity import (
    FEWEST_LANGUAGES,
    LanguageAccuracy,
    correlation_of,
    p_in_words,
    read_complexities,
    significance_in_words,
    without_one,
    written_rho,
)
from src.analysis.correlations.complexity_picture import draw_complexity
from src.analysis.output.csv_files import write_records
from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.analysis.results.collection import sound_rows
from src.analysis.results.minimal_set_grid import MinimalSetGrid, minimal_set_grid
from src.analysis.results.minimal_set_rows import ACCURACY
from src.analysis.results.rows import Row, distinct, percent
from src.analysis.statistics.rank_correlation import RankCorrelation
from src.display.short_paths import short_path
from src.display.shown import say
from src.errors import BadValue, PolyprobeError
from src.formats.files.file_names import file_name


def correlate_complexity(work: Path, table: str | Path, references: Sequence[str] | None) -> list[Path]:
    """Correlates the accuracies of languages with their complexities, for each suite and kind of predictor.

    Args:
        work: the work folder; a CSV and a picture are written to its `correlations/`.
        table: CSV with the columns `language` (code, as in lang=) and `complexity`; further columns are ignored.
        references: runs of minimal sets, "run" or "run:epoch"; None: all of probe.py below the work folder.

    Returns:
        the CSV files, with a row per language (the fields of `LanguageAccuracy`).

    Raises:
        PolyprobeError: the table is not what it should be, a language has several runs or epochs, or nowhere do three
            languages have both numbers.
    """
    complexities = read_complexities(Path(table))
    groups = [found for grid in _grids(Path(work), references) if (found := _languages(grid, complexities))]
    if not groups:
        raise PolyprobeError(
            f"No suite and kind of predictor has runs of minimal sets of {FEWEST_LANGUAGES} languages that {table} has "
            f"a complexity of. It has {', '.join(complexities)}."
        )
    return [_report(Path(work) / "correlations", group, Path(table).name) for group in groups]


def _grids(work: Path, references: Sequence[str] | None) -> list[MinimalSetGrid]:
    """Returns the grid of each suite and kind of predictor."""
    grid = minimal_set_grid(_rows(work, references), ACCURACY)
    groups = distinct(grid.rows, "suite", "predictor")
    return [minimal_set_grid([row for row in grid.all_rows if _group(row) == group], ACCURACY) for group in groups]


def _rows(work: Path, references: Sequence[str] | None) -> list[Row]:
    """Returns the rows of the runs that are named, or else of all but training runs, whose epochs are curves."""
    if references is None:
        rows = sound_rows(work)
        trained = {row["run"] for row in rows if row["stage"] == "training"}
        return [row for row in rows if row["run"] not in trained]
    if not isinstance(references, list) or not references:
        raise BadValue("runs", references, "a list of runs of minimal sets such as [runA,runB], or null")
    return [row for reference in references for row in rows_of_minimal_sets(work, reference)]


def _group(row: Row) -> tuple[str, str | None]:
    return row["suite"], row.get("predictor")


def _languages(grid: MinimalSetGrid, complexities: Mapping[str, float]) -> list[LanguageAccuracy]:
    """Returns the languages of one suite and kind of predictor that have a complexity; none where they are too few."""
    rows = [row for row in grid.rows if row["lang"] in complexities]
    grid = minimal_set_grid(rows, ACCURACY)
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


def _check_one_each(grid: MinimalSetGrid) -> None:
    for language in dict.fromkeys(lang for _, lang, _, _ in grid.columns):
        found = [
            f"{run}:{epoch}" if epoch is not None else run for run, lang, _, epoch in grid.columns if lang == language
        ]
        if len(found) > 1:
            raise PolyprobeError(
                f"{language} has {', '.join(found)}. Only one accuracy of a language can be correlated: "
                "choose with runs=[run,run:epoch,…]"
            )


def _report(folder: Path, languages: Sequence[LanguageAccuracy], source: str) -> Path:
    """Prints the table of one correlation, writes it and draws it."""
    first, found = languages[0], correlation_of(languages)
    show(_table(languages, found, source))
    path = write_records(folder / f"{file_name(f'complexity-{first.suite}-{first.predictor}')}.csv", languages)
    for file in draw_complexity(languages, path.with_suffix("")):
        say(f"picture   {short_path(file)}")
    say(f"{len(languages)} rows in {path}")
    return path


def _table(languages: Sequence[LanguageAccuracy], found: RankCorrelation, source: str) -> TitledTable:
    table = new_table(["language"], ["complexity", "accuracy"])
    for one in sorted(languages, key=lambda language: language.complexity):
        table.add_row(one.language, f"{one.complexity:.3f}", percent(one.accuracy))
    first = languages[0]
    title = f"Complexity and average accuracy (%): {first.suite}, {first.predictor}"
    return TitledTable(title, table, _notes(languages, found, source))


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
