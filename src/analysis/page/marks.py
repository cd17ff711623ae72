"""Marks of a page as SVG: curves in their bands, points with whiskers, cells of a heat map.

Text is escaped where it enters; colours are classes of page.css, so that dark schemes and print have theirs. Sizes are
in units of the drawing, which a page scales.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from markupsafe import Markup, escape

from polyprobe.display.shown import cut, shown

SERIES = 6  # colours and markers that page.css knows
SERIES_OF_PARTS = [f"s{colour}{light}" for light in ("", " light") for colour in range(SERIES)]
SHADES = 9  # of cividis, from low to high
MOST_OF_FRACTIONS = 1.5  # what is beyond is in percent
LETTER = 6.2  # width of one in a label
MOST_LABELS = 13  # below an axis
LONGEST_NAME, LONGEST_TITLE = 34, 27  # letters, of a line and of a panel
PANEL = (250, 160)
_DASHES = {
    **{"majority": "1 3", "largest class": "1 3", "memoriser": "6 3", "length": "2 2 6 2", "task": "8 3"},
    **{"random encoder": "1 1", "control task": "4 1 1 1"},
}
_CROSSES = {"random encoder": "M-2.5-2.5l5 5m0-5l-5 5", "control task": "M-3 0h6m-3-3v6"}  # of baselines by place
_SHAPES = (
    '<circle cx="{x:.1f}" cy="{y:.1f}" r="3"',
    '<rect x="{l:.1f}" y="{t:.1f}" width="5.6" height="5.6"',
    '<path d="M{x:.1f} {t:.1f}l3.4 6h-6.8z"',
    '<path d="M{x:.1f} {t:.1f}l3.2 3.2-3.2 3.2-3.2-3.2z"',
    '<path d="M{x:.1f} {b:.1f}l3.4-6h-6.8z"',
    '<path d="M{l:.1f} {y:.1f}h5.6M{x:.1f} {t:.1f}v5.6"',
)

Value = TypeVar("Value", float, tuple[float, ...])


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers that belong together, in percent or whatever the axis says; NaN where there is none."""

    name: str
    values: Sequence[float]
    low: Sequence[float]
    """Lower ends of intervals; as the values where there are none."""
    high: Sequence[float]
    baselines: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """By name, what a baseline reaches where this series has its values."""


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Returns round numbers between the ends of an axis.

    >>> ticks(38, 101)
    [40, 60, 80, 100]
    """
    size = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(one for one in (size / 5, size / 2, size, 2 * size, 5 * size) if (high - low) / one <= most)
    first = math.ceil(low / step - 1e-9)
    return [place * step for place in range(first, math.floor(high / step + 1e-9) + 1)]


def curves(
    title: str,
    labels: Sequence[str] | Sequence[int],
    series: Sequence[Series],
    baselines: Mapping[str, float],
    ends: tuple[float, float],
    beside: Mapping[int, float] = MappingProxyType({}),
) -> Markup:
    """Draws a panel: a line for each series over the places of an axis, its band, level lines for baselines.

    Baselines of a series are dashed in its colour, with crosses.

    Args:
        labels: below the axis, one for each place; numbers are places themselves, others stand at equal distances.
        baselines: by name; those of one value are one line.
        ends: of the other axis.
        beside: other values by their places, dashed, with an axis of their own at the right.
    """
    (width, height), left, right, top, bottom = PANEL, 32, 30 if beside else 14, 22, 24
    places = [place if isinstance(label, str) else label for place, label in enumerate(labels)]
    all_places = [*places, *beside] or [0]
    along = _scale((min(all_places), max(all_places)), (left, width - right))
    names, xs = [*map(str, labels)], [*map(along, places)]
    below = {along(place): str(place) for place in sorted(beside)} | dict(zip(xs, names, strict=True))
    y = _scale(ends, (height - bottom, top))
    parts = [_panel_title(title, left), *_grid(ends, y, left, width - right)]
    abreast = MOST_LABELS if max(map(len, names), default=0) < 4 else 5
    parts += _labels_below(sorted(below.items()), (width - right - left) / (abreast - 1), height - 8)
    parts += [_level(name, value, y(value), (left, width - right)) for name, value in joined(baselines).items()]
    for number, one in enumerate(series):
        parts += _curve(one, number % SERIES, xs, y, names)
    known = {place: value for place, value in beside.items() if math.isfinite(value)}
    if known:
        ends_beside = around(known.values())
        right_y = _scale(ends_beside, (height - bottom, top))
        line = " ".join(f"{along(place):.1f},{right_y(value):.1f}" for place, value in sorted(known.items()))
        parts.append(f'<polyline class="beside" {_dash("task")} points="{line}"/>')
        parts += [_text("axis", width - 4, right_y(tick) + 3, _on_axis(tick), "end") for tick in ticks(*ends_beside, 4)]
    return _drawing(f"{title}: {_in_words(series, names)}", width, height, parts)


def points(
    lines: Sequence[str], series: Sequence[Series], baselines: Mapping[str, Sequence[float]], unit: str
) -> Markup:
    """Draws for each line and series a point, its interval, crosses for baselines; strokes for those of lines.

    Args:
        lines: names at the left.
        baselines: by name, a value for each line.
        unit: what the axis says.
    """
    of_series = [side for one in series for side in (one.low, one.high, *one.baselines.values())]
    known = [*of_series, *baselines.values()]
    ends = around(value for values in known for value in values)
    left, width, row = 14 + LETTER * min(max(map(len, lines)), LONGEST_NAME), 720, 14 + 9 * len(series)
    height = 44 + row * len(lines)
    x = _scale(ends, (left, width - 14))
    parts = [
        part
        for tick in ticks(*ends, 8)
        for part in (
            f'<line class="rule" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="6" y2="{height - 36}"/>',
            _text("axis", x(tick), height - 22, _on_axis(tick)),
        )
    ]
    parts.append(_text("axis", width - 14, height - 6, unit, "end"))
    for place, name in enumerate(lines):
        middle = 6 + row * (place + 0.5)
        parts.append(_text("axis", left - 8, middle + 4, cut(name, LONGEST_NAME), "end"))
        for baseline, value in joined({name: values[place] for name, values in baselines.items()}).items():
            ends_of_line = (middle - row / 2 + 2, middle + row / 2 - 2)
            parts.append(_level(baseline, value, x(value), ends_of_line, "y"))
        for number, one in enumerate(series):
            y = middle + 9 * (number - (len(series) - 1) / 2)
            for baseline, values in one.baselines.items():
                if math.isfinite(values[place]):
                    said = f"{name}, {one.name}: {values[place]:.1f}"
                    parts.append(_cross(baseline, f" s{number % SERIES}", x(values[place]), y, said))
            parts += _whisker(one, place, number % SERIES, x, y, name)
    return _drawing(f"{unit}: {_in_words(series, lines)}", width, height, parts, "fixed")


def heat_map(
    title: str,
    lines: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    like: Sequence[Sequence[float]] = (),
    narrowest: float = 0.0,
) -> Markup:
    """Draws a cell for each line and column, its colour from the lowest to the highest value, NaN left blank.

    Args:
        like: the values of another map, whose colours mean the same; none for a map that stands alone.
        narrowest: width of the scale of colours where the values have a smaller range.
    """
    known = [value for line in like or values for value in line if math.isfinite(value)] or [0.0, 1.0]
    low, high = _of_colours(min(known), max(known), narrowest)
    cell = (max(40, min(150, 10 + LETTER * max(map(len, columns), default=1))), 22)
    left, top = 14 + LETTER * min(max(map(len, lines), default=1), LONGEST_NAME), 24
    parts = [_text("axis", left + cell[0] * (place + 0.5), top - 8, name) for place, name in enumerate(columns)]
    for number, (name, line) in enumerate(zip(lines, values, strict=True)):
        parts.append(_text("axis", left - 6, top + cell[1] * (number + 0.5) + 4, cut(name, LONGEST_NAME), "end"))
        for place, value in enumerate(line):
            if math.isfinite(value):
                parts.append(_cell(value, (low, high), left + cell[0] * place, top + cell[1] * number, cell))
    bottom = top + cell[1] * len(lines) + 8
    parts += [
        f'<rect class="c{shade}" x="{left + 12 * shade:.1f}" y="{bottom}" width="12" height="10"/>'
        for shade in range(SHADES)
    ]
    highest = max(abs(low), abs(high))
    key = f"colours: {_in_cell(low, highest)} to {_in_cell(high, highest)}"
    parts.append(_text("axis", left + 12 * SHADES + 6, bottom + 9, key, "start"))
    size = left + max(cell[0] * len(columns), 12 * SHADES + 6 + LETTER * len(key)) + 4, bottom + 14
    return _drawing(f"{title}: colours from {low:.2f} to {high:.2f}", *size, parts, "fixed")


def histogram(title: str, edges: Sequence[float], counts: Sequence[int]) -> Markup:
    """Draws a panel: a bar for each count between two edges, those below 0 in another colour, and a line at 0."""
    (width, height), left, right, top, bottom = PANEL, 32, 14, 22, 24
    ends = (0.0, 1.05 * max(*counts, 1))
    x = _scale((edges[0], edges[-1]), (left, width - right))
    y = _scale(ends, (height - bottom, top))
    parts = [_panel_title(title, left), *_grid(ends, y, left, width - right)]
    bars = [*zip(edges, edges[1:], counts, strict=False)]
    for low, high, count in (one for one in bars if one[2]):
        place = f'x="{x(low):.1f}" y="{y(count):.1f}" width="{x(high) - x(low) - 0.5:.1f}"'
        size = f'height="{y(0) - y(count):.1f}" class="mark s{0 if low >= 0 else 1}"'
        parts.append(f"<rect {place} {size}><title>{low:g} to {high:g}: {count}</title></rect>")
    parts += [_text("axis", x(tick), height - 8, _on_axis(tick)) for tick in ticks(edges[0], edges[-1])]
    if edges[0] <= 0 <= edges[-1]:
        parts.append(_level("0", 0, x(0), (top, height - bottom), "y"))
    said = ", ".join(f"{low:g} to {high:g} {count}" for low, high, count in bars)
    return _drawing(f"{title}: {said}", width, height, parts)


def stacked(
    lines: Sequence[str],
    names: Sequence[str],
    counts: Sequence[Sequence[float]],
    colours: Sequence[str] = SERIES_OF_PARTS,
) -> Markup:
    """Draws a bar for each line, in parts of the names that are as long as their shares of the line.

    Args:
        lines: names at the left.
        names: of the parts.
        counts: of each line and part.
        colours: classes of page.css, in turn.
    """
    left, width, row = 14 + LETTER * min(max(map(len, lines), default=1), LONGEST_NAME), 720, 20
    parts = []
    for number, (line, of_line) in enumerate(zip(lines, counts, strict=True)):
        top, start = 4 + row * number, left
        parts.append(_text("axis", left - 8, top + 12, cut(line, LONGEST_NAME), "end"))
        for place, (name, count) in enumerate(zip(names, of_line, strict=True)):
            if not count:
                continue
            length = (width - 4 - left) * count / sum(of_line)
            box = f'x="{start:.1f}" y="{top}" width="{max(length - 0.7, 0.3):.1f}" height="{row - 5}"'
            title = f"<title>{escape(shown(f'{line}, {name}: {count:,g}'))}</title>"
            parts.append(f'<rect class="mark {colours[place % len(colours)]}" {box}>{title}</rect>')
            start += length
    rows = zip(lines, counts, strict=True)
    said = "; ".join(
        f"{line} " + ", ".join(f"{name} {count:g}" for name, count in zip(names, of_line, strict=True) if count)
        for line, of_line in rows
    )
    return _drawing(said, width, 4 + row * len(lines), parts, "fixed")


def key_of_parts(names: Sequence[str], colours: Sequence[str] = SERIES_OF_PARTS) -> Markup:
    """Returns the key of stacked bars."""
    svg = '<svg aria-hidden="true" viewBox="0 0 12 12" width="12" height="12" class="fixed">{}</svg>'
    box = '<rect class="mark {}" width="12" height="12"/>'
    marks = [box.format(colours[place % len(colours)]) for place in range(len(names))]
    return Markup("").join(
        Markup(f"<li>{svg.format(mark)} {escape(shown(name))}</li>") for mark, name in zip(marks, names, strict=True)
    )


def legend(names: Sequence[str], baselines: Iterable[str]) -> Markup:
    """Returns the key of a figure: the marker of each series and the line of each baseline, with their names."""
    entries = [(_shape(number % SERIES, 12, 8), name) for number, name in enumerate(names)]
    for name in baselines:
        cross = _cross(name, "", 12, 8) if name in _CROSSES else ""
        entries.append((f'<line class="base" {_dash(name)} x1="0" x2="24" y1="8" y2="8"/>{cross}', name))
    svg = '<svg aria-hidden="true" viewBox="0 0 24 16" width="24" height="16" class="fixed">{}</svg>'
    return Markup("").join(Markup(f"<li>{svg.format(mark)} {escape(shown(name))}</li>") for mark, name in entries)


def around(values: Iterable[float]) -> tuple[float, float]:
    """Returns the ends of an axis a little beyond all values; of percentages they seldom leave 0 to 100."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    margin = (max(known) - min(known)) * 0.06 or 0.5
    return min(known) - margin, max(known) + margin


