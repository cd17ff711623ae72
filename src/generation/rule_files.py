"""Rules that stand beside the code, as YAML files and as tables."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from polyprobe.errors import check_choice


@functools.cache
def table(path: Path) -> tuple[Mapping[str, str], ...]:
    """Reads a table: a header, tabs between cells, lines of `#` before it are remarks; a row maps column to cell."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    header, *rows = (line.split("\t") for line in lines)
    return tuple(dict(zip(header, row, strict=True)) for row in rows)


@functools.cache
def rules_of(path: Path) -> Mapping[str, Any]:
    """Reads a YAML file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


def rules_named(path: Path, rules: str) -> dict[str, Any]:
    """Returns one of the two sets of rules of a YAML file, "article" or "released"; what they share is under "both"."""
    check_choice("rules", rules, ("article", "released"))
    known = rules_of(path)
    return {**known["both"], **known[rules]}
