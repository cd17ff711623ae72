"""The door of probe.py: its configuration becomes sections here, and is only kept behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import PolyprobeError
from polyprobe.named import object_at
from polyprobe.probing.settings import OF_THE_RUN, OWN, Application, BankSettings, EngineSettings, ProbeSettings
from polyprobe.probing.suites.chosen import has_downstream_tasks, has_minimal_sets
from polyprobe.probing.suites.own import keys_without_effect
from polyprobe.runs.command.composed import chosen
from polyprobe.runs.command.overrides import refuse_idle, section_of
from polyprobe.runs.command.sweep import key_of
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.foreign_names import trusted_language, trusted_settings
from polyprobe.runs.trainer_settings import TrainerSettings, check_shares_work, n_devices, runs_several_processes
from polyprobe.runs.workspace import Workspace
from polyprobe.section import check_options

_OF_MINIMAL_SETS = "minimal sets, on which a language model (predictor=…) is evaluated without training or sampling"
_OF_TASKS = "downstream tasks, with the classifier of the suite (suite.classifier)"
_OF_TESTS = "tests to train probes on"
OF_APPLICATION = ("apply", "text", "layer")
EXPORT = "export"
# By the kind of a suite: what it has, and the keys that say nothing about it.
_WITHOUT_EFFECT = {
    "minimal sets": (
        _OF_MINIMAL_SETS,
        ("encoder", "probe", "vectors", "seed", "seeds", "baselines", "protocol"),
    ),
    "downstream tasks": (_OF_TASKS, ("probe", "baselines", "ties", "unknown_focus")),
    "probing tests": (_OF_TESTS, ("ties", "unknown_focus", "protocol")),
}


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that all that is typed for probe.py has an effect, so that nobody takes a run for another one.

    Args:
        config: the resolved configuration of conf/probe.yaml.
        typed: as typed, "probe.hidden_size=50".

    Raises:
        PolyprobeError: something has none.
    """
    check_shares_work(config["trainer"])
    _check_application(config, typed)
    if config["apply"] is not None:
        return
    if config["export"] is not None:
        _check_export(config, typed)
        return
    suite, choices, format_name = config["choices"]["suite"], config["choices"], config["suite"]["format"]
    keys = {section_of(one): one for one in typed}
    # Whose module may import torch: a fault in its options is told before.
    encoder = object_at(config["encoder"].get("_target_"), "encoder._target_") if "probe" in keys else None
    has_counts = isinstance(encoder, type) and issubclass(encoder, CountEncoder)
    found, without_effect = _WITHOUT_EFFECT[_kind(config["suite"])]
    idle = [key for key in without_effect if key in keys and not (key == "probe" and has_counts)]
    refuse_idle(typed, dict.fromkeys(idle, f": suite={suite} has {found}. Leave it out."))
    if suite == OWN:
        idle = [f"suite.{key}" for key in keys_without_effect(format_name)]
        said = dict.fromkeys(idle, f" with suite.format={format_name}. Leave it out.")
        refuse_idle(typed, said, key_of)
    own = getattr(encoder, "own_probe", None)
    if "probe" in keys and own not in (None, choices["probe"]):
        others = "count features with other probes: encoder=tfidf with encoder.unit, encoder.max_n."
        said = f": encoder={choices['encoder']} has a probe of its own, {own}. Leave it out; {others}"
        refuse_idle(typed, {"probe": said})


def _check_application(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    if config["apply"] is None:
        refuse_idle(typed, dict.fromkeys(OF_APPLICATION[1:], " without apply=<run>."))
        return
    taken = (*OF_APPLICATION, "tests", "trainer", "paths", "bank", "data", "logger")
    idle = {key for one in typed if (key := section_of(one)) not in taken}
    refuse_idle(typed, dict.fromkeys(idle, " with apply=, which uses the settings of the run. Leave it out."))


def _check_export(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    if has_minimal_sets(config["suite"]):
        raise PolyprobeError(f"export: suite={config['choices']['suite']} has {_OF_MINIMAL_SETS}, and no items.")
    if runs_several_processes(config["trainer"]):
        words = f"trainer.devices={n_devices(config['trainer'])} with export=, whose vectors one process encodes"
        raise PolyprobeError(f"{words}. Leave trainer=ddp and trainer.devices, trainer.num_nodes out.")
    taken = (EXPORT, "lang", "suite", "tests", "encoder", "vectors", "trainer", "cache", "data", "paths")
    said = " with export=, which writes vectors and trains no probes. Leave it out."
    refuse_idle(typed, {key: said for one in typed if (key := section_of(one)) not in (*taken, "experiment", "logger")})


def application(config: Mapping[str, Any]) -> Application:
    """Reads which probes of a finished run label which text.

    Raises:
        BadValue: a value is none that there is.
    """
    given = {key: config[key] for key in ("text", "tests", "layer")}
    return Application(run=config["apply"], **given, bank=_bank(config), workspace=Workspace.of(config["paths"]))


def _kind(suite: Mapping[str, Any]) -> str:
    if has_minimal_sets(suite):
        return "minimal sets"
    return "downstream tasks" if has_downstream_tasks(suite) else "probing tests"


def probe_settings(config: Mapping[str, Any]) -> ProbeSettings:
    """Reads the resolved configuration of conf/probe.yaml, plain values.

    Raises:
        BadValue, UnknownChoice: a value is none that there is, or out of its range.
    """
    return _read(
        config,
        encoder=chosen(config, "encoder"),
        predictor=None if config.get("predictor") is None else chosen(config, "predictor"),
        **{key: config[key] for key in ("tests", "baselines", "list", EXPORT, "ties", "unknown_focus", "protocol")},
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
    keep, engine, config = config["probe"].get("keep", False), _engine(config), _without_application(config)
    groups = {group: Choice(group, config["choices"][group], config[group]) for group in ("suite", "probe")}
    return ProbeSettings(
        **{key: config[key] for key in ("lang", "seed", "seeds")},
        **groups,
        **given,
        keep=keep,
        engine=engine,
        precision=trainer["precision"],
        bank=_bank(config),
        cache=VectorCache.of(cache, folder=workspace.encodings),
        workspace=workspace,
        kept=config,
    )


def _without_application(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a configuration without the keys of other work, which change no number; in the order of earlier runs."""
    probe = {key: value for key, value in config["probe"].items() if key not in OF_THE_RUN}
    passed = ("probe", EXPORT, *OF_APPLICATION, *(() if config.get("callbacks") else ("callbacks",)))
    others = {key: value for key, value in config.items() if key not in passed}
    before = [*others][: [*others].index("suite") + 1]
    return {**{key: others[key] for key in before}, "probe": probe, **others}


def _engine(config: Mapping[str, Any]) -> EngineSettings:
    """Reads what trains the probes; the bank takes no callbacks and none of Lightning's further arguments."""
    trainer, engine = config["trainer"], config["probe"].get("engine", "bank")
    callbacks = config.get("callbacks") or {}
    if engine == "bank":
        check_options(TrainerSettings, trainer)
        if callbacks:
            raise PolyprobeError(f"callbacks ({', '.join(callbacks)}) need probe.engine=lightning.")
        return EngineSettings()
    arguments = TrainerSettings.arguments_of(trainer)
    logger = config.get("logger", {}).get("lightning")
    return EngineSettings(engine=engine, arguments=arguments, callbacks=callbacks, logger=logger)


def _bank(config: Mapping[str, Any]) -> BankSettings:
    return BankSettings.of_trainer(config["trainer"], chunk_size=config["bank"]["chunk_size"])
