"""What the official scorers share: how they print, and the error for files on which one stops."""

from pathlib import Path

from polyprobe.errors import PolyprobeError


class RefusedByScorer(PolyprobeError):
    """The official scorer stops on these files.

    Args:
        scorer: its usual name ("CoNLL-2009").
        line: its number, from 1; one after the last if the file ends too early.
        found: what was found, as a clause.
        expected: what was expected, as a clause without a full stop.
    """

    def __init__(self, scorer: str, path: Path, line: int, found: str, expected: str):
        super().__init__(f"{path}, line {line}: {found}. The {scorer} scorer stops here. Expected {expected}.")
        self.path, self.line = path, line


def printed(value: float, decimals: int = 2) -> float:
    """Rounds as C and Python print (exact halves of the binary value to even)."""
    return float(f"{value:.{decimals}f}")
