"""What stands in the place of a file, for messages."""

from pathlib import Path

NOTHING = "there is no such file"
FOLDER = "it is a folder"


def absence(path: Path) -> str:
    """Says, as a clause, why a path that is no file is none."""
    return FOLDER if path.is_dir() else NOTHING
