"""Installed packages that add to polyprobe by entry points: choices (`polyprobe.conf`), metrics (`polyprobe.metrics`).

Whoever installs a package trusts it, as a folder that `--config-dir` names. What merely lies where Python was started
is not installed: it may have come with somebody's data.
"""

import importlib.util
import os
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.named import object_at

CHOICES, METRICS = "polyprobe.conf", "polyprobe.metrics"
_STARTED_IN = os.path.realpath(os.curdir)  # which `python -m` has in sys.path even if the program changes folders


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of an installed distribution."""

    distribution: str
    """Name and version."""
    entry: Any
    """The entry point (`importlib.metadata.EntryPoint`): `group`, `name` and `value`."""

    def refused(self, found: str) -> PolyprobeError:
        """Returns an error that names the distribution.

        Args:
            found: what is wrong with the value, as a sentence.
        """
        place = f"{self.entry.group}: {self.entry.name} = {self.entry.value}"
        advice = f"Mend it, or remove it: pip uninstall {self.distribution.split()[0]}"
        return PolyprobeError(f"The installed package {self.distribution} ({place}): {found} {advice}")

    def folder(self) -> Path:
        """Returns the folder of the package that the value names, which is not imported; those above it are.

        Raises:
            PolyprobeError: there is none.
        """
        try:
            spec = importlib.util.find_spec(self.entry.value)
        except Exception as error:  # whatever a package does
            raise self.refused(f"it cannot be imported ({type(error).__name__}: {briefly(error)}).") from error
        places = [*((spec and spec.submodule_search_locations) or ())]
        if not places or not Path(places[0]).is_dir():
            raise self.refused("there is no such folder of a package. Expected one laid out as conf/.")
        return Path(places[0])

    def loaded(self) -> Any:
        """Returns what the value names.

        Raises:
            PolyprobeError: it cannot be imported.
        """
        try:
            return object_at(self.entry.value.replace(":", "."), self.entry.group)
        except PolyprobeError as error:
            raise self.refused(str(error)) from error


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """Returns the entry points of a group, sorted by name; of a distribution that is installed twice the first."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None) if getattr(main, "__spec__", None) is None else None
    here = {_STARTED_IN, os.path.realpath(os.curdir), script and os.path.realpath(os.path.dirname(script))}
    folders = [folder for folder in dict.fromkeys(sys.path) if os.path.realpath(folder) not in here]
    found: dict[tuple[str, str], Plugin] = {}
    for one in distributions(path=folders):
        for entry in one.entry_points.select(group=group):
            found.setdefault((one.name, entry.name), Plugin(f"{one.name} {one.version}", entry))
    return tuple(found[key] for key in sorted(found, key=lambda key: key[::-1]))
