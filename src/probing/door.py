"""The door of probe.py: its configuration becomes sections here, and is only kept behind it."""

from collections.abc import Mapping
from typing import Any

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.probing.settings import KEEP, BankSettings, ProbeSettings
from polyprobe.runs.command.chosen import chosen
from polyprobe.runs.directory import check_named_run
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.foreign_names import trusted_language, trusted_settings
from polyprobe.runs.trainer_settings import TrainerSettings, check_shares_work
from polyprobe.runs.workspace import Workspace
from polyprobe.section import check_options


def probe_settings(config: Mapping[str, Any]) -> ProbeSettings:
    """Reads the resolved configuration of conf/probe.yaml, plain values.

    Raises:
        BadValue, UnknownChoice: a value is none that there is, or out of its range.
        PolyprobeError: the run of an encoder or a predictor is damaged.
    """
    check_shares_work(config["trainer"])
    for group in ("encoder", "predictor"):
        named = (config.get(group) or {}).get("run")
        for run in named if isinstance(named, list) else [named]:
            check_named_run(f"{group}.run", run)
    return _read(
        config,
        encoder=chosen(config, "encoder"),
        predictor=None if config.get("predictor") is None else chosen(config, "predictor"),
        **{key: config[key] for key in ("tests", "baselines", "list", "ties", "unknown_focus", "protocol")},
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
    trainer = {key: value for key, value in config["trainer"].items() if key in TrainerSettings.own_keys()}
    return _read({**config, "trainer": trainer}, encoder=Choice("encoder", "checkpoint", {}), on_malformed="refuse")


def _read(config: Mapping[str, Any], **given: Any) -> ProbeSettings:
    trainer, cache, workspace = config["trainer"], config["cache"], Workspace.of(config["paths"])
    check_options(TrainerSettings, trainer)
    keep, config = config["probe"].get(KEEP, False), _kept(config)
    groups = {group: Choice(group, config["choices"][group], config[group]) for group in ("suite", "probe")}
    return ProbeSettings(
        **{key: config[key] for key in ("lang", "seed", "seeds")},
        **groups,
        **given,
        keep=keep,
        precision=trainer["precision"],
        bank=_bank(config),
        cache=VectorCache.of(cache, folder=workspace.encodings),
        workspace=workspace,
        kept=config,
    )


def _kept(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a configuration as config.yaml keeps it, in the order of earlier runs."""
    probe = {key: value for key, value in config["probe"].items() if key != KEEP}
    choices = {group: choice for group, choice in config["choices"].items() if group != "job"}
    others = {key: value for key, value in config.items() if key != "probe"} | {"choices": choices}
    before = [*others][: [*others].index("suite") + 1]
    return {**{key: others[key] for key in before}, "probe": probe, **others}


def _bank(config: Mapping[str, Any]) -> BankSettings:
    return BankSettings.of_trainer(config["trainer"], chunk_size=config["bank"]["chunk_size"])
