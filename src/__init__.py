"""polyprobe as a library, `import polyprobe as pp`: what the commands do, as functions that return finished runs.

Importing it imports nothing else. A function is imported when it is first used, torch when a model first computes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers
    from polyprobe.errors import PolyprobeError
    from polyprobe.library.finished import Comparison, Run, cite, compare, list_runs, open_run, report
    from polyprobe.library.functions import (
        export_vectors,
        generate,
        neurons,
        probe,
        score_downstream_tasks,
        score_minimal_sets,
        similarity,
        train,
    )
    from polyprobe.library.models import encoder, predictor
    from polyprobe.probing.kept_probe import load_probe

__version__ = "0.1.0"
__all__ = [
    "Comparison",
    "PolyprobeError",
    "Run",
    "cite",
    "compare",
    "encoder",
    "export_vectors",
    "generate",
    "list_runs",
    "load_probe",
    "neurons",
    "open_run",
    "predictor",
    "probe",
    "report",
    "score_downstream_tasks",
    "score_minimal_sets",
    "similarity",
    "train",
]
_MODULES = {
    "PolyprobeError": "errors",
    "encoder": "library.models",
    "load_probe": "probing.kept_probe",
    "predictor": "library.models",
    **dict.fromkeys(("Comparison", "Run", "cite", "compare", "list_runs", "open_run", "report"), "library.finished"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'polyprobe' has no attribute {name!r}. Known: {', '.join(__all__)}.", name=name)
    import random  # later than `python -m polyprobe` takes its folder off `sys.path`

    before = random.getstate()
    try:
        return getattr(import_module(f"polyprobe.{_MODULES.get(name, 'library.functions')}"), name)
    finally:
        random.setstate(before)  # packages draw from it while they are imported


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
