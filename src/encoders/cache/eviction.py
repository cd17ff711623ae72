"""Room in the encoding cache: the blocks of the least recently used encoders are removed."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from src.encoders.cache.encoding_blocks import SUFFIXES
from src.formats.files.locks import FileLock

_log = logging.getLogger(__name__)
_USED = "used"
GB = 10**9


def mark_used(folder: Path) -> None:
    """Notes that an encoder's folder is used now; does nothing where it is missing or read-only."""
    with suppress(OSError):
        (folder / _USED).touch()


def make_room(folder: Path, kept: str, max_gb: float, needed: int) -> None:
    """Removes blocks of the least recently used encoders until the cache and what is to come fit.

    A folder whose lock another process holds stays. A process that has mapped a removed block keeps reading it. The
    lock files stay, since another process may wait at one.

    Args:
        folder: of all encodings.
        kept: name of the encoder's folder that is never removed.
        max_gb: the most that the blocks may take, in 10**9 bytes.
        needed: bytes that will be written.
    """
    sizes = {one: _size(one) for one in Path(folder).glob("*/") if one.is_dir()}
    too_many = sum(sizes.values()) + needed - max_gb * GB
    for one in sorted(sizes, key=_last_use):
        if too_many <= 0:
            return
        if one.name != kept and sizes[one] and _emptied(one):
            _log.info("%s is removed: %s bytes.", one, f"{sizes[one]:,}")
            too_many -= sizes[one]
    if too_many > 0:
        _log.warning("%s takes %.3g GB more than cache.max_gb=%g: it is in use.", folder, too_many / GB, max_gb)


def _emptied(folder: Path) -> bool:
    """Removes the blocks of a folder, unless another process encodes into it, or may do so."""
    lock = FileLock(folder / "lock")
    try:
        held = lock.acquire(timeout=0)
    except OSError:  # among them Timeout
        return False
    with held:
        if lock.goes_without:
            return False
        for path in _blocks(folder):
            path.unlink(missing_ok=True)
    return True


def _size(folder: Path) -> int:
    size = 0
    for path in _blocks(folder):
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


def _blocks(folder: Path) -> Iterator[Path]:
    return (path for suffix in SUFFIXES.values() for path in folder.glob(f"*{suffix}"))


def _last_use(folder: Path) -> float:
    """Returns seconds since 1970; a folder that nobody marked was last used when its newest file was written."""
    marked = folder / _USED
    if marked.exists():
        return os.stat(marked).st_mtime
    return max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)
