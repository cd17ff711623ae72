"""Files that tests are made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from src.formats.files.digest import file_digest


@dataclass(frozen=True, slots=True)
class Source:
    """A file that tests are made from; licence and revision are "unknown" where nobody says them."""

    path: Path
    licence: str = "unknown"
    revision: str = "unknown"


def described(sources: Sequence[Source]) -> list[dict[str, str]]:
    """Says which files these are: name, digest, licence, revision."""
    return [
        {
            "file": source.path.name,
            "sha256": file_digest(source.path),
            "licence": source.licence,
            "revision": source.revision,
        }
        for source in sources
    ]
