"""The door of generate.py: its configuration becomes sections here; nothing behind it sees the configuration."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from polyprobe.errors import BadValue
from polyprobe.generation.grammars.evaluation_sets import GrammarSettings
from polyprobe.generation.language_sources import SourceNames
from polyprobe.generation.maker import MakingSettings
from polyprobe.generation.suites import MAKERS
from polyprobe.resources.data_root import data_root
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.workspace import Workspace

SECTIONS = tuple(maker.section for maker in MAKERS.values())
"""Of options, one for each kind of what is made."""


def generate_settings(config: Mapping[str, Any]) -> MakingSettings | GrammarSettings:
    """Reads the resolved configuration of conf/generate.yaml, plain values: of tests, or of grammars.

    Raises:
        BadValue, UnknownChoice: a value is none that there is, or out of its range.
    """
    return making_settings(config) if config["choices"]["suite"] in MAKERS else grammar_settings(config)


def making_settings(config: Mapping[str, Any]) -> MakingSettings:
    """Reads how tests are made."""
    lang, workspace = config["lang"], Workspace.of(config["paths"])
    return MakingSettings(
        suite=Choice("suite", config["choices"]["suite"], config["suite"]),
        **{key: config[key] for key in ("lang", "rules", "seed", "tests", "on_malformed", "dotless_i")},
        files=SourceNames(lang, config["made_from"], partial(data_root, lang, workspace), workspace.mirror),
        options={name: config[name] for name in SECTIONS},
        workspace=workspace,
        kept=config,
    )


def grammar_settings(config: Mapping[str, Any]) -> GrammarSettings:
    """Reads what is made of which grammars.

    Raises:
        BadValue: tests are named, which grammars do not make.
    """
    if config["tests"] is not None:
        expected = f"null with suite={config['choices']['suite']}: all its grammars are used"
        raise BadValue("tests", config["tests"], expected)
    typed = ("end_of_sentence", "capitalise", "format", "grammar", "check_vocabulary", "dotless_i")
    return GrammarSettings(
        **{key: config[key] for key in typed},
        suite=config["choices"]["suite"],
        published=config["suite"].get("grammars"),
        language=config["lang"],
        workspace=Workspace.of(config["paths"]),
        kept=config,
    )
