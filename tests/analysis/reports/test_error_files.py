import csv
from dataclasses import replace

import numpy as np
import pytest

from polyprobe.analysis.reports.details import draw_confusions, write_details
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.arrays import write_fields
from polyprobe.runs.array_records import array_record_path
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import PROBING, as_read, predicted_run, predictions, probing_run
from tests.analysis.told import pictures

SMALL = predictions("Case", {"0": [[1, 1, 0, 1], [1, 0, 0, 1]], "1": [[1, 1, 1, 0], [1, 1, 1, 1]]})


def lines(path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def test_errors_are_those_of_the_best_layer_with_the_seeds_that_err(tmp_path):
    run = predicted_run(tmp_path, "run", SMALL)
    write_details(RunDirectory(run))
    assert lines(run / "errors" / "Case.tsv") == [
        ["line", "item", "gold", "predicted", "seeds", "layer"],
        ["4", "w3", "b", "a", "1", "1"],
    ]


def test_seeds_that_say_other_labels_have_a_row_each(tmp_path):
    said = np.array([[[0, 1, 2, 0], [0, 1, 1, 0], [0, 1, 1, 0]]])
    right = {"encoding": [[1] * 4] * 3}
    three = predictions("Case", right, labels=np.array(["a", "b", "c"]), gold=np.array([0, 1, 0, 0]), predicted=said)
    run = predicted_run(tmp_path, "run", three)
    write_details(RunDirectory(run))
    assert [row[3:5] for row in lines(run / "errors" / "Case.tsv")[1:]] == [["b", "2,3"], ["c", "1"]]


def test_an_item_with_tabs_and_quotes_stays_in_its_column(tmp_path):
    odd = predictions("Case", {"0": [[0, 0]]}, inputs=np.array(['a\tb "', "c\nd"]))
    run = predicted_run(tmp_path, "run", odd)
    write_details(RunDirectory(run))
    assert [row[1] for row in lines(run / "errors" / "Case.tsv")[1:]] == ['a b "', "c d"]


def test_the_confusion_of_the_best_layer_is_summed_over_seeds(tmp_path):
    run = predicted_run(tmp_path, "run", SMALL)
    write_details(RunDirectory(run))
    written = (run / "errors" / "Case.confusion.csv").read_text(encoding="utf-8")
    assert written == "gold (layer 1),a,b\na,4,0\nb,1,3\n"


def test_labels_have_a_row_for_every_layer(tmp_path):
    run = predicted_run(tmp_path, "run", SMALL)
    files = write_details(RunDirectory(run))
    with open(run / "labels.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["layer"], row["label"], row["n"]) for row in rows] == [(x, y, "2") for x in "01" for y in "ab"]
    assert float(rows[2]["f1"]) == pytest.approx((4 / 5 + 1) / 2, abs=1e-6)
    assert [file.name for file in files] == ["Case.tsv", "Case.confusion.csv", "labels.csv"]


def test_a_test_where_every_probe_failed_has_no_files(tmp_path):
    run = predicted_run(tmp_path, "run", predictions("Mood", {"0": [[-1, -1]]}))
    assert [file.name for file in write_details(RunDirectory(run))] == ["labels.csv"]


def test_a_run_without_predictions_has_no_details(tmp_path):
    as_read(probing_run(), tmp_path, PROBING)
    assert write_details(RunDirectory(tmp_path)) == []


def test_a_foreign_file_of_predictions_writes_nothing_outside_its_run(tmp_path):
    run = predicted_run(tmp_path / "work", "run", SMALL)
    marker = tmp_path / "marker.tsv"
    write_fields(run / "predictions" / "Case.npz", replace(SMALL, test=f"../../../../../{marker.stem}"))
    with pytest.raises(PolyprobeError, match=r"Case\.npz is not a readable file of predictions"):
        write_details(RunDirectory(run))
    assert not list(tmp_path.rglob("marker*"))


@pytest.mark.parametrize("name", ["../../../../marker", "a/b", "Zahl=1,[2]", "x" * 215, "a\x1b[2J\nb"])
def test_a_test_of_any_name_has_its_lists_in_the_run(tmp_path, name):
    run = predicted_run(tmp_path / "work", "run", replace(SMALL, test=name))
    files = write_details(RunDirectory(run))
    assert {file.resolve().parent for file in files} == {run / "errors", run}
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(
        [run / "results.jsonl", run / "run.json", *files, array_record_path(run / "predictions", name)]
    )


def test_no_label_or_item_is_a_formula_to_a_spreadsheet(tmp_path):
    odd = predictions("=2", {"-1+1": [[0, 0]]}, inputs=np.array(["=1+1", '"@x"']), labels=np.array(["+a", "-1"]))
    run = predicted_run(tmp_path, "run", odd)
    files = write_details(RunDirectory(run))
    text = {file.name.partition(".")[2]: file.read_text(encoding="utf-8") for file in files}
    assert text["confusion.csv"] == "gold (layer -1+1),'+a,-1\n'+a,0,1\n-1,1,0\n"
    assert text["tsv"].splitlines()[1:] == ["1\t'=1+1\t'+a\t-1\t1\t'-1+1", "2\t'\"@x\"\t-1\t'+a\t1\t'-1+1"]
    assert text["csv"].splitlines()[1:] == ["'=2,'-1+1,'+a,0.0,1", "'=2,'-1+1,-1,0.0,1"]


def test_the_picture_of_a_test_of_any_name_is_in_the_run(tmp_path):
    run = predicted_run(tmp_path / "work", "run", replace(SMALL, test="../../../../a\x1b[2J\nb$x$"))
    assert {path.resolve().parent for path in pictures(draw_confusions(tmp_path / "work", "run", None))} == {
        run / "pictures"
    }