def _on_axis(number: float) -> str:
    """Writes the number of a tick, which has room for four signs: 15000 is "15k"."""
    in_thousands = abs(number) >= 10_000
    return f"{number / 1000 if in_thousands else number:g}{'k' if in_thousands else ''}"


def _panel_title(title: str, left: float) -> str:
    """Writes the name of a panel; of a long one both ends, since counts stand behind it."""
    half = LONGEST_TITLE // 2
    short = title if len(title) <= LONGEST_TITLE else f"{title[:half]}…{title[-half:]}"
    return _text("panel", left, 13, short, "start")


def _scale(ends: tuple[float, float], places: tuple[float, float]):
    (low, high), (start, end) = ends, places
    return lambda value: start + (value - low) / ((high - low) or 1) * (end - start)


def _grid(ends: tuple[float, float], y, left: float, right: float) -> list[str]:
    return [
        f'<line class="rule" x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        + _text("axis", left - 4, y(tick) + 3, _on_axis(tick), "end")
        for tick in ticks(*ends)
    ]


def _labels_below(labels: Iterable[tuple[float, str]], room: float, y: float) -> list[str]:
    """Writes the labels of an axis, without those that are nearer to the last written one than the room of a label."""
    written, free = [], -math.inf
    for x, label in labels:
        if x >= free:
            written.append(_text("axis", x, y, label))
            free = x + room - 1e-6
    return written


