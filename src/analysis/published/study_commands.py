"""The command that computes a published number."""

from functools import cache

from src.analysis.published.published_cells import PublishedCell
from src.analysis.published.study_settings import choices_of_study
from src.errors import UnknownChoice
from src.runs.command.overrides import choices
from src.runs.names.conf_folders import choice_files, choice_settings

COMMANDS = ("train", "probe", "generate", "analyze")
OF_TRAINING = ("model", "objective", "data.")  # how choices begin that the training of a probed model makes
GIVEN = ("encoder", "predictor")  # groups whose choices may need a file or a run that only the user has


def command_of(cell: PublishedCell) -> str | None:
    """Returns what is typed for a cell, with `<…>` for what only the user knows; None where there is no study yet.

    Of a probed model `<…>` holds the choices of its training: `encoder.run=<train.py model=bilstm_max objective=nli>`.
    """
    if not cell.experiment or cell.experiment not in choice_files("experiment"):
        return None
    command = _command(cell.experiment)
    made = {**choices_of_study(cell.experiment), **cell.choices}
    typed = {key: f"{key}={value}" for key, value in cell.choices.items() if value != "null"}
    of_training = [key for key in typed if command == "probe" and key.startswith(OF_TRAINING)]
    run = f"<train.py {' '.join(typed.pop(key) for key in of_training)}>" if of_training else "<run>"
    needed = [
        f"{group}.{key}={run if key == 'run' else f'<{key}>'}"
        for group in GIVEN
        if group in made
        for key in _keys_to_give(group, made[group])
        if f"{group}.{key}" not in cell.choices
    ]
    return " ".join([f"python {command}.py experiment={cell.experiment}", *typed.values(), *needed])


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
