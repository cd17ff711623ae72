"""What a dotted name stands for, and what is built from settings with a `_target_`: the one door from text to Python.

For names that users give, on the command line or in a file of conf/. A name in a file of a run may come from anywhere:
it is looked up in `polyprobe.runs.names.foreign_names` first.
"""

import functools
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError, briefly, nearest

_OF_THE_BUILDER = ("_target_", "_partial_", "_convert_")  # keys that are no options of what is built
# Packages that run what they are given: nothing of theirs is an encoder, a predictor, a suite or a probe.
_NEVER_BUILT = sys.stdlib_module_names | {"cloudpickle", "hydra", "yaml"}
_OURS = tuple(f"{folder}{os.sep}" for folder in (Path(__file__).parent, Path(__file__).resolve().parent))
_A_CLASS = "module.Class, such as mine.Length for the class Length of mine.py"


def object_at(dotted: object, key: str, expected: str = _A_CLASS) -> Any:
    """Imports what a user names; a module in the working directory is found too, where there is no other.

    Args:
        dotted: `module.name`.
        key: where the name stands, for messages ("encoder._target_").
        expected: what was expected, as a clause without a full stop.

    Raises:
        PolyprobeError: there is no such module, it cannot be imported, or it has no such name; names the nearest.
    """
    module_name, _, name = str(dotted).rpartition(".")
    try:
        _OWN_MODULES.may_be(module_name.partition(".")[0])
        is_name = all(map(str.isidentifier, module_name.split(".")))
        module = importlib.import_module(module_name) if is_name else None
    except Exception as error:  # whatever a user's module does
        # The very module is not there, or a package above it, rather than what it imports itself.
        is_missing = isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}.")
        if not is_missing:
            found = f"{type(error).__name__}: {briefly(error)}"
            raise PolyprobeError(f'{key}="{dotted}": {module_name} cannot be imported: {found}.') from error
        module = None
    if module is None:
        found = f'there is no module "{module_name}" in {Path.cwd()} or where Python looks'
        raise PolyprobeError(f'{key}="{dotted}": {found}. Expected {expected}.')
    if not hasattr(module, name):
        known = [one for one in vars(module) if not one.startswith("_")]
        raise PolyprobeError(f'{key}="{dotted}": {module_name} has no "{name}". {nearest(name, known)}')
    return getattr(module, name)


class _OwnModules:
    """Finds modules in a user's own folder, after all other finders: those that the user names, and what these import.

    The folder is not in `sys.path`: torch, transformers and others look there for what they can use (psutil, triton),
    and would run, or take for a package, whatever somebody's data has of such a name.
    """

    def __init__(self):
        self.folders: dict[str, str] = {}  # by the names of modules and packages at the top

    def may_be(self, name: str) -> None:
        """Lets a module be found in the current folder if it is found nowhere else."""
        if name.isidentifier() and name not in sys.modules and importlib.util.find_spec(name) is None:
            self.folders[name] = str(Path.cwd())
            if self not in sys.meta_path:
                sys.meta_path.append(self)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Finds a module for Python's import system."""
        folder = self.folders.get(name, self.folders.get(_importer()))
        found = None if path is not None or folder is None else PathFinder.find_spec(name, [folder])
        if found is not None:
            self.folders[name] = folder
        return found


_OWN_MODULES = _OwnModules()


def _importer() -> str:
    """Returns the module or package, at the top, of the code that asks Python's import system for a module."""
    frame, name = sys._getframe(2), "importlib"
    while frame is not None and name == "importlib":
        name, frame = str(frame.f_globals.get("__name__")).partition(".")[0], frame.f_back
    return name


def built(settings: Mapping[str, Any], key: str, **given: Any) -> Any:
    """Builds what settings say.

    Args:
        settings: `_target_`, the name of a class or function, and its keyword arguments, plain values; those that have
            a `_target_` themselves are built first. `_partial_: true`: what waits for further arguments.
        key: where the settings stand, for messages ("encoder").
        given: further keyword arguments, which no settings can say.

    Raises:
        PolyprobeError: there is no such class, it does not take these options, or they are no good to it.
        OSError: a file that it names cannot be used.
    """
    dotted = settings.get("_target_")
    target = object_at(dotted, f"{key}._target_")
    packages = {dotted.partition(".")[0], str(getattr(target, "__module__", "")).partition(".")[0]}
    if not callable(target) or packages & _NEVER_BUILT:
        raise PolyprobeError(f'{key}._target_="{dotted}" cannot be built. Expected {_A_CLASS}.')
    options = {name: _value(value, f"{key}.{name}") for name, value in settings.items() if name not in _OF_THE_BUILDER}
    if settings.get("_partial_", False):
        return functools.partial(target, **options, **given)
    try:
        return target(**options, **given)
    except PolyprobeError:
        raise
    except TypeError as error:
        raise PolyprobeError(f"{key}: {dotted} does not take these options: {error}.") from error
    except Exception as error:  # of options that nobody checked a constructor can make any exception
        if isinstance(error, OSError) and error.filename:
            raise
        found = f"{key}: {dotted} cannot be built: {type(error).__name__}: {briefly(error, 1000)}"
        advice = f"Check {key}._target_ and the options next to it, in the file of the choice or on the command line"
        raise PolyprobeError(f"{found}. {advice}.") from error


def _value(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        if "_target_" in value:
            return built(value, key)
        return {name: _value(one, f"{key}.{name}") for name, one in value.items()}
    return [_value(one, key) for one in value] if isinstance(value, list) else value


@contextmanager
def faults_told(module: str, name: str) -> Iterator[None]:
    """Tells what a user's own class or function raises: its frames on standard error, and one line as for any error.

    Args:
        module: of the class or function.
        name: of what is called, with the module, for the line ("mine.Length.encode").

    Raises:
        PolyprobeError: the block raised something else.
    """
    try:
        yield
    except PolyprobeError:
        raise
    except Exception as error:  # whatever a user's code does
        frames = traceback.extract_tb(error.__traceback__)
        outside = [frame for frame in frames if not frame.filename.startswith(_OURS)]
        for line in "".join(traceback.format_list(outside)).splitlines():
            say(line, sys.stderr)
        file = getattr(sys.modules.get(module), "__file__", None)
        places = [frame for frame in outside if frame.filename == file] or outside
        place = f" in {Path(places[-1].filename).name}, line {places[-1].lineno}" if places else ""
        raise PolyprobeError(f"{name} failed{place}: {type(error).__name__}: {briefly(error)}.") from error
