"""polyprobe as a library, `import polyprobe as pp`: what the commands do, as functions that return finished runs.

Importing it imports nothing else. A function is imported when it is first used, torch when a model first computes.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_NAMES = {
    "library.functions": (
        "probe",
        "export_vectors",
        "score_downstream_tasks",
        "score_minimal_sets",
        "train",
        "generate",
        "neurons",
        "similarity",
    ),
    "library.finished": ("Comparison", "Run", "cite", "compare", "list_runs", "open_run", "report"),
    "probing.kept_probe": ("load_probe",),
    "library.models": ("encoder", "predictor"),
    "errors": ("PolyprobeError",),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'polyprobe' has no attribute {name!r}. Known: {', '.join(__all__)}.", name=name)
    return getattr(import_module(f"polyprobe.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
