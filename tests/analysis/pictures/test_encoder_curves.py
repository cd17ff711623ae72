import pytest

from polyprobe.analysis.door import analyze
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.pictures.curves import encoders_figure
from polyprobe.errors import PolyprobeError
from tests.analysis.handmade import as_read, probing, write_finished_rows
from tests.analysis.pictures.drawn import legend, lines
from tests.runs.composed import composed

DEEP = {"0": 0.4, "1": 0.6, "2": 0.5, "3": 0.45}
SHALLOW = {"0": 0.3, "2": 0.7}


def of_layers(encoder, by_layer, test="Case", **columns):
    return [
        probing(
            test, value, encoder=encoder, layer=layer, interval_low=value - 0.02, interval_high=value + 0.02, **columns
        )
        for layer, value in by_layer.items()
    ]


def read(folder, **runs):
    """Returns the rows of runs by name."""
    found = []
    for run, rows in runs.items():
        (folder / run).mkdir()
        found += as_read(rows, folder / run, run)
    return found


def test_every_encoder_is_a_line_over_its_layers_by_their_numbers(tmp_path):
    figure = encoders_figure(read(tmp_path, a=of_layers("elmo", SHALLOW), b=of_layers("transformer", DEEP)))
    (panel,) = figure.axes
    assert lines(panel)["transformer"] == ([0, 1, 2, 3], pytest.approx([40, 60, 50, 45]))
    assert lines(panel)["elmo"] == ([0, 2], pytest.approx([30, 70]))
    assert lines(panel)["majority"][1] == [30, 30]
    assert legend(figure) == ["elmo", "transformer", "majority", "memoriser"]
    assert panel.get_xlabel() == "layer"


def test_a_layer_that_alone_was_probed_on_a_test_is_a_point_where_it_is(tmp_path):
    both = [*of_layers("transformer", DEEP), *of_layers("transformer", {"2": 0.8}, test="Mood")]
    _, mood = encoders_figure(read(tmp_path, a=of_layers("elmo", SHALLOW), b=both)).axes
    assert lines(mood)["transformer"] == ([2], pytest.approx([80]))
    assert lines(mood)["elmo"] == ([], [])


def of_epochs(layer, *values):
    return [probing("Case", value, layer=layer, epoch=2 * epoch) for epoch, value in enumerate(values)]


def test_runs_over_epochs_are_drawn_over_epochs_a_line_for_each_layer(tmp_path):
    one = [*of_epochs("encoding", 0.5, 0.6), *of_epochs("bilstm", 0.4, 0.7)]
    (panel,) = encoders_figure(read(tmp_path, a=one, b=of_epochs("encoding", 0.3, 0.8, 0.9))).axes
    drawn = [(at, values) for name, (at, values) in lines(panel).items() if name.startswith("checkpoint")]
    assert [at for at, _ in drawn] == [[0, 2], [0, 2], [0, 2, 4]]
    assert drawn[2][1] == pytest.approx([30, 80, 90])
    assert panel.get_xlabel() == "epoch"


def test_runs_over_epochs_and_over_layers_have_no_axis_in_common(tmp_path):
    rows = read(tmp_path, a=of_epochs("encoding", 0.5, 0.6), b=of_layers("transformer", DEEP))
    with pytest.raises(PolyprobeError, match="a is probed over epochs, b is not"):
        encoders_figure(rows)


@pytest.fixture
def analysed(tmp_path):
    """Runs `job=curves` on two runs of a work folder."""
    for run, rows in {"one": of_layers("elmo", SHALLOW), "two": of_layers("transformer", DEEP)}.items():
        folder = tmp_path / "runs" / "probe" / run
        folder.mkdir(parents=True)
        write_finished_rows(folder, run, rows)

    return lambda named: show(analyze(composed("analyze", "job=curves", f"runs={named}", f"paths.work={tmp_path}")))


def test_curves_of_a_list_of_runs_are_one_picture(analysed, tmp_path, capsys):
    analysed("[one,two]")
    assert {file.suffix for file in (tmp_path / "comparisons").iterdir()} == {".png", ".pdf"}
    assert "one-beside-two.png" in capsys.readouterr().out
