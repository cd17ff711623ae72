"""What makers of tests read, of a configuration without a suite and with any data folder."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from polyprobe.generation.door import making_settings
from polyprobe.generation.maker import Maker, MakingSettings

ROOT = Path(__file__).parents[2]


def made_by(maker: type[Maker], config: Mapping[str, Any], data_root: Callable[[], Path]) -> Maker:
    """Returns a maker with its options and files.

    Args:
        config: as conf/generate.yaml resolves; what it does not say is as that file has it.
        data_root: returns the data folder of the language.
    """
    return maker.of(settings_by(config, data_root))


def settings_by(config: Mapping[str, Any], data_root: Callable[[], Path]) -> MakingSettings:
    """Returns what makers read: see `made_by`."""
    defaults = yaml.safe_load((ROOT / "conf/generate.yaml").read_text(encoding="utf-8"))
    paths = {**defaults["paths"], **config["paths"]}
    suite = {"choices": {"suite": "any"}, "suite": {}, "grammar": None}
    settings = making_settings({**defaults, **config, **suite, "paths": paths})
    return replace(settings, files=replace(settings.files, data_root=data_root))
