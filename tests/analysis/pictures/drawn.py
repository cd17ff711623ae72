"""What a test reads off a picture: its lines, bands and legend."""


def lines(axes) -> dict[str, tuple[list, list]]:
    """Returns the points of every named line."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}


def marked_with(axes, marker: str) -> list:
    """Returns the lines with points of this marker."""
    return [line for line in axes.lines if line.get_marker() == marker and len(line.get_xdata())]


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]
