"""What another program computes for polyprobe: where it lies, and the list of what it still has to compute."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.formats.reading.lines import write_lines

PAGE = "docs/elsewhere.md"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class ComputedElsewhere:
    """A folder of vectors or a file of log-probabilities that another program writes."""

    path: Path
    unit: str
    """What it has numbers of ("items")."""
    missing: Path
    """The file in which those without numbers are listed, a line each."""
    line: Callable[[Any], str]
    """Writes one."""

    def lacking(self, absent: Sequence[Any], n_all: int) -> PolyprobeError:
        """Returns the error that names some of what has no numbers; nothing is written.

        Args:
            absent: distinct ones, at least one.
            n_all: how many are needed.
        """
        return PolyprobeError(f"{self._found(absent, n_all)}. Compute and add them ({PAGE}).")

    def listed_as_lacking(self, absent: Sequence[Any], n_all: int) -> PolyprobeError:
        """Lists what has no numbers, and returns the error that says where.

        Only where the user names the place in this command: a file of another run would choose where is written.

        Args:
            absent, n_all: see `lacking`.
        """
        found = self._found(absent, n_all)
        try:
            self.missing.parent.mkdir(exist_ok=True)
            write_lines(map(self.line, absent), self.missing)
        except (OSError, PolyprobeError) as error:
            return PolyprobeError(f"{found}. They cannot be listed in {self.missing}: {error}")
        return PolyprobeError(f"{found}. All are listed in {self.missing}: compute and add them ({PAGE}).")

    def _found(self, absent: Sequence[Any], n_all: int) -> str:
        named = ", ".join(map(self.line, absent[:_NAMED])) + (" …" if len(absent) > _NAMED else "")
        return f"{self.path} lacks {len(absent):,} of {n_all:,} {self.unit}: {named}"


class NothingComputed(PolyprobeError):
    """There is nothing yet of what another program is to compute.

    Attributes:
        place: where it is expected.
    """

    def __init__(self, place: ComputedElsewhere, found: str):
        super().__init__(found)
        self.place = place