def _curve(one: Series, colour: int, xs: Sequence[float], y, labels: Sequence[str]) -> list[str]:
    places = [place for place, value in enumerate(one.values) if math.isfinite(value)]
    if not places:
        return []
    upper = [f"{xs[place]:.1f},{y(one.high[place]):.1f}" for place in places]
    lower = [f"{xs[place]:.1f},{y(one.low[place]):.1f}" for place in reversed(places)]
    line = " ".join(f"{xs[place]:.1f},{y(one.values[place]):.1f}" for place in places)
    has_band = any(one.low[place] != one.high[place] for place in places)
    band = [f'<polygon class="band s{colour}" points="{" ".join([*upper, *lower])}"/>'] if has_band else []
    dots = [
        _shape(colour, xs[place], y(one.values[place]), f"{one.name}, {labels[place]}: {_interval(one, place)}")
        for place in places
    ]
    baselines = [
        part for name, values in one.baselines.items() for part in _baseline(name, values, colour, xs, y, labels)
    ]
    return [*band, *baselines, f'<polyline class="line s{colour}" points="{line}"/>', *dots]


def _baseline(
    name: str, values: Sequence[float], colour: int, xs: Sequence[float], y, labels: Sequence[str]
) -> list[str]:
    known = [place for place, value in enumerate(values) if math.isfinite(value)]
    line = "L".join(f"{xs[place]:.1f} {y(values[place]):.1f}" for place in known)
    marked = known if name in _CROSSES else []
    crosses = [
        _cross(name, f" s{colour}", xs[place], y(values[place]), f"{labels[place]}: {values[place]:.1f}")
        for place in marked
    ]
    return [*([f'<path class="base s{colour}" {_dash(name)} d="M{line}"/>'] if known else []), *crosses]


