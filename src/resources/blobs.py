"""Git blob ids: they check a published file without git."""

import hashlib
from functools import lru_cache
from pathlib import Path

_CHUNK = 1 << 20


def blob_id(path: Path) -> str:
    """Returns the git blob id of a file: SHA-1 of `blob <bytes>`, a NUL and the content, 40 hexadecimal digits."""
    status = Path(path).stat()
    return _blob_id(Path(path), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _blob_id(path: Path, n_bytes: int, modified_ns: int) -> str:
    """Reads a file once as long as its size and time of change stay."""
    digest = hashlib.sha1(b"blob %d\0" % n_bytes, usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
