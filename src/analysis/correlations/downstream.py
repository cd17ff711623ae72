"""Correlates probing scores with downstream scores over encoders: `python analyze.py correlate=runs`.

Spearman's coefficient over encoders, for each language, probing test and downstream task (LINSPECTOR, section 6.1;
Conneau et al. 2018, Figure 2).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from src.analysis.correlations.averaged_runs import check_averages
from src.analysis.correlations.claims import claims_table, look_at
from src.analysis.correlations.coefficients import (
    FEWEST_ENCODERS,
    Correlation,
    Matrix,
    by_language,
    coefficient,
    correlations,
)
from src.analysis.correlations.encoder_scores import (
    EncoderChoice,
    EncoderScores,
    check_layers,
    downstream_scores,
    encoder_names,
    probing_scores,
    read_scores,
)
from src.analysis.correlations.levels import Levels, power_in_words
from src.analysis.correlations.picture import draw_correlations
from src.analysis.correlations.published_scores import PUBLISHED
from src.analysis.correlations.suite_scores import (
    DOWNSTREAM,
    OF_OTHER_SCORES,
    check_same_vectors,
    models_in_words,
    suite_scores,
)
from src.analysis.output.csv_files import write_records
from src.analysis.output.table_files import say_files, write_texts
from src.analysis.output.terminal_tables import FoldedTable, TitledTable, show
from src.analysis.results.collection import results_files, sound_rows
from src.analysis.statistics.rank_correlation import MOST_PERMUTED
from src.display.shown import say, shown
from src.errors import BadValue, PolyprobeError, UnknownChoice
from src.formats.files.file_names import file_name

RUNS = "runs"
TABLES = "[probing.csv,downstream.csv]"


@dataclass(frozen=True, slots=True)
class BothSides:
    """What is correlated.

    Attributes:
        name: of the files that are written.
        probing, downstream: the scores.
        notes: what is to be known of them.
    """

    name: str
    probing: list[EncoderScores]
    downstream: list[EncoderScores]
    notes: list[str] = field(default_factory=list)


def correlate(
    work: Path, source: object, encoders: EncoderChoice, levels: Levels, claims: Mapping[str, Any] | None
) -> Path:
    """Correlates probing with downstream scores; prints a table for each language, writes them, a CSV and a picture.

    What a coefficient must reach to be significant is printed first.

    Args:
        work: the work folder; the files are written to its `correlations/`.
        source: "runs": probing and training runs; "senteval_downstream": probing runs and those of that suite; one of
            `PUBLISHED`: two tables of a paper; or two CSV tables of scores: of probing tests, of downstream tasks.
        encoders: which count.
        levels: which coefficients are marked, and significant for the claims.
        claims: `source` and `rows`, as conf/claims/*.yaml has them; None: none.

    Returns:
        the CSV file, with a row per language, test and task (the fields of `Correlation`).

    Raises:
        PolyprobeError: a table, layer or claim is not what it should be, runs of one encoder differ in more than their
            seeds, or nowhere do three encoders have both scores.
    """
    sides = _both_sides(Path(work), source, encoders)
    rows = correlations(sides.probing, sides.downstream)
    if not rows:
        raise PolyprobeError(_too_few(sides.probing, sides.downstream))
    findings = look_at(claims, rows, levels) if claims else []
    exact = [row.with_exact_p() for row in rows]
    by_exact_p = look_at(claims, exact, levels) if claims and exact != rows else []
    for line in [*power_in_words(rows), *sides.notes, ""]:
        say(line)
    tables = [_table(of_language, levels) for of_language in by_language(rows).values()]
    tables += [claims_table(findings, by_exact_p, claims["source"])] if claims else []
    show(*tables)
    path = write_records(Path(work) / "correlations" / f"{file_name(sides.name)}.csv", rows)
    say_files(write_texts(path.with_suffix(""), tables))
    for file in draw_correlations(rows, levels, path.with_suffix("")):
        say(f"picture   {file}")
    say(f"{len(rows)} rows in {path}")
    return path


def _both_sides(work: Path, source: object, encoders: EncoderChoice) -> BothSides:
    """Reads the scores of the source, without the encoders that are left out."""
    if encoders.layer_of and source not in (RUNS, DOWNSTREAM):
        raise PolyprobeError(f"layer_of=… is about runs. Leave it out, or take correlate={RUNS} or {DOWNSTREAM}.")
    if source in (RUNS, DOWNSTREAM):
        sides = _sides_of_runs(work, source, encoders)
    elif isinstance(source, str) and source in PUBLISHED:
        tables = PUBLISHED[source]
        sides = BothSides(source, tables.scores(tables.probing), tables.scores(tables.downstream))
    else:
        sides = _sides_of_tables(source)
    probing, downstream = encoders.kept([sides.probing, sides.downstream])
    name = "-without-".join([sides.name, *encoders.left_out])
    return BothSides(name, probing, downstream, sides.notes)


def _sides_of_tables(source: object) -> BothSides:
    named = [RUNS, DOWNSTREAM, *PUBLISHED]
    if isinstance(source, str):
        raise UnknownChoice("correlate", source, [*named, TABLES])
    if not isinstance(source, Sequence) or len(source) != 2:
        raise BadValue("correlate", source, f"one of {', '.join(named)}, or two tables: {TABLES}")
    first, second = map(Path, source)
    for path in (first, second):
        if not path.is_file():
            raise PolyprobeError(f"correlate: there is no file {path}. Expected two tables of scores such as {TABLES}.")
    return BothSides(f"{first.stem}-with-{second.stem}", read_scores(first, "test"), read_scores(second, "task"))


def _sides_of_runs(work: Path, source: object, encoders: EncoderChoice) -> BothSides:
    rows, folders = sound_rows(work), {file.parent.name: file.parent for file in results_files(work)}
    if source == DOWNSTREAM:
        check_layers(rows, {row["run"]: row["encoder"] for row in rows}, encoders.layer_of)
        probing, downstream = suite_scores(rows, encoders.layer_of)
        check_averages(probing, downstream, folders, OF_OTHER_SCORES)
        check_same_vectors(probing, downstream, folders)
        return BothSides(DOWNSTREAM, probing, downstream, models_in_words(rows, probing, downstream))
    names = encoder_names(rows, folders)
    check_layers(rows, names, encoders.layer_of)
    probing, downstream = probing_scores(rows, names, encoders.layer_of), downstream_scores(rows, names)
    check_averages(probing, downstream, folders, ())
    return BothSides(RUNS, probing, downstream)


def _table(rows: Sequence[Correlation], levels: Levels) -> TitledTable:
    matrix = Matrix.of(rows)
    lines = [[test, *(_cell(row, levels) for row in matrix.of_test(test))] for test in matrix.tests]
    fewest, most = min(row.n for row in rows), max(row.n for row in rows)
    n_encoders = str(fewest) if fewest == most else f"{fewest} to {most}"
    test = (
        "Student's t"
        if levels.correction is None
        else f"Student's t, up to {MOST_PERMUTED} encoders by all their orders"
    )
    notes = [f"Over {n_encoders} encoders. {levels.in_words()}; two-sided, by {test}. Further p-values are in the CSV."]
    if any(math.isnan(row.spearman) for row in rows):
        notes.append("-: on one side all encoders have the same score.")
    title = f"Spearman's rho of probing and downstream scores: {rows[0].language}"
    return TitledTable(title, FoldedTable("test", list(map(shown, matrix.tasks)), lines), notes)


def _cell(row: Correlation | None, levels: Levels) -> str:
    return f"{coefficient(row)}{'' if row is None else levels.mark(row):2}"


def _too_few(probing: Sequence[EncoderScores], downstream: Sequence[EncoderScores]) -> str:
    found = f"{_said('probing', probing)}; {_said('downstream', downstream)}"
    return f"No language has {FEWEST_ENCODERS} encoders with both probing and downstream scores. Found: {found}."


def _said(side: str, them: Sequence[EncoderScores]) -> str:
    encoders: dict[str, dict[str, None]] = {}
    for one in them:
        encoders.setdefault(one.lang, {}).update(dict.fromkeys(one.scores))
    languages = [f"{lang} ({', '.join(names)})" for lang, names in encoders.items()]
    return f"{side} scores of {', '.join(languages) or 'nothing'}"
