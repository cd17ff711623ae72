"""Which values that an experiment expects are about a run: by its choices, or those of the run that it probed."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.analysis.results.probed_training import best_epoch, choice_or_setting, trained_runs
from src.runs.directory import RunDirectory

WHERE = "where"


def expected_of_run(expected: Mapping[str, Any], run: RunDirectory) -> dict[str, Any]:
    """Leaves the entries of `expected["rows"]` whose `where` the run meets, without it.

    `where` names choices and settings: {model: bilstm_max, objective: nmt, data.target: fr}. A run meets it by its own
    configuration or, where it probed a checkpoint, by that of the run that trained it. What is expected of a checkpoint
    is compared at the best epoch of its training, where several were probed.

    Args:
        expected: as conf/experiment/*.yaml has it.
        run: a finished one.
    """
    if not any(WHERE in entry for entry in expected["rows"]):
        return dict(expected)
    own = run.configuration()
    trained = next(iter(trained_runs(own)), None)
    configurations = [own, *([trained.configuration_if_any()] if trained else [])]
    kept = [entry for entry in expected["rows"] if _is_met(entry.get(WHERE, {}), configurations)]
    epoch = best_epoch(trained, run.rows()) if trained else {}
    return {**expected, "rows": [{**epoch, **_without_where(entry)} for entry in kept]}


def _is_met(where: Mapping[str, Any], configurations: Sequence[Mapping[str, Any]]) -> bool:
    return all(any(choice_or_setting(one, key) == value for one in configurations) for key, value in where.items())


def _without_where(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Names the entry by what it is about, in place of `where`."""
    row = " ".join(map(str, entry.get(WHERE, {}).values()))
    return {**({"row": row} if row else {}), **{key: value for key, value in entry.items() if key != WHERE}}
