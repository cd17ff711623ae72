import csv

import numpy as np
import pytest

from polyprobe.analysis.comparisons.compare import compare
from polyprobe.analysis.output.tables import show
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from tests.analysis.handmade import predicted_run, predictions, probing, write_finished_rows
from tests.analysis.told import csv_file

MANY = [1] * 40 + [0] * 40


def compared(work, *references) -> list[dict[str, str]]:
    with open(csv_file(compare(work, list(references), None)), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed(capsys) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines() if line.strip(" ─")]


@pytest.fixture
def two_runs(tmp_path):
    """Run b is right on 30 of 80 items more than run a in Case, and on the same ones in Mood."""
    predicted_run(tmp_path, "a", predictions("Case", {"x": [MANY] * 2}), predictions("Mood", {"x": [MANY] * 2}))
    better = [1] * 70 + [0] * 10
    predicted_run(tmp_path, "b", predictions("Case", {"y": [better] * 2}), predictions("Mood", {"y": [MANY] * 2}))
    return tmp_path


def test_named_tests_alone_are_compared_and_corrected_for(two_runs):
    with open(csv_file(compare(two_runs, ["a", "b"], ["Mood"])), encoding="utf-8", newline="") as file:
        (mood,) = csv.DictReader(file)
    assert mood["test"] == "Mood"
    assert mood["p_holm"] == mood["p"]
    with pytest.raises(UnknownChoice, match=r'test "Moot" is unknown\. Did you mean Mood\?'):
        show(compare(two_runs, ["a", "b"], ["Moot"]))


def test_the_second_run_is_compared_with_the_first(two_runs, capsys):
    case, mood = compared(two_runs, "a", "b")
    assert (case["test"], case["n"], case["n_seeds"]) == ("Case", "80", "2")
    assert (case["first_run"], case["first_layer"], case["second_run"], case["second_layer"]) == ("a", "x", "b", "y")
    assert (float(case["first"]), float(case["second"])) == (0.5, 0.875)
    assert float(case["difference"]) == pytest.approx(0.375)
    assert 0.25 < float(case["interval_low"]) < 0.375 < float(case["interval_high"]) < 0.5
    assert float(case["p"]) == pytest.approx(1 / 10_001)
    assert float(case["p_holm"]) == pytest.approx(2 / 10_001)
    assert float(mood["p"]) == 1
    lines = printed(capsys)
    assert ["Case", "80", "50.0", "87.5", "+37.5"] in [line[:5] for line in lines]
    assert next(line for line in lines if line[0] == "Case")[-1] == "+"


def test_seeds_are_averaged_first(tmp_path):
    predicted_run(tmp_path, "a", predictions("Case", {"x": [[1, 1, 0, 0], [1, 0, 0, 0]]}))
    predicted_run(tmp_path, "b", predictions("Case", {"x": [[1, 1, 1, 1]]}))
    (row,) = compared(tmp_path, "a", "b")
    assert (float(row["first"]), float(row["second"]), row["n_seeds"]) == (0.375, 1, "1")


def test_few_items_and_one_seed_are_marked(tmp_path, capsys):
    for name in ("a", "b"):
        predicted_run(tmp_path, name, predictions("Case", {"x": [[1, 0]]}))
    compared(tmp_path, "a", "b")
    lines = printed(capsys)
    assert ["Case", "2*†", "50.0", "50.0", "+0.0"] in [line[:5] for line in lines]
    assert ["†", "single", "seed."] in lines


def test_layers_of_one_run_are_compared(tmp_path):
    run = predicted_run(tmp_path, "a", predictions("Case", {"x/0": [MANY] * 2, "x/8": [[1] * 80] * 2}))
    (row,) = compared(tmp_path, "a:x/0", f"{run}:x/8")
    assert (row["first_layer"], row["second_layer"], float(row["difference"])) == ("x/0", "x/8", 0.5)


def test_runs_with_the_same_layers_are_compared_layer_by_layer(tmp_path, capsys):
    for name in ("a", "b"):
        predicted_run(tmp_path, name, predictions("Case", {"0": [MANY] * 2, "1": [[1] * 80] * 2}))
    assert [(row["first_layer"], row["second_layer"]) for row in compared(tmp_path, "a", "b")] == [
        ("0", "0"),
        ("1", "1"),
    ]
    assert ["Case", "1", "80", "100.0"] in [line[:4] for line in printed(capsys)]


