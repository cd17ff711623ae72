"""The command that computes a published number."""

from functools import cache

from src.analysis.published.published_cells import PublishedCell
from src.analysis.published.study_settings import command_of_study, composed_study
from src.errors import UnknownChoice
from src.runs.names.conf_folders import choice_files, choice_settings

GIVEN = ("encoder", "predictor")  # groups whose choices may need a file or a run that only the user has
VECTORS = "${oc.select:vectors}"


def command_of(cell: PublishedCell) -> str | None:
    """Returns what is typed for a cell, with `<…>` for what only the user knows; None where there is no study yet.

    Of a probed model `<…>` holds how it is trained: `encoder.run=<train.py experiment=senteval_table3_nli …>`.
    """
    if not cell.experiment or cell.experiment not in choice_files("experiment"):
        return None
    made = {**composed_study(cell.experiment, ()).choices, **cell.choices}
    run = (
        f"<train.py {' '.join([f'experiment={cell.training.experiment}', *cell.training.typed])}>"
        if cell.training
        else ""
    )
    needed = [
        f"{key}={run if key.endswith('.run') and run else f'<{name}>'}"
        for group in GIVEN
        if isinstance(made.get(group), str)
        for key, name in _keys_to_give(group, made[group])
        if key not in cell.choices
    ]
    command = f"python {command_of_study(cell.experiment)}.py experiment={cell.experiment}"
    return " ".join([command, *cell.typed, *needed])


@cache
def _keys_to_give(group: str, choice: str) -> tuple[tuple[str, str], ...]:
    """Returns the keys that a choice leaves to the user, and what to call their values."""
    try:
        settings = choice_settings(group, choice)
    except UnknownChoice:
        return ()
    missing = [(f"{group}.{key}", key) for key, value in settings.items() if value == "???"]
    return (*missing, *((("vectors", "vectors"),) if VECTORS in settings.values() else ()))
