"""What is typed for analyze.py and would have no effect: refused, so that nobody takes an answer for another one."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from src.runs.command.overrides import refuse_idle

_SCORE = {"score": "score=bleu, conll09, spans or ud"}
_CORRELATE = {"correlate": "correlate=runs, published_linspector, …"}
_NEURONS, _SIMILARITY = {"neurons": "neurons=<run>"}, {"similarity": "similarity=[<run>,…]"}
_OF_ITEMS = {
    "compare": "compare=[<run>,<run>]",
    "layers": "layers=<run>",
    "confusion": "confusion=<run>",
    **_NEURONS,
    **_SIMILARITY,
}
OF_JOBS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(["gold", "system"], _SCORE),
        **dict.fromkeys(["claims", "correction", "except_encoders", "layer_of"], _CORRELATE),
        "confirm": {"clean": "clean=<run> or caches", **_NEURONS},
        "rule": {"compare": "compare=[<run>,<run>]"},
        "runs": {"complexity": "complexity=<table>"},
        "tests": _OF_ITEMS,
        "of_neurons": _NEURONS,
        "of_similarity": _SIMILARITY,
    }
)
"""The keys that say something of some jobs alone: by the job, how that is typed."""


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that the keys typed on the command line are about the job that is done.

    Args:
        config: the resolved configuration of conf/analyze.yaml.
        typed: as typed, "tests=[Case]".

    Raises:
        PolyprobeError: a key has no effect.
    """
    idle = {key: jobs for key, jobs in OF_JOBS.items() if all(config[job] is None for job in jobs)}
    refuse_idle(typed, {key: f" alone. Expected {' or '.join(jobs.values())}, too." for key, jobs in idle.items()})