def test_several_runs_are_compared_with_the_first_and_corrected_together(two_runs):
    predicted_run(two_runs, "c", *(predictions(test, {"z": [MANY] * 2}) for test in ("Case", "Mood")))
    rows = compared(two_runs, "a", "b", "c")
    assert [row["second_run"] for row in rows] == ["b", "b", "c", "c"]
    assert float(rows[0]["p_holm"]) == pytest.approx(4 / 10_001)


def test_labels_numbered_in_another_order_are_the_same_labels(tmp_path):
    predicted_run(tmp_path, "a", predictions("Case", {"x": [MANY]}))
    gold = 1 - np.arange(80) % 2
    said = np.where(MANY, gold, 1 - gold)[None, None]
    other = predictions("Case", {"x": [MANY]}, labels=np.array(["b", "a"]), gold=gold, predicted=said)
    predicted_run(tmp_path, "b", other)
    assert float(compared(tmp_path, "a", "b")[0]["difference"]) == 0


def test_a_test_where_every_probe_failed_has_no_p_value_and_does_not_count(two_runs, capsys):
    predicted_run(two_runs, "c", predictions("Case", {"x": [[1] * 80]}), predictions("Mood", {"x": [[-1] * 80]}))
    case, mood = compared(two_runs, "a", "c")
    assert float(case["p_holm"]) == float(case["p"])
    assert (mood["second"], mood["difference"], mood["p"], mood["p_holm"]) == ("", "", "", "")
    assert ["Mood", "80†", "50.0", "-", "-", "-", "-", "-"] in printed(capsys)


def test_a_test_that_one_run_lacks_is_left_out_and_named(two_runs, capsys):
    predicted_run(two_runs, "c", predictions("Case", {"x": [MANY] * 2}), predictions("Tense", {"x": [MANY] * 2}))
    assert [row["test"] for row in compared(two_runs, "a", "c")] == ["Case"]
    assert ["Skipped,", "as", "only", "one", "of", "the", "runs", "has", "them:", "Mood,", "Tense."] in printed(capsys)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"inputs": np.array(["w0", "v1", "w2"])},
            r"Case: a and c have other test items \(\('w1', 'b'\) and \('v1'",
        ),
        ({"gold": np.array([0, 1, 1])}, r"\('w2', 'a'\) and \('w2', 'b'\) at 3"),
    ],
)
def test_other_items_or_labels_are_refused_by_the_name_of_the_test(tmp_path, changes, words):
    predicted_run(tmp_path, "a", predictions("Case", {"x": [[1, 0, 1]]}))
    predicted_run(tmp_path, "c", predictions("Case", {"x": [[1, 0, 1]]}, **changes))
    with pytest.raises(PolyprobeError, match=words):
        show(compare(tmp_path, ["a", "c"], None))


@pytest.mark.parametrize("columns", [{"suite": "linspector_token"}, {"lang": "tr"}])
def test_other_suites_and_languages_are_refused(two_runs, columns):
    predicted_run(two_runs, "c", predictions("Case", {"x": [MANY]}), **columns)
    with pytest.raises(PolyprobeError, match=r"a has suite=linspector_type of lang=fi, c suite=.*same tests"):
        show(compare(two_runs, ["a", "c"], None))


def layered_run(work, name: str, on_dev: dict[str, float | None]) -> None:
    """A run whose layers differ in their score on dev; its last layer is right on every test item, the others on 40."""
    right = {layer: [MANY] * 2 for layer in on_dev} | {list(on_dev)[-1]: [[1] * 80] * 2}
    folder = predicted_run(work, name, predictions("Case", right))
    rows = [probing("Case", 0.5, layer=layer, n=80, dev=dev) for layer, dev in on_dev.items()]
    write_finished_rows(folder, name, rows)


def test_runs_of_other_layers_are_compared_each_at_its_best_on_dev(two_runs, capsys):
    layered_run(two_runs, "c", {"0": 0.5, "1": 0.8, "2": 0.7})
    (row,) = compared(two_runs, "a", "c")
    assert (row["first_layer"], row["second_layer"], float(row["second"])) == ("x", "1", 0.5)
    assert "second: c, layer 1 (the best on dev)" in capsys.readouterr().out


def test_an_unknown_layer_names_the_nearest(two_runs):
    predicted_run(two_runs, "c", predictions("Case", {"encoding/0": [MANY], "encoding/8": [MANY]}))
    with pytest.raises(UnknownChoice, match="Did you mean encoding/8"):
        show(compare(two_runs, ["a", "c:encodin/8"], None))


@pytest.mark.parametrize("references", [["a"], []])
def test_fewer_than_two_runs_are_refused(two_runs, references):
    with pytest.raises(BadValue, match="runs must be a list of at least two runs"):
        show(compare(two_runs, references, None))
