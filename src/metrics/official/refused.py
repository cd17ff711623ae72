"""Where an official scorer stops, so do we."""

from pathlib import Path

from src.errors import PolyprobeError


class RefusedByScorer(PolyprobeError):
    """The official scorer stops on these files.

    Args:
        scorer: as a reader knows it ("CoNLL-2009").
        path: the file at fault.
        line: its number, from 1; one beyond the last where the file ends too early.
        found: what stands there, as a clause.
        expected: what should stand there, as a clause without a full stop.
    """

    def __init__(self, scorer: str, path: Path, line: int, found: str, expected: str):
        super().__init__(f"{path}, line {line}: {found}. The {scorer} scorer stops here. Expected {expected}.")
        self.path, self.line = path, line
