"""A pickle that runs code, if a reader lets it."""

from pathlib import Path


class Marker:
    """Leaves a file when it is unpickled by a reader that calls what it is told to."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)
