"""In which settings a run differs from the study that a published number belongs to."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from src.analysis.published.published_cells import PublishedCell
from src.errors import UnknownChoice
from src.runs.names.conf_folders import choice_files, choice_settings, file_content

COMPARED = ("model", "objective", "decoder", "optimizer", "task", "probe", "suite", "encoder", "predictor")
ALSO_COMPARED = ("trainer.max_epochs", "trainer.early_stopping", "ties", "unknown_focus", "protocol", "rules")
WITHOUT_NUMBERS = (
    "seed",
    "device",
    "accelerator",
    "threads",
    "token_budget",
    "batch_words",
    "scorer",
    "files",
    "notes",
)
_AT_ROOT = "# @package _global_"


def other_settings(configuration: Mapping[str, Any], cell: PublishedCell) -> list[str]:
    """Names the choices and settings in which a run differs from the study of a cell: "model.hidden_size 10, not 300".

    What the study is can be read without Hydra: the files of the choices that the run made, then the file of the study.
    What is typed beside it is met. Interpolated values, those that only the user knows, seeds and what changes no
    number are not compared; nor is what an earlier version did not know.

    Args:
        configuration: of a run that the cell's choices are met by.
        cell: of a study.
    """
    chosen = {group: one for group, one in configuration.get("choices", {}).items() if isinstance(one, str)}
    wanted = {**choices_of_study(cell.experiment), **{key: one for key, one in cell.choices.items() if key in chosen}}
    others = [
        f"{group} {chosen[group]}, not {one}"
        for group, one in wanted.items()
        if group in COMPARED and group in chosen and chosen[group] != one
    ]
    expected = {key: value for key, value in _expected(chosen, cell.experiment) if key not in cell.choices}
    found = dict(_flat(configuration))
    return others or [
        f"{key} {found[key]}, not {value}" for key, value in expected.items() if key in found and found[key] != value
    ]


@cache
def choices_of_study(experiment: str) -> Mapping[str, str]:
    """Returns the choices that a study makes, itself or in the one it builds upon: {"task": "sentence"}."""
    if experiment not in choice_files("experiment"):
        return {}
    made: dict[str, str] = {}
    for entry in (file_content(choice_files("experiment")[experiment]) or {}).get("defaults", ()):
        if isinstance(entry, Mapping):
            for key, choice in entry.items():
                made[key.removeprefix("override ").removeprefix("/")] = choice
        elif entry != "_self_":
            made |= choices_of_study(entry)
    return made


def _expected(chosen: Mapping[str, str], experiment: str) -> Iterator[tuple[str, Any]]:
    """Yields the settings of the choices, then those of the study: the last of a key counts."""
    at_root = [group for group, one in chosen.items() if _is_at_root(group, one)]
    for group in sorted(chosen, key=lambda one: one in at_root):
        if group != "experiment":
            yield from _of_choice(group, chosen[group], "" if group in at_root else f"{group}.")
    if experiment:
        yield from _of_choice("experiment", experiment, "")


@cache
def _is_at_root(group: str, choice: str) -> bool:
    files = choice_files(group)
    return group == "task" or (choice in files and files[choice].read_text(encoding="utf-8").startswith(_AT_ROOT))


def _of_choice(group: str, choice: str, prefix: str) -> Iterator[tuple[str, Any]]:
    try:
        settings = choice_settings(group, choice)
    except UnknownChoice:
        return  # a choice of the user's own, or of an earlier version
    for key, value in _flat(settings, prefix):
        if _is_compared(key) and not (isinstance(value, str) and ("${" in value or value == "???")):
            yield key, value


def _is_compared(key: str) -> bool:
    last = key.rpartition(".")[2]
    is_of_study = key.partition(".")[0] in COMPARED or key in ALSO_COMPARED
    return is_of_study and last not in WITHOUT_NUMBERS and not last.startswith("_")


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
