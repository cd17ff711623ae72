"""Checks that runs whose scores are averaged differ in their seeds only."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from src.analysis.correlations.encoder_scores import EncoderScores
from src.errors import PolyprobeError
from src.runs.directory import RunDirectory
from src.runs.names.identity import differing, seedless_settings

MOST_KEYS = 3  # that are named
HOW_TO_CHOOSE = (
    "Only runs that differ in their seed are averaged. Move those that do not count out of the folder runs/, "
    "or give two tables of scores: correlate=[probing.csv,downstream.csv]."
)
ABSENT = "absent"


def check_averages(
    probing: Sequence[EncoderScores],
    downstream: Sequence[EncoderScores],
    folders: Mapping[str, Path],
    apart_from: Collection[str],
) -> None:
    """Checks the runs behind each score that is correlated: of encoders with both scores in a language.

    Args:
        probing, downstream: scores with their runs.
        folders: of the runs, by their names.
        apart_from: keys in which the runs may differ, too.

    Raises:
        PolyprobeError: runs that are averaged differ in more than their seeds, or one has no readable configuration.
    """
    on_both_sides = _encoders(probing) & _encoders(downstream)
    pairs: dict[tuple[str, str], str] = {}  # each is read once, however many tests it has
    for one in [*probing, *downstream]:
        for encoder, (first, *others) in one.runs.items():
            for other in others if (one.lang, encoder) in on_both_sides else ():
                pairs.setdefault((first, other), f"{one.name} of {encoder} in {one.lang}")
    for (first, second), subject in pairs.items():
        _check_alike(subject, first, second, folders, apart_from)


def _encoders(scores: Sequence[EncoderScores]) -> set[tuple[str, str]]:
    return {(one.lang, encoder) for one in scores for encoder in one.runs}


def _check_alike(
    subject: str, first: str, second: str, folders: Mapping[str, Path], apart_from: Collection[str]
) -> None:
    one, other = (seedless_settings(_configuration(subject, run, folders)) for run in (first, second))
    found = {key: pair for key, pair in differing(one, other, ABSENT).items() if key not in apart_from}
    if found:
        named = [f"{key} ({values[0]}, {values[1]})" for key, values in list(found.items())[:MOST_KEYS]]
        more = f" and {len(found) - MOST_KEYS} more" if len(found) > MOST_KEYS else ""
        raise PolyprobeError(f"{subject}: {first} and {second} differ in {', '.join(named)}{more}. {HOW_TO_CHOOSE}")


def _configuration(subject: str, run: str, folders: Mapping[str, Path]) -> Mapping[str, Any]:
    try:
        return RunDirectory(folders[run]).configuration()
    except (KeyError, FileNotFoundError) as error:
        raise PolyprobeError(
            f"{subject}: several runs, and no config.yaml that can be read in a folder named {run}. {HOW_TO_CHOOSE}"
        ) from error
