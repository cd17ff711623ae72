"""The configuration of `probe.py` with an own suite and a model of a run, as it is shipped."""

from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.runs.command.script import CONF


def shipped() -> dict[str, Any]:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("probe", ["suite=own", "suite.path=given", "lang=en", "predictor=lstm", "predictor.run=given"])
    choices = {"suite": "own", "lang": "en", "predictor": "lstm", "encoder": "char_ngrams", "probe": "mlp"}
    return {**OmegaConf.to_container(config, resolve=True), "choices": choices}
