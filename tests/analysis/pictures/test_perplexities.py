"""Perplexities are shown as they are, not as percentages, on an axis whose steps are factors."""

from polyprobe.analysis.pictures.curves import epochs_figure, training_figure
from polyprobe.analysis.reports.result_kinds import summary_table
from polyprobe.analysis.tables.training import training_table

EPOCHS = {0: 900.0, 1: 120.5, 2: 80.25, 3: 81.0}


def row(stage, **values):
    columns = {"stage": stage, "lang": "fr", "suite": "lm", "corpus": "small", "run": "r", "metric": "perplexity"}
    return {**columns, "split": "dev", "n": 40, "seed": 1, **values}


ROWS = [
    *(row("training", epoch=epoch, value=value) for epoch, value in EPOCHS.items()),
    row("test", split="test", epoch=2, value=1234.5),
    row("baseline", split="test", value=2000.0),
]
PROBED = [
    row("probing", test="Case", metric="accuracy", layer="words", epoch=epoch, value=0.5, suite="s", majority=0.1)
    for epoch in EPOCHS
]


def cells(table):
    return list(map(list, zip(*table.rows, strict=True)))


def test_tables_show_perplexities_as_they_are():
    titled = training_table(ROWS)
    assert titled.title == "Scores: fr, lm, small"
    assert cells(titled)[2] == ["1,234.5"]
    assert cells(titled)[5] == ["2,000.0"]
    assert cells(summary_table(ROWS))[3] == ["perplexity: test 1,234.5"]


def test_a_training_curve_of_perplexities_names_the_lowest():
    left, right = training_figure(ROWS).axes
    assert right.get_yscale() == "log"
    assert list(right.lines[0].get_ydata()) == list(EPOCHS.values())
    assert "best: 80.2, epoch 2" in left.get_legend_handles_labels()[1]
    assert not left.yaxis.get_visible()


def test_probes_keep_their_percentages_beside_perplexities():
    left, _ = training_figure([*ROWS, *PROBED]).axes
    assert left.yaxis.get_visible()
    labels = epochs_figure([*ROWS, *PROBED]).axes[0].get_legend_handles_labels()[1]
    assert not [label for label in labels if "perplexity" in label]
