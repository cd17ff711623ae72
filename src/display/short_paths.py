"""Short paths: their last parts, which distinguish files wherever a user keeps them."""

from pathlib import Path


def last_parts(path: str | Path) -> str:
    """Returns a file or folder with the folder around it: "vectors/wiki.fi.bin"."""
    return "/".join(part for part in Path(path).absolute().parts[-2:] if part != "/")
