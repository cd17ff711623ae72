"""The rules, the lexicon and the settings of the miniature Turkish, read from `data/`: tables and YAML files.

The language is defined by `data/rules.yaml` (morphology) and the tables (lexicon). Nothing here interprets them.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from src.generation import rule_files

LANGUAGE = "mini"
FOLDER = Path(__file__).parent / "data"


@functools.cache
def table(name: str) -> tuple[Mapping[str, str], ...]:
    """Reads `data/<name>.tsv`: a row is a mapping from column to cell."""
    return rule_files.table(FOLDER / f"{name}.tsv")


@functools.cache
def rules(part: str) -> Mapping[str, Any]:
    """Returns one top-level part of `data/rules.yaml`."""
    return _yaml("rules")[part]


def sentence_settings() -> Mapping[str, Any]:
    """Returns `data/sentences.yaml`."""
    return _yaml("sentences")


def agreement_settings() -> Mapping[str, Any]:
    """Returns `data/agreement.yaml`."""
    return _yaml("agreement")


def probing_settings() -> Mapping[str, Any]:
    """Returns `data/probing_sets.yaml`."""
    return _yaml("probing_sets")


def pair_settings() -> Mapping[str, Any]:
    """Returns `data/sentence_pairs.yaml`."""
    return _yaml("sentence_pairs")


def story_settings() -> Mapping[str, Any]:
    """Returns `data/stories.yaml`."""
    return _yaml("stories")


def ana_rules() -> Mapping[str, Any]:
    """Returns `data/ana.yaml`."""
    return _yaml("ana")


@functools.cache
def _yaml(name: str) -> Mapping[str, Any]:
    return rule_files.rules_of(FOLDER / f"{name}.yaml")
