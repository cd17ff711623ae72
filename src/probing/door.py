"""The door of probe.py: its configuration becomes sections here, and is only kept behind it."""

from collections.abc import Mapping
from typing import Any

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import PolyprobeError, near_names
from polyprobe.probing.settings import OF_THE_RUN, BankSettings, EngineSettings, ProbeSettings
from polyprobe.runs.command.chosen import chosen
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.foreign_names import trusted_language, trusted_settings
from polyprobe.runs.trainer_settings import TrainerSettings
from polyprobe.runs.workspace import Workspace

OF_TRAINING = {"max_epochs", "accumulate", "early_stopping", "keep"}  # keys of `trainer` that probes do not have


def probe_settings(config: Mapping[str, Any]) -> ProbeSettings:
    """Reads the resolved configuration of conf/probe.yaml, plain values.

    Raises:
        BadValue, UnknownChoice: a value is none that there is, or out of its range.
    """
    return _read(
        config,
        encoder=chosen(config, "encoder"),
        predictor=None if config.get("predictor") is None else chosen(config, "predictor"),
        **{key: config[key] for key in ("tests", "baselines", "list", "ties", "unknown_focus", "protocol")},
        engine=_engine(config),
        on_malformed=config["data"]["on_malformed"],
    )


def earlier_settings(config: Mapping[str, Any], workspace: Workspace) -> ProbeSettings:
    """Reads the configuration of an earlier run of tests to train probes on; nothing in it is resolved.

    What its encoder, its suite and its probe are built of has the names that conf/ has. Of its cache the type of
    numbers counts: the limit is on whoever made the run, not on whoever looks at it.

    Args:
        config: of the run, from its config.yaml.
        workspace: of the command at hand: where data and caches are now.
    """
    groups = ("encoder", "suite", "probe")
    trusted = {group: trusted_settings(group, config["choices"][group], config[group]) for group in groups}
    cache, lang = {"number": config["cache"]["number"], "max_gb": None}, trusted_language(config["lang"])
    paths = {key: getattr(workspace, key) for key in ("data", "work", "mirror")}
    config = {**config, **trusted, "lang": lang, "cache": cache, "paths": paths}
    return _read(
        config,
        encoder=Choice("encoder", config["choices"]["encoder"], config["encoder"]),
        **{key: config[key] for key in ("tests", "baselines")},
        on_malformed=config["data"]["on_malformed"],
    )


def settings_in_training(config: Mapping[str, Any]) -> ProbeSettings:
    """Reads how a training run probes its own checkpoints: bad lines are refused, baselines are the cheap ones."""
    return _read(config, encoder=Choice("encoder", "checkpoint", {}), on_malformed="refuse")


def _read(config: Mapping[str, Any], **given: Any) -> ProbeSettings:
    trainer, cache, workspace = config["trainer"], config["cache"], Workspace.of(config["paths"])
    keep, config = config["probe"].get("keep", False), _kept(config)
    groups = {group: Choice(group, config["choices"][group], config[group]) for group in ("suite", "probe")}
    return ProbeSettings(
        **{key: config[key] for key in ("lang", "seed", "seeds")},
        **groups,
        **given,
        keep=keep,
        precision=trainer["precision"],
        bank=BankSettings.of_trainer(trainer, chunk_size=config["bank"]["chunk_size"]),
        cache=VectorCache.of(cache, folder=workspace.encodings),
        workspace=workspace,
        kept=config,
    )


def _kept(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a configuration as config.yaml keeps it, in the order of earlier runs."""
    probe = {key: value for key, value in config["probe"].items() if key not in OF_THE_RUN}
    passed = ("job",) if config.get("callbacks") else ("job", "callbacks")
    choices = {group: choice for group, choice in config["choices"].items() if group not in passed}
    others = {key: value for key, value in config.items() if key not in ("probe", *passed)} | {"choices": choices}
    before = [*others][: [*others].index("suite") + 1]
    return {**{key: others[key] for key in before}, "probe": probe, **others}


def _engine(config: Mapping[str, Any]) -> EngineSettings:
    """Reads what trains the probes; the bank takes no callbacks and none of Lightning's further arguments."""
    trainer, engine = config["trainer"], config["probe"].get("engine", "bank")
    if of_training := sorted(OF_TRAINING & trainer.keys()):
        raise PolyprobeError(f"trainer.{of_training[0]} is for train.py. Expected keys of the probe: probe.max_epochs.")
    callbacks = config.get("callbacks") or {}
    if engine == "bank":
        own = TrainerSettings.own_keys()
        if further := [key for key in trainer if key not in own]:
            near = near_names(further[0], own)
            hint = f" Did you mean trainer.{near[0]}?" if near else ""
            raise PolyprobeError(f"+trainer.{further[0]} needs probe.engine=lightning.{hint}")
        if callbacks:
            raise PolyprobeError(f"callbacks ({', '.join(callbacks)}) need probe.engine=lightning.")
        return EngineSettings()
    arguments = {key: one for key, one in trainer.items() if key not in TrainerSettings.own_keys()}
    logger = config.get("logger", {}).get("lightning")
    return EngineSettings(engine=engine, arguments=arguments, callbacks=callbacks, logger=logger)
