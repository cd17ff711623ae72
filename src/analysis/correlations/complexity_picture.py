"""Draws accuracy by morphological complexity: a point for each language."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from src.analysis.correlations.complexity import LanguageAccuracy, correlation_of, p_in_words, written_rho
from src.analysis.pictures.panels import COLOURS, new_figure, save_figure


def draw_complexity(languages: Sequence[LanguageAccuracy], path: Path) -> list[Path]:
    """Writes the picture of `complexity_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(complexity_figure(languages), path)


def complexity_figure(languages: Sequence[LanguageAccuracy]) -> Figure:
    """Draws average accuracy by complexity, a named point for each language; the coefficient stands above."""
    first, found = languages[0], correlation_of(languages)
    figure = new_figure(5.5, 4.2)
    axes = figure.add_subplot()
    accuracies = [100 * one.accuracy for one in languages]
    axes.plot([one.complexity for one in languages], accuracies, marker="o", color=COLOURS[0], linestyle="none")
    for one, accuracy in zip(languages, accuracies, strict=True):
        axes.annotate(one.language, (one.complexity, accuracy), (6, 4), textcoords="offset points")
    axes.set(xlabel="morphological complexity", ylabel="average accuracy (%)", ylim=(min(45, *accuracies) - 2, 102))
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    said = f"rho = {written_rho(found.rho)}, n = {len(languages)}, {p_in_words(found)}"
    figure.suptitle(f"Complexity and accuracy: {first.suite}, {first.predictor}\nSpearman's {said}", fontsize=11)
    return figure
