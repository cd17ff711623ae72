"""Which files a pattern of paths such as `sling/{phenomenon}/**/{test}.jsonl` means, and what stands in its names."""

import re
from collections.abc import Mapping
from glob import escape, glob
from itertools import chain, zip_longest
from pathlib import Path
from string import Formatter

from polyprobe.resources.pinned_files import available_targets


def folder_of(pattern: str, language: str) -> str:
    """Returns the folder in which all files of a pattern are: what comes before its first name."""
    known = "".join(_parts(pattern, language)[:1])
    return known.rpartition("/")[0]


def matching_files(pattern: str, language: str, root: Path) -> dict[str, Mapping[str, str]]:
    """Returns the files of a pattern that are here or can be fetched, each with what stands in the pattern's names.

    Args:
        pattern: a path below the data folder or an absolute one. `{language}` is the language's code, another name in
            braces any part of a path, `**/` any folders, also none.
    """
    parts = _parts(pattern, language)
    names, texts = parts[1::2], parts[::2]
    escaped = [re.escape(text).replace(re.escape("**/"), "(?:[^/]+/)*") for text in texts]
    anywhere = re.compile("".join(chain.from_iterable(zip_longest(escaped, names, fillvalue=""))))
    wild = "*".join("**/".join(escape(part) for part in text.split("**/")) for text in texts)
    here = sorted(glob(wild, root_dir=root, recursive=True))
    found = (
        anywhere.fullmatch(target) for target in dict.fromkeys([*here, *available_targets(parts[0].split("**")[0])])
    )
    return {match[0]: match.groupdict() for match in found if match is not None}


def _parts(pattern: str, language: str) -> list[str]:
    """Cuts a pattern at its names: text, a group of a regular expression, text, …"""
    parts = [""]
    for text, name, _, _ in Formatter().parse(pattern):
        parts[-1] += text
        if name == "language":
            parts[-1] += language
        elif name is not None:
            parts += [f"(?P<{name}>[^/]+)", ""]
    return parts
