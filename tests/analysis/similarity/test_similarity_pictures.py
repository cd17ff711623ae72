import numpy as np

from polyprobe.analysis.pictures.panels import save_figure
from polyprobe.analysis.similarity.similarity_grid import grids_of
from polyprobe.analysis.similarity.similarity_pictures import heat_map_figure, similarity_pictures
from tests.analysis.similarity.similarity_handmade import of_seeds, similarity_row


def grid(rows=None):
    return grids_of(rows or of_seeds())[0]


def deep(n_encoders: int, n_layers: int):
    """Rows of encoders with many layers; similarity falls with the distance."""
    places = [
        ("transformer", f"model-{one}", str(layer), None) for one in range(n_encoders) for layer in range(n_layers)
    ]
    return [
        similarity_row(one, other, 1 / (other_number - number + 1))
        for number, one in enumerate(places)
        for other_number, other in enumerate(places)
        if number < other_number
    ]


def test_a_heat_map_has_all_layers_names_at_blocks_and_lines_between_them():
    figure = heat_map_figure(grid(), "cka")
    axes = figure.axes[0]
    drawn = np.ma.filled(axes.get_images()[0].get_array(), np.nan)
    assert drawn.shape == (7, 7)
    assert (drawn[0, 1], drawn[1, 0], drawn[2, 6]) == (0.01, 0.01, 0.26)
    assert [line.get_xdata()[0] for line in axes.lines if line.get_xdata()[0] == line.get_xdata()[1]] == [2.5, 5.5]
    above, right = axes.child_axes
    assert [label.get_text() for label in right.get_yticklabels()] == ["srl-s1", "srl-s2", "char_ngrams"]
    assert [label.get_text() for label in above.get_xticklabels()] == ["srl-s1", "srl-s2", ""]  # its name is below
    assert above.get_xticks().tolist() == right.get_yticks().tolist() == [1, 4, 6]
    assert "0.26" in {text.get_text() for text in axes.texts}
    assert axes.get_images()[0].get_clim() == (0.01, 0.56)


def test_five_encoders_of_thirteen_layers_have_a_tick_at_each_and_no_numbers():
    figure = heat_map_figure(grid(deep(5, 13)), "cka")
    axes = figure.axes[0]
    assert len(axes.get_xticks()) == len(axes.get_yticks()) == 65
    assert not axes.texts
    assert len(axes.lines) == 8


def test_all_pictures_of_a_test_are_written_under_its_name(tmp_path):
    drawn = list(similarity_pictures([grid([*of_seeds(), *of_seeds(metric="maxcorr")])]))
    assert [name for name, _ in drawn] == ["cka-Case", "maxcorr-Case"]
    assert all(file.stat().st_size > 0 for name, figure in drawn for file in save_figure(figure, tmp_path / name))
