import csv
import shutil

import pytest

from polyprobe.analysis.results.collection import collect, find_run, write_csv
from polyprobe.errors import PolyprobeError
from tests.analysis.handmade import PROBING, TRAINING, work_folder


def test_every_run_below_the_work_folder_is_collected(tmp_path):
    rows = collect(work_folder(tmp_path)).rows
    assert {row["run"] for row in rows} == {TRAINING, PROBING}
    assert len(rows) == 10 + 14


@pytest.mark.parametrize("damaged", [b'{"schema": 1, "ru', b'{"schema": 99}\n', b"\xff\xfe\n"])
def test_a_damaged_file_is_named_and_the_others_are_collected(tmp_path, damaged):
    file = work_folder(tmp_path) / "runs" / "probe" / PROBING / "results.jsonl"
    file.write_bytes(damaged)
    found = collect(tmp_path)
    assert {row["run"] for row in found.rows} == {TRAINING}
    (left_out,) = found.left_out
    assert left_out.startswith(f"{file}: ")


def test_of_a_run_that_was_copied_one_folder_is_collected_and_both_are_named(tmp_path, capsys):
    first = work_folder(tmp_path) / "runs" / "probe" / PROBING
    second = shutil.copytree(first, tmp_path / "runs" / "probe" / f"{PROBING}-copy")
    sound = collect(work_folder(tmp_path / "sound"))
    found = collect(tmp_path)
    assert found.rows == sound.rows
    assert found.left_out == [
        f"{second}: its rows are of the run {PROBING}, as those of {first} are. Remove or move one of the two folders."
    ]
    assert found.rows == sound.rows
    assert found.lines()[0].startswith(f"Skipped: {second}: ")


def test_a_run_whose_folder_was_renamed_is_collected(tmp_path):
    folder = work_folder(tmp_path) / "runs" / "probe" / PROBING
    folder.rename(folder.with_name("the-best-one"))
    found = collect(tmp_path)
    assert {row["run"] for row in found.rows} == {TRAINING, PROBING}
    assert found.left_out == []


def test_the_csv_has_the_columns_of_the_schema_in_their_order(tmp_path):
    rows = collect(work_folder(tmp_path)).rows
    write_csv(rows, tmp_path / "results.csv")
    with open(tmp_path / "results.csv", encoding="utf-8", newline="") as file:
        header, first, *others = csv.reader(file)
    assert header[:9] == ["schema", "run", "stage", "lang", "suite", "metric", "value", "n", "split"]
    assert header[-2:] == ["permuted", "note"]
    assert first[:9] == ["2", PROBING, "downstream", "fi", "srl", "role_f1", "0.02", "500", "dev"]
    assert first[header.index("layer")] == ""
    assert len(others) == 23


def test_a_column_beyond_the_schema_comes_last(tmp_path):
    write_csv([{"schema": 1, "run": "a", "brightness": 0.5}], tmp_path / "results.csv")
    header, row = (tmp_path / "results.csv").read_text().splitlines()
    assert header.endswith(",note,brightness")
    assert row.startswith("1,a,,")
    assert row.endswith(",0.5")


def test_a_run_is_found_by_name_and_by_folder(tmp_path):
    folder = work_folder(tmp_path) / "runs" / "train" / TRAINING
    assert find_run(tmp_path, TRAINING) == folder
    assert find_run(tmp_path / "elsewhere", str(folder)) == folder


def test_an_unknown_run_names_the_nearest(tmp_path):
    with pytest.raises(PolyprobeError, match=f"is unknown. Did you mean {TRAINING}"):
        find_run(work_folder(tmp_path), TRAINING[:-1])
    with pytest.raises(PolyprobeError, match=rf'^run "linspector_type-x" is unknown\. .*Nearest: {PROBING}\.$'):
        find_run(tmp_path, "linspector_type-x")


def test_a_run_without_results_is_said_to_be_unfinished(tmp_path):
    folder = tmp_path / "runs" / "train" / "srl-mini"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    with pytest.raises(PolyprobeError, match="not finished"):
        find_run(tmp_path, "srl-mini")


def test_no_text_of_results_csv_is_a_formula_and_numbers_stay_numbers(tmp_path):
    write_csv([{"run": "=1+1", "value": -0.5, "+further": "@x"}], tmp_path / "results.csv")
    with open(tmp_path / "results.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["run"], row["value"], row["'+further"]) == ("'=1+1", "-0.5", "'@x")


def test_text_in_the_collected_table_steers_no_terminal(tmp_path):
    write_csv([{"run": "a", "note": "Ca\x1b[31mse\rover", "\x1b]0;further": "x"}], tmp_path / "results.csv")
    text = (tmp_path / "results.csv").read_text(encoding="utf-8")
    assert text.replace("\n", "").isprintable()
    assert r"Ca\x1b[31mse\rover" in text
