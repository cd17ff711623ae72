"""Shared by all pictures: panels, titles, legends, and saving as PNG for the screen, PDF for papers, SVG for pages."""

import math
import re
import textwrap
import warnings
from collections.abc import Collection, Iterable, Sequence
from html import escape
from io import StringIO
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from polyprobe.analysis.results.kinds import BASELINES_OF_LAYERS
from polyprobe.analysis.results.result_grid import Grid
from polyprobe.analysis.results.rows import Row, distinct, model_apart_from_tests, rests_on_few_items, said
from polyprobe.display.shown import cut, shown_lines
from polyprobe.formats.files.atomic import written_atomically

# Distinguished by readers with any colour vision (Okabe & Ito 2008), and by their markers in black and white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
# Baselines of a test, the same for all layers, and those of each layer. The majority lies on top of the memoriser, who
# often knows no more: dots on a broad line.
GREY = "#444444"
OF_TESTS = {
    "majority": {"color": GREY, "linestyle": ":", "linewidth": 1.5, "zorder": 1.9},
    "memoriser": {"color": "#BBBBBB", "linestyle": "-", "linewidth": 2.5, "zorder": 1.7},
    "length": {"color": "#777777", "linestyle": (0, (6, 2)), "linewidth": 1.0, "zorder": 1.8},
}
OF_LAYERS = {
    "random": {"linestyle": (0, (1, 1)), "marker": "x"},
    "control": {"linestyle": (0, (4, 1, 1, 1)), "marker": "+"},
}
PANELS_ABREAST = 4
LONGEST_LABEL, LONGEST_LINE = 60, 160  # letters; of published names the longest has 52
LETTERS_PER_INCH, LETTERS_PER_HANDLE = 13, 8  # of the legend
TITLE_LETTERS_PER_INCH = 11
_HARMLESS = "Glyph .* missing from font|constrained_layout not applied"  # warnings
PLAIN_TEXT = {"text.parse_math": False}  # two dollar signs in a name are no formula
FORMATS = {"png": {"dpi": 150}, "pdf": {"metadata": {"CreationDate": None}}}
_TEXT_OF_SVG = {**PLAIN_TEXT, "svg.fonttype": "none", "svg.hashsalt": "polyprobe"}  # text as text, the same names again
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
BLACK = "black"  # gid of what is black on any page
_TAG = re.compile(r"<[^>]*>")
_STYLE = re.compile(r' style="([^"]*)"')
_DECIMALS = re.compile(r"-?\d+\.\d+")

WHOLE = (0.0, 100.0)
MARGIN, SMALLEST_RANGE = 0.05, 10.0  # share of the range beyond what is drawn; percent
BEYOND = 2.0  # percent beyond 0 and 100, so that what lies there is seen


