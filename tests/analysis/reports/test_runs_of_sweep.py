"""The whole table of a sweep of probing runs."""

from polyprobe.analysis.output.tables import Best
from polyprobe.analysis.reports.result_kinds import Score
from polyprobe.analysis.reports.sweep_tables import SweepLine, table_of_runs
from tests.analysis.handmade import as_read, probing

SCORE = Score("accuracy", "x", 0.5, 1)


def line(folder, encoder, value=0.5, **columns):
    """A job with a finished run of one test."""
    run = folder / f"run-{encoder}"
    as_read([probing("Tense", value, encoder=encoder, **columns)], run, run.name)
    return SweepLine({"encoder": encoder}, "finished", "", SCORE, run)


def test_runs_stand_side_by_side(tmp_path):
    table = table_of_runs([line(tmp_path, "length"), line(tmp_path, "bov", value=0.75)])
    assert table.title.startswith("Probing accuracy (%): fi, linspector_type, length bov")
    assert table.rows[0][:2] == ["Tense", "200"]
    assert table.rows[0][-2:] == ["50.0", "75.0"]
    assert isinstance(table.rows[0][-1], Best)


def test_one_run_and_runs_of_other_items_or_languages_have_no_table(tmp_path):
    first = line(tmp_path, "length")
    assert table_of_runs([first, first]) is None
    for number, change in enumerate([{"n": 90}, {"lang": "de"}, {"suite": "xprobe"}]):
        assert table_of_runs([first, line(tmp_path, f"other{number}", **change)]) is None
