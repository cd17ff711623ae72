"""What is typed for probe.py and would have no effect: refused, so that nobody takes a run for another one."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.encoders.base.encoder import CountEncoder
from src.named import object_at
from src.probing.suites.chosen import has_downstream_tasks, has_minimal_sets
from src.probing.suites.own import keys_without_effect
from src.runs.command.overrides import refuse_idle, section_of

_OF_MINIMAL_SETS = "minimal sets, on which a language model (predictor=…) is scored and nothing is trained or drawn"
_OF_TASKS = "downstream tasks, which are fitted as the suite says (suite.classifier)"
_OF_TESTS = "tests to train probes on"
# By the kind of a suite: what it has, and the keys that say nothing about it.
_WITHOUT_EFFECT = {
    "minimal sets": (
        _OF_MINIMAL_SETS,
        ("encoder", "probe", "vectors", "seed", "seeds", "baselines", "protocol", "confirm"),
    ),
    "downstream tasks": (_OF_TASKS, ("probe", "baselines", "ties", "unknown_focus")),
    "probing tests": (_OF_TESTS, ("ties", "unknown_focus", "protocol")),
}


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that everything typed on the command line has an effect on the run.

    Args:
        config: the resolved configuration of conf/probe.yaml.
        typed: as typed, "probe.hidden_size=50".

    Raises:
        PolyprobeError: something has none.
    """
    keys = {section_of(one): one for one in typed}
    found, without_effect = _WITHOUT_EFFECT[_kind(config["suite"])]
    idle = [key for key in without_effect if key in keys and not (key == "probe" and _counts(config))]
    refuse_idle(typed, dict.fromkeys(idle, f": suite={config['choices']['suite']} has {found}. Leave it out."))
    _check_own_suite(config, typed)
    if "probe" in keys and (own := _own_probe(config)) not in (None, config["choices"]["probe"]):
        name = config["choices"]["encoder"]
        others = "counts under other probes: encoder=tfidf with encoder.unit, encoder.max_n."
        refuse_idle(typed, {"probe": f": encoder={name} has a probe of its own, {own}. Leave it out; {others}"})


def _check_own_suite(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks the settings of `suite=own`, of which each format has its own."""
    format_name = config["suite"]["format"]
    if config["choices"]["suite"] != "own":
        return
    idle = [f"suite.{key}" for key in keys_without_effect(format_name)]
    said = dict.fromkeys(idle, f" with suite.format={format_name}. Leave it out.")
    refuse_idle(typed, said, lambda one: one.split("=", 1)[0].lstrip("+"))


def _kind(suite: Mapping[str, Any]) -> str:
    if has_minimal_sets(suite):
        return "minimal sets"
    return "downstream tasks" if has_downstream_tasks(suite) else "probing tests"


def _own_probe(config: Mapping[str, Any]) -> str | None:
    return getattr(_class_of_encoder(config), "own_probe", None)


def _counts(config: Mapping[str, Any]) -> bool:
    kind = _class_of_encoder(config)
    return isinstance(kind, type) and issubclass(kind, CountEncoder)


def _class_of_encoder(config: Mapping[str, Any]) -> Any:
    return object_at(config["encoder"].get("_target_"), "encoder._target_")