def new_figure(width: float, height: float) -> Figure:
    """Makes an empty figure; sizes in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_panels(n: int, x_label: str) -> tuple[Figure, list[Axes]]:
    """Makes a figure of `n` panels that share their y-axis."""
    n_rows = math.ceil(n / PANELS_ABREAST)
    n_columns = math.ceil(n / n_rows)
    figure = new_figure(max(2.5 * n_columns, 5.5), 2.0 * n_rows + 1.4)
    grid = figure.subplots(n_rows, n_columns, sharey=True, squeeze=False).flatten()
    for unused in grid[n:]:
        unused.remove()
    for lowest in grid[max(0, n - n_columns) : n]:
        lowest.set_xlabel(x_label)
    return figure, list(grid[:n])


def draw_baselines(axes: Axes, row: Row, rows: Iterable[Row]) -> None:
    """Draws the baselines of a test, which no layer changes, as lines across: majority, memoriser, length.

    Args:
        rows: of all tests of the picture, for `baselines_in_words`.
    """
    labels = baselines_in_words(rows)
    for column, style in OF_TESTS.items():
        if row.get(column) is not None:
            axes.axhline(100 * row[column], label=labels[column], **style)


def baselines_in_words(rows: Iterable[Row]) -> dict[str, str | None]:
    """Names the baselines of tests in a legend: those of majority and memoriser together where they always coincide."""
    is_one = all(row.get("memoriser") == row.get("majority") for row in rows)
    together = {"majority": "majority, memoriser", "memoriser": None} if is_one else {}
    return {column: column for column in OF_TESTS} | together


def draw_baselines_of_layer(axes: Axes, places: Sequence[float], rows: Sequence[Row], colour: str) -> None:
    """Draws what random encoder and control task reach where the rows of a layer do, without a name.

    Args:
        rows: of one layer, or of a curve over layers.
    """
    for column, style in OF_LAYERS.items():
        known = [(place, row[column]) for place, row in zip(places, rows, strict=True) if row.get(column) is not None]
        if known:
            at, values = zip(*known, strict=True)
            axes.plot(at, percents(values), color=colour, alpha=0.7, linewidth=1.2, markersize=4, **style)


def name_baselines_of_layers(axes: Axes, rows: Iterable[Row]) -> None:
    """Puts random encoder and control task into the legend, in grey: they have the colours of their layers."""
    rows = list(rows)
    for column, style in OF_LAYERS.items():
        if any(row.get(column) is not None for row in rows):
            look = {**style, "label": BASELINES_OF_LAYERS[column]}
            axes.plot([], [], color=GREY, linewidth=1.2, markersize=4, **look)


def limits(values: Iterable[float]) -> tuple[float, float]:
    """Returns the ends of an axis of percentages, around the lowest and the highest value; 0 and 100 without values.

    Args:
        values: all that is drawn, in percent: scores, ends of intervals, baselines; NaN is skipped.
    """
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return WHOLE
    low, high = min(known), max(known)
    margin = max(MARGIN * (high - low), (SMALLEST_RANGE - (high - low)) / 2)
    return max(WHOLE[0] - BEYOND, low - margin), min(WHOLE[1] + BEYOND, high + margin)


def limit_heights(panels: Sequence[Axes]) -> None:
    """Sets the y-axis of panels that share it, once all is drawn."""
    _set(panels, "y")


def limit_widths(axes: Axes) -> None:
    """Sets the x-axis, once all is drawn."""
    _set([axes], "x")


def _set(panels: Sequence[Axes], direction: str) -> None:
    ends = np.concatenate([getattr(panel.dataLim, f"interval{direction}") for panel in panels])
    for panel in panels:
        getattr(panel, f"set_{direction}lim")(*limits(ends.tolist()))


def percents(fractions: Iterable[float]) -> list[float]:
    """Turns fractions to percent."""
    return [100 * fraction for fraction in fractions]


def test_title(row: Row, tests: list[tuple]) -> str:
    """Names a test, its suite where there are several, and its size where that is small."""
    name = row["test"] if len({suite for suite, _ in tests}) == 1 else f"{row['suite']} {row['test']}"
    return f"{name} (n={row['n']})" if rests_on_few_items(row) else name


def draw_title(figure: Figure, what: str, rows: Sequence[Row]) -> None:
    """Writes what a picture shows, of which language, suites, model and run, above it."""
    first = rows[0]
    said = [f"lang={first['lang']}", *dict.fromkeys(row["suite"] for row in rows)]
    write_title(figure, f"{what}: {', '.join(said)}", model_apart_from_tests(first), first.get("run", ""))


def title_of_grid(figure: Figure, what: str, grid: Grid) -> None:
    """Writes what a picture of a grid shows above it, and of one run which model and run it is."""
    runs = distinct(grid.rows, "run")
    named = [model_apart_from_tests(grid.rows[0]), runs[0][0]] if len(runs) == 1 else []
    write_title(figure, f"{what}: {said(grid.rows, *grid.kind.said)}", *named)


def ticks(n: int, most: int) -> range:
    """Returns which of n places along an axis are named, so many at most."""
    return range(0, n, math.ceil(n / most))


def layer_label(layer: str | None) -> str:
    """Names a layer in a legend."""
    if layer is None:
        return "accuracy"
    return layer if layer.startswith("layer") else f"layer {layer}"


def write_title(figure: Figure, *lines: str) -> None:
    """Writes lines above a picture; one that is wider than it is broken once, then cut. Empty ones are left out."""
    width = int(figure.get_figwidth() * TITLE_LETTERS_PER_INCH)
    fitting = {"width": width, "break_on_hyphens": False, "max_lines": 2, "placeholder": " …"}
    figure.suptitle("\n".join(part for line in lines for part in textwrap.wrap(line, **fitting)), fontsize=11)


def draw_legend_below(figure: Figure, axes: Axes) -> None:
    """Writes the legend of one panel below all."""
    handles, labels = axes.get_legend_handles_labels()
    abreast = max(1, int(figure.get_figwidth() * LETTERS_PER_INCH) // (max(map(len, labels)) + LETTERS_PER_HANDLE))
    n_columns = min(abreast, len(labels))
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, frameon=False, fontsize=9)


def save_figure(figure: Figure, path: Path) -> list[Path]:
    """Writes a picture in every format, whole or not at all; `path` is without its ending. Returns the files.

    Text is text, whatever it holds; a character that the font lacks is an empty box.
    """
    _show_text_escaped(figure)
    files = [path.with_name(f"{path.name}.{ending}") for ending in FORMATS]
    for file, (ending, options) in zip(files, FORMATS.items(), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_atomically(file) as neighbour, warnings.catch_warnings(), rc_context(PLAIN_TEXT):
            warnings.filterwarnings("ignore", _HARMLESS, UserWarning)
            figure.savefig(neighbour, format=ending, **options)
    return files


def svg_text(figure: Figure) -> str:
    """Writes a picture as SVG to stand inside a page: the same drawing as its PNG and PDF, on no ground of its own.

    Black is the colour of the page's text, and its letters are the page's. There is no `style`, neither element nor
    attribute, so that a page may forbid all style but its own.
    """
    _show_text_escaped(figure)
    file = StringIO()
    with warnings.catch_warnings(), rc_context(_TEXT_OF_SVG):
        warnings.filterwarnings("ignore", _HARMLESS, UserWarning)
        figure.savefig(file, format="svg", transparent=True, metadata=_NO_METADATA)
    drawn = re.sub(r"<style.*?</style>", "", file.getvalue().partition("<svg")[2].partition(">")[2], flags=re.DOTALL)
    used = set(re.findall(r'#(\w+)[")]', drawn))
    drawn = _TAG.sub(lambda tag: _short_tag(tag[0], used), re.sub(r">\s+<", "><", drawn.strip()))
    width, height = (round(72 * inches, 1) for inches in figure.get_size_inches())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(figure.get_suptitle())}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" fill="currentColor" '
        f'stroke-linejoin="round">{drawn}'
    )


def _short_tag(tag: str, used: Collection[str]) -> str:
    """Writes a tag of matplotlib's SVG with attributes in place of styles, and numbers to a hundredth of a point.

    Args:
        used: names of elements that others refer to; the rest are left out.
    """
    tag = " ".join(tag.split()).replace("xlink:href", "href").replace(";base64, ", ";base64,")
    tag = re.sub(r' transform="rotate\(-0 [^"]*"', "", tag)
    if tag == f'<g id="{BLACK}">':
        return '<g fill="#000000">'
    tag = re.sub(r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", tag)
    tag = _STYLE.sub(lambda style: "".join(_attributes(style[1])), tag).replace('"#000000"', '"currentColor"')
    return _DECIMALS.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), tag)


def _attributes(style: str) -> Iterable[str]:
    for one in filter(None, style.split(";")):
        name, _, value = (part.strip() for part in one.partition(":"))
        if name != "font-family":
            yield f' {name}="{value}"'


def _show_text_escaped(figure: Figure) -> None:
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), FuncFormatter):  # ticks that are names
                names = [_shortened(label.get_text(), LONGEST_LABEL) for label in axis.get_ticklabels()]
                if any(names):  # a panel that shares its names with a neighbour has none of its own
                    axis.set_ticklabels(names)
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text(_shortened(text.get_text(), LONGEST_LINE))


def _shortened(text: str, longest: int) -> str:
    """Escapes text and shortens its lines: the longest would leave no room for what is drawn."""
    lines = shown_lines(text).split("\n")
    return "\n".join(cut(line, longest) for line in lines)