def _cross(baseline: str, colour: str, x: float, y: float, said: str = "") -> str:
    """Draws the marker of a baseline; a stroke for those that have none."""
    title = f"<title>{escape(shown(f'{baseline}, {said}'))}</title>" if said else ""
    drawn = f'd="{_CROSSES[baseline]}"' if baseline in _CROSSES else f'd="M0-4v8" {_dash(baseline)}'
    return f'<path class="base{colour}" transform="translate({x:.1f} {y:.1f})" {drawn}>{title}</path>'


def _whisker(one: Series, place: int, colour: int, x, y: float, line: str) -> list[str]:
    if not math.isfinite(one.values[place]):
        return []
    ends = f'x1="{x(one.low[place]):.1f}" x2="{x(one.high[place]):.1f}" y1="{y:.1f}" y2="{y:.1f}"'
    said = f"{line}, {one.name}: {_interval(one, place)}"
    return [f'<line class="line s{colour}" {ends}/>', _shape(colour, x(one.values[place]), y, said)]


def _interval(one: Series, place: int) -> str:
    ends = one.low[place], one.high[place]
    return f"{one.values[place]:.1f}" + (f" [{ends[0]:.1f}, {ends[1]:.1f}]" if ends[0] != ends[1] else "")


def _shape(colour: int, x: float, y: float, said: str = "") -> str:
    start = _SHAPES[colour].format(x=x, y=y, l=x - 2.8, t=y - 2.8, b=y + 2.8)
    title = f"<title>{escape(shown(said))}</title>" if said else ""
    return f'{start} class="mark s{colour}">{title}</{start[1 : start.index(" ")]}>'


