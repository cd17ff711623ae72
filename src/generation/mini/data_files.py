"""The rules, the lexicon and the settings of the miniature Turkish, read from `data/`: tables and YAML files.

The language is defined by `data/rules.yaml` (morphology) and the tables (lexicon). Nothing here interprets them.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyprobe.generation import rule_files

LANGUAGE = "mini"
FOLDER = Path(__file__).parent / "data"


@functools.cache
def table(name: str) -> tuple[Mapping[str, str], ...]:
    """Reads `data/<name>.tsv`: a row is a mapping from column to cell."""
    return rule_files.table(FOLDER / f"{name}.tsv")


@functools.cache
def rules(part: str) -> Mapping[str, Any]:
    """Returns one top-level part of `data/rules.yaml`."""
    return settings_of("rules")[part]


@functools.cache
def settings_of(name: str) -> Mapping[str, Any]:
    """Returns `data/<name>.yaml`."""
    return rule_files.rules_of(FOLDER / f"{name}.yaml")
