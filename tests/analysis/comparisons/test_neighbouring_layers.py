import csv

import pytest

from polyprobe.analysis.comparisons.neighbouring_layers import beyond_resampling, compare_layers, neighbours
from tests.analysis.handmade import as_read, predicted_run, predictions, probing
from tests.analysis.told import csv_file

HALF, GOOD = [1, 0] * 40, [1] * 76 + [0] * 4


def compared(work, reference="run") -> list[dict[str, str]]:
    with open(csv_file(compare_layers(work, reference, None)), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def work(tmp_path):
    """Case rises at layer 1 and stays; Mood falls at layer 1 and stays."""
    case = predictions("Case", {"0": [HALF] * 2, "1": [GOOD] * 2, "2": [GOOD] * 2})
    mood = predictions("Mood", {"0": [GOOD] * 2, "1": [HALF] * 2, "2": [HALF] * 2})
    predicted_run(tmp_path, "run", case, mood)
    return tmp_path


def test_a_rise_is_significant_a_fall_and_a_standstill_are_not(work, capsys):
    rows = compared(work)
    assert [(row["test"], row["before"], row["layer"]) for row in rows] == [
        ("Case", "0", "1"),
        ("Case", "1", "2"),
        ("Mood", "0", "1"),
        ("Mood", "1", "2"),
    ]
    rise, still, fall, still_too = ([float(row[key]) for key in ("difference", "p", "p_holm")] for row in rows)
    assert rise == pytest.approx([0.45, 1 / 10_001, 4 / 10_001])  # never 0
    assert fall == [pytest.approx(-0.45), 1, 1]
    assert still == still_too == [0, 1, 1]
    marked = [line.split() for line in capsys.readouterr().out.splitlines() if line.endswith("▲  ")]
    assert [line[:3] for line in marked] == [["Case", "1", "0"]]


@pytest.mark.parametrize(("n_tested", "is_said"), [(500, False), (501, True)])
def test_so_many_rows_that_nothing_can_be_significant_are_said(n_tested, is_said):
    assert bool(beyond_resampling(n_tested)) == is_said


def test_the_curves_over_layers_are_drawn_with_marks(work, capsys):
    compared(work)
    pictures = work / "runs" / "probe" / "run" / "pictures"
    assert sorted(file.name for file in pictures.iterdir()) == ["layers.pdf", "layers.png"]
    assert f"picture   {pictures / 'layers.png'}" in capsys.readouterr().out


def test_layers_at_epochs_are_compared_within_their_epoch():
    layers = ["encoding/0", "encoding/8", "lstm/0", "lstm/8"]
    assert neighbours(layers) == [("encoding/0", "lstm/0"), ("encoding/8", "lstm/8")]


def test_a_run_over_epochs_is_compared_but_has_no_curve_over_layers(tmp_path):
    folder = tmp_path / "runs" / "probe" / "run"
    predicted_run(tmp_path, "run", predictions("Case", {"encoding/0": [HALF], "encoding/8": [GOOD]}))
    as_read([probing("Case", 0.5, epoch=epoch) for epoch in (0, 8)], folder, "run")
    assert len(compared(tmp_path)) == 1
    assert not (folder / "pictures").exists()


def test_a_layer_whose_probes_failed_is_left_out_of_the_tests(tmp_path, capsys):
    predicted_run(tmp_path, "run", predictions("Case", {"0": [[-1] * 80], "1": [GOOD], "2": [GOOD]}))
    failed, still = compared(tmp_path)
    assert (failed["difference"], failed["p_holm"]) == ("", "")
    assert float(still["p_holm"]) == 1