def _level(name: str, value: float, place: float, ends: tuple[float, float], across: str = "x") -> str:
    """Draws a line at a value of one axis, across the other ("x") from end to end."""
    along = "y" if across == "x" else "x"
    places = f'{along}1="{place:.1f}" {along}2="{place:.1f}" {across}1="{ends[0]:.1f}" {across}2="{ends[1]:.1f}"'
    return f'<line class="base" {_dash(name)} {places}><title>{escape(shown(name))} {value:.1f}</title></line>'


def _dash(name: str) -> str:
    return f'stroke-dasharray="{_DASHES.get(name.partition(" = ")[0], "4 2")}"'


def _of_colours(low: float, high: float, narrowest: float) -> tuple[float, float]:
    """Returns the ends of a scale around values, in 0 to 100 if these are."""
    spare = max(narrowest - (high - low), 0.0) / 2
    shift = max(spare - low, 0.0) if low >= 0 else 0.0
    shift -= max(high + spare - 100, 0.0) if high <= 100 else 0.0
    return low - spare + shift, high + spare + shift


def _in_cell(value: float, highest: float) -> str:
    return f"{value:.1f}" if highest > MOST_OF_FRACTIONS else f"{value:.2f}"


def _cell(value: float, ends: tuple[float, float], x: float, y: float, size: tuple[float, float]) -> str:
    share = (value - ends[0]) / ((ends[1] - ends[0]) or 1)
    shade = min(SHADES - 1, max(0, int(share * SHADES)))
    written = _in_cell(value, max(map(abs, ends)))
    box = f'<rect class="c{shade}" x="{x:.1f}" y="{y:.1f}" width="{size[0] - 1:.1f}" height="{size[1] - 1}"/>'
    return box + _text(f"cell c{shade}", x + size[0] / 2, y + size[1] / 2 + 4, written)


def joined(baselines: Mapping[str, Value]) -> dict[str, Value]:
    """Joins the names of equal baselines: at the type level the memoriser knows no more than the majority.

    Args:
        baselines: by name a value, or the values of all lines.
    """
    names: dict[Value, list[str]] = {}
    for name, value in baselines.items():
        if value == value:  # not NaN
            names.setdefault(value, []).append(name)
    return {" = ".join(of_value): value for value, of_value in names.items()}


def _in_words(series: Sequence[Series], labels: Sequence[str]) -> str:
    return "; ".join(
        f"{one.name} " + ", ".join(f"{label} {value:.1f}" for label, value in zip(labels, one.values, strict=True))
        for one in series
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(shown(text))}</text>'


def _drawing(said: str, width: float, height: float, parts: Iterable[str], kind: str = "") -> Markup:
    size = f'width="{width:.0f}" height="{height:.0f}"' if kind else ""
    box = f'viewBox="0 0 {width:.0f} {height:.0f}" {size} class="{kind}"'
    return Markup(f'<svg role="img" aria-label="{escape(shown(said))}" {box}>{"".join(map(str, parts))}</svg>')
