"""The report of a run that made probing tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.generation.door import making_settings
from polyprobe.generation.made_tests.row_statistics import row_statistics
from polyprobe.generation.made_tests.writing import write_test
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.splits import SPLITS
from tests.generation.given_tests import GivenTests, run_of
from tests.runs.composed import composed

ROWS = {split: [("ev", "A"), ("at", "B")] for split in SPLITS}
ROOT = Path(__file__).parents[3]


def in_a_folder_of_its_own(folder: Path) -> Written:
    statistics = {**row_statistics(ROWS), "filters": [], "treebank": {"sentences": 4321}}
    write_test(folder / "Tense", ROWS, [], statistics)
    return Written("Tense", statistics)


def report(folder: Path, write: Callable[[Path], Written | LeftOut], suite: str = "sentences") -> None:
    (folder / "source").write_text("", encoding="utf-8")
    shipped = composed("generate", f"suite={suite}", f"paths.data={folder}", f"paths.work={folder / 'work'}")
    config = {**shipped, "lang": {"code": "xx"}, "choices": {"suite": suite, "lang": "xx"}}
    run = run_of(making_settings(config), GivenTests([folder / "source"], lambda sets: iter([write(sets)])))
    show(report_run(run.path))


def test_a_run_that_made_no_test_is_reported_with_the_reason(tmp_path, capsys):
    report(tmp_path, lambda sets: LeftOut("Tense", "Tense: 3 forms are left."))
    printed = capsys.readouterr().out
    assert "Tense: 3 forms are left." in printed
    assert "probe.py" not in printed


@pytest.mark.parametrize(
    ("suite", "choices"),
    [
        ("linspector_type", "suite.format=linspector suite.level=type suite.lowercase=true"),
        ("linspector_token", "suite.format=linspector suite.level=token suite.lowercase=true"),
        ("pseudowords", "suite.format=linspector suite.level=type suite.lowercase=true"),
        ("sentences", "suite.format=senteval suite.level=sentence suite.lowercase=false"),
    ],
)
def test_the_last_line_is_the_command_that_probes_the_tests(suite, choices, tmp_path, capsys):
    report(tmp_path, in_a_folder_of_its_own, suite)
    (sets,) = (tmp_path / "work").glob(f"runs/generate/{suite}-xx-*/sets")
    *_, last = capsys.readouterr().out.splitlines()
    work = f"paths.work={tmp_path / 'work'}"
    assert last == f"probe     python probe.py lang=xx suite=own suite.path={sets} {choices} {work}"
