"""A file per command; what starts one imports this first.

A Python without the packages is refused at once, before the first import that would fail. Where the command is typed
may lie what came with somebody's data, files or folders with names of modules: `python -m`, which looks for modules
there before all else, does not here.
"""

import os
import sys
from importlib.util import find_spec


def _is_of_python_m() -> bool:
    """Says whether the first folder of `sys.path` is there because of `python -m polyprobe`, and not for this code."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    is_by_name = sys.argv[:1] == ["-m"] or (started is not None and started.name.startswith("polyprobe."))
    is_of_code = os.path.abspath(sys.path[0]) == os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    return is_by_name and not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()) and not is_of_code


if _is_of_python_m():
    del sys.path[0]
if find_spec("hydra") is None:
    sys.exit("Packages of requirements.txt are missing here. Expected `make setup`, then `source .venv/bin/activate`.")
