"""Correlates probing scores with downstream scores over encoders: `python analyze.py correlate=runs`.

Spearman's coefficient over encoders, for each language, probing test and downstream task (LINSPECTOR, section 6.1).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from src.analysis.correlations.averaged_runs import check_averages
from src.analysis.correlations.claims import claims_table, look_at
from src.analysis.correlations.coefficients import (
    FEWEST_ENCODERS,
    LEVELS,
    Correlation,
    Matrix,
    by_language,
    coefficient,
    correlations,
    mark_of,
)
from src.analysis.correlations.encoder_scores import (
    EncoderScores,
    downstream_scores,
    encoder_names,
    probing_scores,
    read_scores,
)
from src.analysis.correlations.picture import draw_correlations
from src.analysis.output.csv_files import write_records
from src.analysis.output.terminal_tables import FoldedTable, TitledTable, show
from src.analysis.results.collection import results_files, sound_rows
from src.display.shown import say, shown
from src.errors import BadValue, PolyprobeError
from src.formats.files.file_names import file_name

RUNS = "runs"


def correlate(work: Path, source: object, layer_of: Mapping[str, Any], claims: Mapping[str, Any] | None) -> Path:
    """Correlates probing with downstream scores, prints a table for each language, writes a CSV and a picture.

    Args:
        work: the work folder; the files are written to its `correlations/`.
        source: "runs", or two CSV tables of scores: of probing tests, of downstream tasks.
        layer_of: for encoders that were probed at several layers, the one that counts.
        claims: `source` and `rows`, as conf/claims/*.yaml has them; None: none.

    Returns:
        the CSV file, with a row per language, test and task (the fields of `Correlation`).

    Raises:
        PolyprobeError: a table or layer is not what it should be, runs of one encoder differ in more than their
            seeds, or nowhere do three encoders have both scores.
    """
    name, probing, downstream = _scores(Path(work), source, layer_of)
    rows = correlations(probing, downstream)
    if not rows:
        raise PolyprobeError(_too_few(probing, downstream))
    show(*map(_table, by_language(rows).values()))
    if claims:
        show(claims_table(look_at(claims, rows), claims["source"]))
    path = write_records(Path(work) / "correlations" / f"{file_name(name)}.csv", rows)
    for file in draw_correlations(rows, path.with_suffix("")):
        say(f"picture   {file}")
    say(f"{len(rows)} rows in {path}")
    return path


def _scores(
    work: Path, source: object, layer_of: Mapping[str, Any]
) -> tuple[str, list[EncoderScores], list[EncoderScores]]:
    if source == RUNS:
        rows, folders = sound_rows(work), {file.parent.name: file.parent for file in results_files(work)}
        encoders = encoder_names(rows, folders)
        probing, downstream = probing_scores(rows, encoders, layer_of), downstream_scores(rows, encoders)
        check_averages(probing, downstream, folders)
        return RUNS, probing, downstream
    if not isinstance(source, Sequence) or isinstance(source, str) or len(source) != 2:
        raise BadValue("correlate", source, "runs, or two tables of scores such as [probing.csv,downstream.csv]")
    first, second = map(Path, source)
    return f"{first.stem}-with-{second.stem}", read_scores(first, "test"), read_scores(second, "task")


def _table(rows: Sequence[Correlation]) -> TitledTable:
    matrix = Matrix.of(rows)
    lines = [[test, *map(_cell, matrix.of_test(test))] for test in matrix.tests]
    marks = ", ".join(f"{mark} p < {level}" for mark, level in LEVELS.items())
    fewest, most = min(row.n for row in rows), max(row.n for row in rows)
    n_encoders = str(fewest) if fewest == most else f"{fewest} to {most}"
    notes = [
        f"Over {n_encoders} encoders. {marks}: two-sided, by Student's t, "
        "not corrected. Holm's correction and the exact p are in the CSV."
    ]
    title = f"Spearman's rho of probing and downstream scores: {rows[0].language}"
    return TitledTable(title, FoldedTable("test", list(map(shown, matrix.tasks)), lines), notes)


def _cell(row: Correlation | None) -> str:
    return f"{coefficient(row)}{'' if row is None else mark_of(row.p):2}"


def _too_few(probing: Sequence[EncoderScores], downstream: Sequence[EncoderScores]) -> str:
    found = f"{_said('probing', probing)}; {_said('downstream', downstream)}"
    return f"No language has {FEWEST_ENCODERS} encoders with both probing and downstream scores. Found: {found}."


def _said(side: str, them: Sequence[EncoderScores]) -> str:
    encoders: dict[str, dict[str, None]] = {}
    for one in them:
        encoders.setdefault(one.lang, {}).update(dict.fromkeys(one.scores))
    languages = [f"{lang} ({', '.join(names)})" for lang, names in encoders.items()]
    return f"{side} scores of {', '.join(languages) or 'nothing'}"
