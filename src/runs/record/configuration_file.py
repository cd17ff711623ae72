"""The config.yaml of a run: plain values, from any source."""

import math
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.formats.files.file_names import text_of_file
from polyprobe.runs.record.plain_types import Text, wrong

MOST_CHARACTERS = 1_000_000  # of a configuration; the largest of the project's own have some thousands
_Section = dict | None


class _Language(BaseModel):
    code: Text = None


class _Configuration(BaseModel):
    """What readers of several commands take over; each checks what it alone reads."""

    paths: _Section = None
    data: _Section = None
    cache: _Section = None
    bank: _Section = None
    trainer: _Section = None
    task: _Section = None
    model: _Section = None
    encoder: _Section = None
    suite: _Section = None
    probe: _Section = None
    choices: dict[Text, Text | None] = None
    lang: _Language | None = None


def read_configuration(path: Path) -> dict[str, Any]:
    """Reads the configuration of a run. Nothing in it is resolved, imported or built."""
    try:
        text = text_of_file(path, 4 * MOST_CHARACTERS)
        root = None if len(text) > MOST_CHARACTERS else yaml.compose(text, Loader=yaml.SafeLoader)
        # Before it is built: a few lines of aliases to aliases can stand for more than any memory holds.
        if len(text) > MOST_CHARACTERS or _n_characters(root, {}) > MOST_CHARACTERS:
            raise PolyprobeError(f"{path} is damaged (with its aliases it has over {MOST_CHARACTERS:,} characters).")
        config = None if root is None else yaml.SafeLoader("").construct_document(root)
    except (ValueError, RecursionError, yaml.YAMLError) as error:  # a date such as 2020-13-01 is a ValueError
        raise PolyprobeError(f"{path} is damaged ({briefly(error)}).") from error
    if not isinstance(config, dict) or not all(isinstance(key, str) for key in config):
        raise PolyprobeError(f"{path} is damaged (it is not a mapping of keys to values).")
    if found := wrong(config, _Configuration):
        raise PolyprobeError(f"{path} is damaged ({found}).")
    return config


def written(config: Mapping[str, Any]) -> str:
    """Returns a configuration as the text of its file: keys in their order, letters not escaped."""
    return yaml.safe_dump(dict(config), allow_unicode=True, sort_keys=False)


def _n_characters(node: yaml.Node | None, counted: dict[int, float]) -> float:
    """Counts the characters of a node, each alias as its whole value; infinite for one that contains itself.

    Args:
        counted: the counts so far by the identity of the node; new ones are added.
    """
    if not isinstance(node, yaml.CollectionNode):
        return 1 + len(node.value) if node else 1
    if id(node) not in counted:
        counted[id(node)] = math.inf
        parts = chain.from_iterable(node.value) if isinstance(node, yaml.MappingNode) else node.value
        counted[id(node)] = 1 + sum(_n_characters(part, counted) for part in parts)
    return counted[id(node)]
