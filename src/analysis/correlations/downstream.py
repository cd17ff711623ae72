"""Correlates probing scores with downstream scores over encoders: `python analyze.py job=correlate`.

Spearman's coefficient over encoders, for each language, probing test and downstream task (LINSPECTOR, section 6.1;
Conneau et al. 2018, Figure 2): a table for each language, and a picture with a panel for it.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from polyprobe.analysis.correlations.coefficients import (
    FEWEST_ENCODERS,
    Correlation,
    Levels,
    Matrix,
    by_language,
    coefficient,
    correlations,
)
from polyprobe.analysis.correlations.encoder_scores import (
    OF_OTHER_SCORES,
    SENTEVAL,
    EncoderScores,
    check_layers,
    encoder_names,
    models_in_words,
    probing_scores,
    read_scores,
    suite_scores,
    trained_scores,
    without_encoders,
)
from polyprobe.analysis.output.tables import Printable, Table, files_line, write_records, write_texts
from polyprobe.analysis.pictures.panels import new_figure, save_figure, write_title
from polyprobe.analysis.results.collection import AllRows, collect, results_files
from polyprobe.analysis.results.rows import Row
from polyprobe.analysis.statistics.significance import MOST_PERMUTED
from polyprobe.display.shown import shown
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import shipped
from polyprobe.runs.names.identity import differing, seedless_settings

RUNS = "runs"
TABLES = "[probing.csv,downstream.csv]"
# Tables of a paper that `scores=` names: the paper, whether a "row" or a "column" is an encoder, and the numbers of
# the table of probing tests and of that of downstream tasks.
PUBLISHED: Mapping[str, tuple[str, str, str, str]] = {
    "published_linspector": ("linspector", "column", "9", "10"),
    "published_senteval": ("senteval", "row", "2", "5"),
    "published_senteval_logistic_regression": ("senteval", "row", "4", "5"),
}
Sides = tuple[str, list[EncoderScores], list[EncoderScores], list[str]]
"""What is correlated: a name for files, scores of probing and of downstream tasks, what is to be known of them."""
MOST_KEYS = 3  # that are named
HOW_TO_CHOOSE = (
    "Only runs that differ in their seed are averaged. Move the others out of the folder "
    "runs/, or use two tables of scores: scores=[probing.csv,downstream.csv]."
)
ABSENT = "absent"


def correlate(
    work: Path,
    source: object,
    layer_of: object = None,
    except_encoders: object = (),
    correction: str | None = None,
) -> Iterator[Printable]:
    """Correlates probing with downstream scores: a table for each language, and before it what is significant.

    `correlations/` has them, a picture, and a CSV file with a row per language, test and task (the fields of
    `Correlation`).

    Args:
        source: "runs": probing and training runs; "senteval_downstream": probing runs and those of that suite; one of
            `PUBLISHED`: two tables of a paper; or two CSV tables of scores: of probing tests, of downstream tasks.
        layer_of: for encoders with several layers, the one that counts.
        except_encoders: names of those that do not count.
        correction: by which coefficients are marked; None: none.

    Raises:
        PolyprobeError: a table or layer is not what it should be, runs of one encoder differ in more than their
            seeds, or nowhere do three encoders have both scores.
    """
    levels = Levels(correction)
    layer_of = layer_of or {}
    if not isinstance(layer_of, Mapping):
        raise BadValue("layer_of", layer_of, "layers by encoder such as {elmo: average}")
    found = collect(work) if source in (RUNS, SENTEVAL) else AllRows([], [])
    yield from found.lines()
    name, probing, downstream, notes = _both_sides(Path(work), source, layer_of, found.rows)
    probing, downstream = without_encoders([probing, downstream], except_encoders)
    rows = correlations(probing, downstream)
    if not rows:
        scores = f"{_said('probing', probing)}; {_said('downstream', downstream)}"
        raise PolyprobeError(
            f"No language has {FEWEST_ENCODERS} encoders with both probing and downstream scores. Found: {scores}."
        )
    yield from notes
    tables = [_table(of_language, levels) for of_language in by_language(rows).values()]
    yield from tables
    full_name = "-without-".join([name, *except_encoders])
    path = write_records(Path(work) / "correlations" / f"{file_name(full_name)}.csv", Correlation, rows)
    yield files_line(write_texts(path.with_suffix(""), tables))
    pictures = save_figure(correlation_figure(rows, levels), path.with_suffix(""))
    yield from (f"picture   {file}" for file in pictures)
    yield f"{len(rows)} rows in {path}"


def published_scores(name: str) -> tuple[list[EncoderScores], list[EncoderScores]]:
    """Returns the scores of two tables of a paper, in the order in which they have tests and tasks.

    Majorities are no encoder. A test or task is named as rows of ours name it: by the test, or the suite where that is
    the whole.
    """
    paper, side, *tables = PUBLISHED[name]
    scores: dict[str, dict[tuple[str, str], dict[str, float]]] = {table: defaultdict(dict) for table in tables}
    with (shipped("published") / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for cell in csv.DictReader(file) if cell["table"] in tables]
    for cell in cells:
        by_encoder = scores[cell["table"]][cell["lang"], cell["test"] or cell["suite"]]
        if cell["of"] in ("", "value"):
            by_encoder[cell[side]] = float(cell["value"])
    probing, downstream = ([EncoderScores(*key, one) for key, one in scores[table].items()] for table in tables)
    return probing, downstream


def check_averages(
    probing: Sequence[EncoderScores],
    downstream: Sequence[EncoderScores],
    folders: Mapping[str, Path],
    apart_from: Collection[str],
) -> None:
    """Checks that the runs behind each score that is correlated differ in their seeds, and in some keys, alone.

    These are the runs of encoders with both scores in a language; `folders` has those of all runs by their names.
    """
    on_both_sides = _encoders(probing) & _encoders(downstream)
    pairs: dict[tuple[str, str], str] = {}  # each is read once, however many tests it has
    for one in [*probing, *downstream]:
        for encoder, (first, *others) in one.runs.items():
            for other in others if (one.lang, encoder) in on_both_sides else ():
                pairs.setdefault((first, other), f"{one.name} of {encoder} in {one.lang}")
    for (first, second), subject in pairs.items():
        _check_alike(subject, first, second, folders, apart_from)


def _both_sides(work: Path, source: object, layer_of: Mapping[str, Any], rows: Sequence[Row]) -> Sides:
    """Reads the scores of the source; `rows` are those of all runs where it is about runs."""
    if source in (RUNS, SENTEVAL):
        return _sides_of_runs(work, source, layer_of, rows)
    if isinstance(source, str) and source in PUBLISHED:
        return source, *published_scores(source), []
    return _sides_of_tables(source)


def _sides_of_tables(source: object) -> Sides:
    named = [RUNS, SENTEVAL, *PUBLISHED]
    if isinstance(source, str):
        raise UnknownChoice("scores", source, [*named, TABLES])
    if not isinstance(source, Sequence) or len(source) != 2:
        raise BadValue("scores", source, f"one of {', '.join(named)}, or two tables: {TABLES}")
    first, second = map(Path, source)
    for path in (first, second):
        if not path.is_file():
            raise PolyprobeError(f"scores: there is no file {path}. Expected two tables of scores such as {TABLES}.")
    return f"{first.stem}-with-{second.stem}", read_scores(first, "test"), read_scores(second, "task"), []


def _sides_of_runs(work: Path, source: object, layer_of: Mapping[str, Any], rows: Sequence[Row]) -> Sides:
    folders = {file.parent.name: file.parent for file in results_files(work)}
    if source == SENTEVAL:
        names = {row["run"]: row["encoder"] for row in rows if row["stage"] == "probing"}
        check_layers(rows, names, layer_of)
        probing, downstream = suite_scores(rows, layer_of)
        check_averages(probing, downstream, folders, OF_OTHER_SCORES)
        return SENTEVAL, probing, downstream, models_in_words(rows, probing, downstream)
    names = encoder_names(rows, folders)
    check_layers(rows, names, layer_of)
    probing, downstream = probing_scores(rows, names, layer_of), trained_scores(rows, names)
    check_averages(probing, downstream, folders, ())
    return RUNS, probing, downstream, []


def _table(rows: Sequence[Correlation], levels: Levels) -> Table:
    matrix = Matrix.of(rows)
    lines = [
        [test, *(f"{coefficient(row)}{'' if row is None else levels.mark(row):2}" for row in matrix.of_test(test))]
        for test in matrix.tests
    ]
    fewest, most = min(row.n for row in rows), max(row.n for row in rows)
    n_encoders = str(fewest) if fewest == most else f"{fewest} to {most}"
    test = (
        "Student's t"
        if levels.correction is None
        else f"Student's t, up to {MOST_PERMUTED} encoders by all their orders"
    )
    notes = [f"Over {n_encoders} encoders. {levels.in_words()}; two-sided, by {test}. Further p-values are in the CSV."]
    if any(math.isnan(row.spearman) for row in rows):
        notes.append("-: undefined, all encoders have the same score on one side.")
    title = f"Spearman's rho of probing and downstream scores: {rows[0].language}"
    return Table(["test"], list(map(shown, matrix.tasks)), lines, folds=True).titled(title, notes)


def _said(side: str, them: Sequence[EncoderScores]) -> str:
    encoders: dict[str, dict[str, None]] = {}
    for one in them:
        encoders.setdefault(one.lang, {}).update(dict.fromkeys(one.scores))
    languages = [f"{lang} ({', '.join(names)})" for lang, names in encoders.items()]
    return f"{side} scores of {', '.join(languages) or 'nothing'}"


def _encoders(scores: Sequence[EncoderScores]) -> set[tuple[str, str]]:
    return {(one.lang, encoder) for one in scores for encoder in one.runs}


def _check_alike(
    subject: str, first: str, second: str, folders: Mapping[str, Path], apart_from: Collection[str]
) -> None:
    one, other = (seedless_settings(_configuration(subject, run, folders)) for run in (first, second))
    found = {key: pair for key, pair in differing(one, other, ABSENT).items() if key not in apart_from}
    if found:
        named = [f"{key} ({values[0]}, {values[1]})" for key, values in list(found.items())[:MOST_KEYS]]
        more = f" and {len(found) - MOST_KEYS} more" if len(found) > MOST_KEYS else ""
        raise PolyprobeError(f"{subject}: {first} and {second} differ in {', '.join(named)}{more}. {HOW_TO_CHOOSE}")


def _configuration(subject: str, run: str, folders: Mapping[str, Path]) -> Mapping[str, Any]:
    try:
        return RunDirectory(folders[run]).configuration()
    except (KeyError, FileNotFoundError) as error:
        raise PolyprobeError(
            f"{subject}: several runs, and no config.yaml that can be read in a folder named {run}. {HOW_TO_CHOOSE}"
        ) from error


COLOUR_MAP = "PuOr"  # zero is white; both ends are distinguished by readers with any colour vision
DARK = 0.65  # beyond it, white letters are readable
GREY, DARK_GREY = "#e4e4e4", "#6e6e6e"  # of coefficients that are not significant, and of their numbers
PANELS_ABREAST = 3


def correlation_figure(rows: Iterable[Correlation], levels: Levels) -> Figure:
    """Draws every coefficient, with a mark where its p-value is below a level.

    With a correction, those that do not survive it are grey (Conneau et al. 2018, Figure 2).
    """
    languages = by_language(rows)
    n_lines = math.ceil(len(languages) / PANELS_ABREAST)
    n_columns = math.ceil(len(languages) / n_lines)
    matrices = [Matrix.of(of_language) for of_language in languages.values()]
    figure = _figure(matrices, n_lines, n_columns)
    panels = figure.subplots(n_lines, n_columns, squeeze=False).flatten()
    for unused in panels[len(matrices) :]:
        unused.remove()
    for panel, language, matrix in zip(panels, languages, matrices, strict=False):
        image = _draw_matrix(panel, matrix, levels)
        panel.set_title(language)
    figure.colorbar(image, ax=panels[: len(matrices)].tolist(), label="Spearman's rho")
    grey = "" if levels.correction is None else "; grey: not significant"
    write_title(figure, "Probing scores and downstream scores over encoders", f"{levels.in_words()}{grey}")
    return figure


def _figure(matrices: Sequence[Matrix], n_lines: int, n_columns: int) -> Figure:
    most_tests = max(len(matrix.tests) for matrix in matrices)
    most_tasks = max(len(matrix.tasks) for matrix in matrices)
    width, height = 1.4 + 0.62 * most_tasks, 0.9 + 0.3 * most_tests
    return new_figure(max(5.5, n_columns * width + 1.2), n_lines * height + 0.7)


def _draw_matrix(axes: Axes, matrix: Matrix, levels: Levels) -> AxesImage:
    lines = [matrix.of_test(test) for test in matrix.tests]
    values = np.array([[np.nan if row is None else row.spearman for row in line] for line in lines])
    is_grey = np.array([[_is_grey(row, levels) for row in line] for line in lines])
    axes.imshow(np.where(is_grey, 1.0, np.nan), cmap=ListedColormap([GREY]), aspect="auto")
    image = axes.imshow(np.where(is_grey, np.nan, values), vmin=-1, vmax=1, cmap=COLOUR_MAP, aspect="auto")
    for (line, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            row = lines[line][column]
            colour = DARK_GREY if is_grey[line, column] else "white" if abs(value) > DARK else "black"
            words = f"{coefficient(row)}{levels.mark(row)}"
            axes.text(column, line, words, ha="center", va="center", color=colour, fontsize=7)
    axes.set_yticks(range(len(matrix.tests)), matrix.tests, fontsize=8)
    axes.set_xticks(range(len(matrix.tasks)), matrix.tasks, fontsize=8)
    return image


def _is_grey(row: Correlation | None, levels: Levels) -> bool:
    if row is None or np.isnan(row.spearman) or levels.correction is None:
        return False
    return not levels.is_significant(row)
