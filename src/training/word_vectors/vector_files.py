"""Files of vectors: whole or absent, and a clear word where there is no room for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.errors import PolyprobeError
from src.formats.files.atomic import written_atomically

VECTORS = "vectors.vec"


@contextmanager
def written_vectors(path: Path) -> Iterator[str]:
    """Returns a name to write to, which becomes `path` when the block ends well.

    Raises:
        PolyprobeError: the file cannot be written.
    """
    try:
        with written_atomically(path) as neighbour:
            yield str(neighbour)
    except OSError as error:
        raise PolyprobeError(f"{path} cannot be written ({error.strerror or error}).") from error
