"""Pictures of labels in the parts of tests."""

from polyprobe.analysis.pictures.of_run import label_shares_figure
from polyprobe.analysis.pictures.panels import save_figure
from tests.analysis.pictures.drawn import legend

CASE = {"labels": {"train": {"None": 60, "Dative": 40}, "dev": {"None": 10}, "test": {"Dative": 5, "None": 15}}}
WORDS = {"labels": {part: {f"w{n}": 1 for n in range(1000)} for part in ("train", "dev", "test")}}


def bars(axes) -> dict[str, list[float]]:
    """Returns the widths of the bars of each part."""
    return {of_part.get_label(): [bar.get_width() for bar in of_part] for of_part in axes.containers}


def names(axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def test_every_part_has_a_bar_for_every_label():
    figure = label_shares_figure({"Case": CASE}, "run")
    (axes,) = figure.axes
    assert (axes.get_title(), names(axes)) == ("Case", ["None", "Dative"])
    assert bars(axes) == {"train": [60, 40], "dev": [100, 0], "test": [75, 25]}
    assert legend(figure) == ["train", "dev", "test"]


def test_a_thousand_labels_are_twelve_and_the_others(tmp_path):
    tests = {"Case": CASE, "WC": WORDS, "Tense": CASE, "Mood": CASE}
    axes = label_shares_figure(tests, "run").axes
    assert [one.get_title() for one in axes] == ["Case", "WC", "Tense", "Mood"]
    assert len(names(axes[1])) == 13
    assert names(axes[1])[-1] == "(988 labels more)"
    assert round(bars(axes[1])["dev"][-1], 6) == 98.8
    files = save_figure(label_shares_figure(tests, "run"), tmp_path / "labels")
    assert sum(path.stat().st_size > 1000 for path in files) == 2
