"""Shows the scores of several runs in one table, a column per run: `python analyze.py job=table runs=[a,b]`.

Or in one picture, a panel per test: `python analyze.py job=curves runs=[a,b]`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polyprobe.analysis.comparisons.compare import compared, comparison_name, corrected
from polyprobe.analysis.output.tables import Printable, files_line, picture_lines, write_tables
from polyprobe.analysis.pictures.curves import encoders_figure
from polyprobe.analysis.pictures.of_run import figures_of_kind
from polyprobe.analysis.pictures.panels import save_figure
from polyprobe.analysis.reports.result_kinds import tables_of_scores
from polyprobe.analysis.results.collection import comparisons_folder, find_run
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, GROUPS, MINIMAL_SETS, Kind
from polyprobe.analysis.results.paired_runs import (
    ALL_LAYERS,
    kind_of_runs,
    read_paired_run,
    split_reference,
)
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.analysis.results.rows import (
    Row,
    best_layer,
    distinct,
    labels_of_runs,
    layer_of_row,
    model_in_words,
    probing_rows,
    rows_of_stages,
)
from polyprobe.analysis.statistics.significance import SIGNIFICANT
from polyprobe.analysis.tables.score_tables import BESIDE_FIRST
from polyprobe.errors import PolyprobeError, UnknownChoice, layer_name
from polyprobe.runs.directory import RunDirectory

JUDGED = (
    f"+ better and - worse than the first run: p below {SIGNIFICANT}, paired bootstrap over "
    "items, Holm-corrected over the table."
)


def scores_side_by_side(work: Path, references: Sequence[str]) -> Iterator[Printable]:
    """Tables the scores of runs: a line per test, a column per run, with significance.

    Args:
        work: the work folder; tables, and the picture of minimal sets, are written to `comparisons/`, too.
        references: "run" at the layer that `best_layer` takes (alone: with all), "run:all" with a column per layer,
            or "run:layer"; a layer and epoch as "encoding/8". Significance is told where each stands at one layer. Of
            minimal sets "run" with all its epochs, or "run:epoch".

    Raises:
        PolyprobeError: a run, layer or epoch is unknown, or the runs are of several kinds, or have other suites,
            languages or items.
    """
    kind = kind_of_runs(work, references)
    if kind is CONSTRUCTIONS:
        yield from _minimal_sets(work, references)
        return
    rows, reasons = _rows_at_chosen_layers(work, references, kind)
    _check_same_tests(kind.rows(rows))
    rows, notes = _judged(work, references, rows, kind)
    main, *others = tables_of_scores(kind, rows)
    tables = [main.with_notes(*notes, *_runs_in_words(kind.rows(rows), reasons)), *others]
    yield from tables
    yield files_line(write_tables(_stem(work, references), tables))


def draw_curves(work: Path, references: Sequence[str]) -> Iterator[Printable]:
    """Draws the probing scores of runs together, see `encoders_figure`.

    Args:
        references: a list of "run" with all its layers, or "run:layer", a layer and epoch as "encoding/8".

    Raises:
        PolyprobeError: as `scores_side_by_side`; or some runs are over epochs and others are not.
    """
    rows = probing_rows(row for reference in references for row in _rows_of(work, reference, "probing"))
    _check_same_tests(rows)
    yield from picture_lines(save_figure(encoders_figure(rows), _stem(work, references)))


def rows_of_minimal_sets(work: Path, reference: str) -> list[Row]:
    """Reads the rows about minimal sets that a user names as "run" or "run:epoch"."""
    name, epoch = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    rows = rows_of_stages(run, MINIMAL_SETS, GROUPS)
    chosen = [row for row in rows if epoch in (None, str(row.get("epoch")))]
    if not chosen:
        raise UnknownChoice(f"epoch of {run.name}", str(epoch), {str(row.get("epoch")) for row in rows})
    return chosen


def _rows_at_chosen_layers(work: Path, references: Sequence[str], kind: Kind) -> tuple[list[Row], dict[str, str]]:
    """Returns the rows of all references, and why a layer was chosen, by run."""
    rows, reasons = [], {}
    for reference in references:
        of_run = _rows_of(work, reference, kind.stage)
        if len(references) > 1 and split_reference(reference)[1] is None:
            layer, reason = best_layer(kind.rows(of_run))
            of_run = [row for row in of_run if layer_of_row(row) == layer]
            reasons[of_run[0]["run"]] = reason
        rows += of_run
    return rows, reasons


def _judged(work: Path, references: Sequence[str], rows: Sequence[Row], kind: Kind) -> tuple[list[Row], list[str]]:
    """Adds to rows whether they differ from the first run significantly, and returns notes about it."""
    sides = list(dict.fromkeys((row["run"], layer_of_row(row)) for row in rows))
    runs = {split_reference(one)[0]: RunDirectory(find_run(work, split_reference(one)[0])) for one in references}
    if len(references) < 2 or len(sides) != len(references):
        return list(rows), []
    without = [run.name for run in runs.values() if not kind.has_records(run)]
    if without:
        return list(rows), [f"No significance test: no stored predictions in {', '.join(without)}."]
    names = [(split_reference(one)[0], layer) for one, (_, layer) in zip(references, sides, strict=True)]
    first, *others = (read_paired_run(work, kind, f"{name}:{layer}", None) for name, layer in names)
    alike = [one for one in others if set(one.tests) & set(first.tests)]
    signs = {
        (row.second_run, row.second_layer, row.test): "+" if row.difference > 0 else "-"
        for row in corrected([row for other in alike for row in compared(first, other)])
        if row.p_holm < SIGNIFICANT
    }
    found = [signs.get((row["run"], layer_of_row(row), row["test"]), "") for row in rows]
    judged = [{**row, BESIDE_FIRST: sign} for row, sign in zip(rows, found, strict=True)]
    return judged, [JUDGED]


def _minimal_sets(work: Path, references: Sequence[str]) -> Iterator[Printable]:
    """Tables and draws accuracies in minimal sets: a line per construction, a column per language and model."""
    rows = [row for reference in references for row in rows_of_minimal_sets(work, reference)]
    _check_same_sets(CONSTRUCTIONS.rows(rows))
    main, *others = tables_of_scores(CONSTRUCTIONS, rows)
    grid = grid_of(CONSTRUCTIONS, rows)
    which = [next(model_in_words(row) for row in grid.rows if row["run"] == run) for run, *_ in grid.columns]
    runs = [
        f"{header}: {', '.join(filter(None, (column[0], words if words not in header else '')))}"
        for header, column, words in zip(grid.one_line_headers(), grid.columns, which, strict=True)
    ]
    stem, tables = _stem(work, references), [main.with_notes(*runs), *others]
    yield from tables
    yield files_line(write_tables(stem, tables))
    for name, figure in figures_of_kind(CONSTRUCTIONS, rows, stem.name):
        yield from picture_lines(save_figure(figure, stem.with_name(name)))


def _stem(work: Path, references: Sequence[str]) -> Path:
    first = find_run(work, split_reference(references[0])[0])
    return comparisons_folder(work, first) / comparison_name(references, "-beside-")


def _check_same_sets(rows: Sequence[Row]) -> None:
    first: dict[tuple, Row] = {}
    for row in rows:
        other = first.setdefault((row["suite"], row["lang"], row["test"]), row)
        counts = [one["n"] + (one.get("skipped") or 0) for one in (other, row)]
        if counts[0] != counts[1]:
            raise PolyprobeError(
                f"{row['test']}: {other['run']} has {counts[0]} sets, {row['run']} has {counts[1]}. "
                "Only accuracies on the same sets can be compared."
            )


def _rows_of(work: Path, reference: str, stage: str) -> list[Row]:
    name, layer = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    rows = rows_of_stages(run, stage)
    if layer in (None, ALL_LAYERS):
        return rows
    found = layer_name(f"layer of {run.name}", layer, dict.fromkeys(map(layer_of_row, rows)))
    return [row for row in rows if layer_of_row(row) == found]


def _runs_in_words(rows: Sequence[Row], reasons: Mapping[str, str]) -> list[str]:
    lines = []
    for run, label in labels_of_runs(rows, "encoder").items():
        of_run = [row for row in rows if row["run"] == run]
        layers = list(dict.fromkeys(map(layer_of_row, of_run)))
        reason = f" ({reasons[run]})" if reasons.get(run) else ""
        layer = f"layer {layers[0]}{reason}" if len(layers) == 1 else ""
        kind, _, detail = label.partition("\n")
        which = "" if detail == model_in_words(of_run[0]) else model_in_words(of_run[0])
        lines.append(f"{', '.join(filter(None, (kind, detail)))}: {', '.join(filter(None, (run, layer, which)))}")
    return lines


def _check_same_tests(rows: Sequence[Row]) -> None:
    tested = distinct(rows, "run", "suite", "lang")
    if len({of_run[1:] for of_run in tested}) > 1:
        described = "; ".join(f"{run}: suite={suite}, lang={lang}" for run, suite, lang in tested)
        raise PolyprobeError(f"Only runs on the same tests can be compared. {described}.")
    first = {row["test"]: row for row in reversed(rows)}
    for row in rows:
        other = first[row["test"]]
        if (row["n"], row.get("majority")) != (other["n"], other.get("majority")):
            raise PolyprobeError(
                f"{row['test']}: {other['run']} and {row['run']} have different test items (n or majority differ). "
                "Only scores on the same items can be compared."
            )
