"""The command that computes a published number."""

from functools import cache

from src.analysis.published.published_cells import PublishedCell, Training
from src.analysis.published.study_settings import command_of_study, composed_study
from src.errors import UnknownChoice
from src.runs.names.conf_folders import choice_files, choice_settings

GIVEN = ("encoder", "predictor")  # groups whose choices may need a file or a run that only the user has
VECTORS = "${oc.select:vectors}"


def command_of(cell: PublishedCell) -> str | None:
    """Returns what is typed for a cell, with `<…>` for what only the user knows; None where there is no study yet.

    Of a probed model `<…>` holds how it is trained: `encoder.run=<train.py experiment=senteval_table3_nli …>`,
    with what that leaves to the user in its turn.
    """
    if not cell.experiment or cell.experiment not in choice_files("experiment"):
        return None
    training = cell.training
    run = f"<{_typed(training.experiment, training, '<run>')}>" if training else "<run>"
    return f"python {_typed(cell.experiment, cell, run)}"


def _typed(experiment: str, beside: PublishedCell | Training, run: str) -> str:
    """Returns a study with what is typed beside it and, in angle brackets, what that leaves to the user."""
    made = {**composed_study(experiment, ()).choices, **beside.choices}
    needed = [
        f"{key}={run if key.endswith('.run') else f'<{name}>'}"
        for group in GIVEN
        if isinstance(made.get(group), str)
        for key, name in _keys_to_give(group, made[group])
        if key not in beside.choices
    ]
    return " ".join([f"{command_of_study(experiment)}.py experiment={experiment}", *beside.typed, *needed])


@cache
def _keys_to_give(group: str, choice: str) -> tuple[tuple[str, str], ...]:
    """Returns the keys that a choice leaves to the user, and what to call their values."""
    try:
        settings = choice_settings(group, choice)
    except UnknownChoice:
        return ()
    missing = [(f"{group}.{key}", key) for key, value in settings.items() if value == "???"]
    return (*missing, *((("vectors", "vectors"),) if VECTORS in settings.values() else ()))
