"""Small files that are whole or absent; `written_atomically` is for those that are written piece by piece."""

from pathlib import Path

from src.formats.atomic import written_atomically

__all__ = ["write_bytes", "write_text", "written_atomically"]


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 text file, whole or not at all."""
    with written_atomically(path) as neighbour:
        neighbour.write_text(text, encoding="utf-8", newline="")


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a binary file, whole or not at all."""
    with written_atomically(path) as neighbour:
        neighbour.write_bytes(content)
