import csv
import subprocess
import sys
from functools import partial

import pytest

from tests.analysis.handmade import PROBING, TRAINING, predicted_run, predictions, work_folder
from tests.commands.forked import run_script
from tests.commands.scripts import ROOT

analyze = partial(run_script, "analyze")


def test_without_arguments_all_results_become_one_table(tmp_path):
    done = analyze(f"paths.work={work_folder(tmp_path)}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"24 rows in {tmp_path / 'results.csv'}"
    assert TRAINING in done.stdout
    with open(tmp_path / "results.csv", encoding="utf-8", newline="") as file:
        assert {row["run"] for row in csv.DictReader(file)} == {TRAINING, PROBING}


def test_a_damaged_results_file_is_named_and_the_others_are_collected(tmp_path):
    file = work_folder(tmp_path) / "runs" / "probe" / PROBING / "results.jsonl"
    file.write_text('{"schema": 1, "ru')
    done = analyze(f"paths.work={tmp_path}")
    assert done.returncode == 0
    assert f"Skipped: {file}: line 1: " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("10 rows in")


def test_the_curves_of_a_run_are_drawn_again(tmp_path):
    done = analyze(f"paths.work={work_folder(tmp_path)}", "job=curves", f"run={PROBING}")
    assert done.returncode == 0, done.stderr
    picture = tmp_path / "runs" / "probe" / PROBING / "pictures" / "probing.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in done.stdout
    assert not (tmp_path / "results.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["job=curves", "run=srl-fi-learned-s1-3f2a9c1"], 1, f"Did you mean {TRAINING}"),
        (["job=curve"], 2, "Did you mean curves"),
        (["job=compare", "runs=[a,b]", "layer_of={elmo: 8}"], 2, "an option of job=correlate, not of job=compare"),
        (["job=correlate", "scores=published_senteval", "correction=hulm"], 1, "Did you mean holm?"),
        (["job=compare", "runs=[a,c]"], 1, 'run "a" is unknown'),
        (["job=compare"], 1, "runs must be given"),
        (["job=cite"], 1, "job=cite needs run=RUN, or 'runs=[RUN,RUN]'."),
        (["compare=[a,b]"], 2, "Now: python analyze.py job=compare 'runs=[RUN,RUN]'."),
    ],
)
def test_a_mistake_is_answered_in_one_paragraph(tmp_path, arguments, code, words):
    done = analyze(f"paths.work={work_folder(tmp_path)}", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "comparisons").exists()


def test_analysis_does_without_torch():
    code = "import sys, polyprobe.analysis.door; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.fixture
def two_runs(tmp_path):
    """Two probing runs of two layers; run b is better at Case, in layer 1."""
    middling, good = [[1, 0] * 40] * 2, [[1] * 80] * 2
    predicted_run(tmp_path, "a", predictions("Case", {"0": middling, "1": middling}))
    predicted_run(tmp_path, "b", predictions("Case", {"0": middling, "1": good}))
    return tmp_path


def test_two_runs_are_compared_on_the_same_items(two_runs):
    done = analyze(f"paths.work={two_runs}", "job=compare", "runs=[a,b]")
    assert done.returncode == 0, done.stderr
    with open(two_runs / "comparisons" / "b-against-a.csv", encoding="utf-8", newline="") as file:
        assert [float(row["difference"]) for row in csv.DictReader(file)] == [0, 0.5]
    assert done.stdout.splitlines()[-1] == f"2 rows in {two_runs / 'comparisons' / 'b-against-a.csv'}"


def test_a_comparison_is_written_beside_its_runs(two_runs, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    folders = ",".join(str(two_runs / "runs" / "probe" / name) for name in "ab")
    for job in ("compare", "table", "report"):
        done = analyze(f"job={job}", f"runs=[{folders}]")
        assert done.returncode == 0, done.stderr
    names = {"b-against-a.csv", "a-beside-b.csv", "b-against-a.html"}
    assert names <= {file.name for file in (two_runs / "comparisons").iterdir()}


def test_two_layers_are_compared_on_the_same_items(two_runs):
    done = analyze(f"paths.work={two_runs}", "job=compare", "runs=[b:0,b:1]")
    assert done.returncode == 0, done.stderr
    assert "+50.0" in done.stdout


def test_each_layer_is_compared_with_the_one_before(two_runs):
    done = analyze(f"paths.work={two_runs}", "job=layers", "run=b")
    assert done.returncode == 0, done.stderr
    with open(two_runs / "comparisons" / "layers-b.csv", encoding="utf-8", newline="") as file:
        assert [float(row["difference"]) for row in csv.DictReader(file)] == [0.5]
    assert (two_runs / "runs" / "probe" / "b" / "pictures" / "layers.png").is_file()


def test_runs_stand_side_by_side(two_runs):
    done = analyze(f"paths.work={two_runs}", "job=table", "runs=[a:1,b:1]")
    assert done.returncode == 0, done.stderr
    case = next(line.split() for line in done.stdout.splitlines() if line.startswith(" Case"))
    assert case == ["Case", "80", "30.0", "35.0", "50.0", "•100.0+"]


def test_confusion_is_drawn_for_a_test(two_runs):
    done = analyze(f"paths.work={two_runs}", "job=confusion", "run=a", "tests=[Case]")
    assert done.returncode == 0, done.stderr
    picture = two_runs / "runs" / "probe" / "a" / "pictures" / "confusion-Case.png"
    assert done.stdout.splitlines()[0] == f"picture   {picture}"
    assert picture.is_file()


def test_published_scores_are_correlated(tmp_path):
    done = analyze(f"paths.work={tmp_path}", "job=correlate", "scores=published_linspector")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "correlations" / "published_linspector.csv"
    assert done.stdout.splitlines()[-1] == f"253 rows in {path}"
    assert path.with_suffix(".png").is_file()
