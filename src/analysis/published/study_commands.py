"""The command that computes a published number."""

from functools import cache

from src.analysis.published.published_cells import PublishedCell
from src.analysis.published.study_settings import choices_of_study
from src.errors import UnknownChoice
from src.runs.command.overrides import choices
from src.runs.names.conf_folders import choice_files, choice_settings

COMMANDS = ("train", "probe", "generate", "analyze")
GIVEN = ("encoder", "predictor")  # groups whose choices may need a file or a run that only the user has


def command_of(cell: PublishedCell) -> str | None:
    """Returns what is typed for a cell, with `<…>` for what only the user knows; None where there is no study yet."""
    if not cell.experiment or cell.experiment not in choice_files("experiment"):
        return None
    made = {**choices_of_study(cell.experiment), **cell.choices}
    typed = [f"{key}={value}" for key, value in cell.choices.items()]
    needed = [
        f"{group}.{key}=<{key}>"
        for group in GIVEN
        if group in made
        for key in _keys_to_give(group, made[group])
        if f"{group}.{key}" not in cell.choices
    ]
    return " ".join([f"python {_command(cell.experiment)}.py experiment={cell.experiment}", *typed, *needed])


@cache
def _command(experiment: str) -> str:
    return next(name for name in COMMANDS if experiment in choices("experiment", name))


@cache
def _keys_to_give(group: str, choice: str) -> tuple[str, ...]:
    try:
        settings = choice_settings(group, choice)
    except UnknownChoice:
        return ()
    return tuple(key for key, value in settings.items() if value == "???")
