"""Draws how labels fall in the parts of probing tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from src.analysis.pictures.panels import COLOURS, new_figure, write_title
from src.analysis.results.made_tests import counts_in_parts
from src.display.shown import cut, plural

MOST_LABELS = 12  # of a test, with one bar for all others
LONGEST_NAME = 24  # letters
ABREAST = 3
Test = Mapping[str, Any]  # of the record of a run


def label_shares_figure(tests: Mapping[str, Test], run: str) -> Figure:
    """Draws a panel per test: what percentage of the items of each part has each label, the most frequent labels first.

    Args:
        tests: of the record of a run; of each `labels`, the items of each label by part.
        run: its name.
    """
    shares = {name: _shares(test["labels"]) for name, test in tests.items()}
    heights = [
        max(map(len, list(shares.values())[start : start + ABREAST])) for start in range(0, len(shares), ABREAST)
    ]
    figure = new_figure(4.2 * min(ABREAST, len(shares)), 1.4 + sum(0.75 + 0.3 * height for height in heights))
    grid = figure.subplots(
        len(heights), min(ABREAST, len(shares)), squeeze=False, height_ratios=[h + 2 for h in heights]
    )
    panels = list(grid.flatten())
    for unused in panels[len(shares) :]:
        unused.remove()
    parts = list(dict.fromkeys(part for test in tests.values() for part in test["labels"]))
    for panel, (name, of_test) in zip(panels, shares.items(), strict=False):
        _draw_test(panel, name, of_test, list(tests[name]["labels"]), parts)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=9)
    write_title(figure, "Labels: items of the part (%)", run)
    return figure


def _draw_test(
    axes: Axes, name: str, shares: Mapping[str, Sequence[float]], own: Sequence[str], parts: list[str]
) -> None:
    thickness = 0.8 / len(own)
    for number, part in enumerate(own):
        places = [place - 0.4 + (number + 0.5) * thickness for place in range(len(shares))]
        widths = [100 * of_label[number] for of_label in shares.values()]
        axes.barh(places, widths, thickness, color=COLOURS[parts.index(part) % len(COLOURS)], label=part)
    axes.set_yticks(range(len(shares)), [cut(label, LONGEST_NAME) for label in shares], fontsize=8)
    axes.set(ylim=(len(shares) - 0.4, -0.6))
    axes.set_title(name, fontsize=10)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def _shares(labels: Mapping[str, Mapping[str, int]]) -> dict[str, list[float]]:
    """Returns the share of each label in every part, those beyond `MOST_LABELS` together."""
    counts = counts_in_parts(labels)
    sizes = [max(sum(of_part.values()), 1) for of_part in labels.values()]
    shown = dict(list(counts.items())[:MOST_LABELS])
    others = list(counts.values())[MOST_LABELS:]
    if others:
        shown[f"({plural(len(others), 'label')} more)"] = [sum(column) for column in zip(*others, strict=True)]
    return {label: [n / size for n, size in zip(of_label, sizes, strict=True)] for label, of_label in shown.items()}
