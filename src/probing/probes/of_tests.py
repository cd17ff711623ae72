"""The probes of a study, as a file of conf/probe says: one for all tests, and those of tests that differ."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from src.errors import BadValue
from src.named import built

if TYPE_CHECKING:
    from src.probing.count_classifiers.count_classifier import CountClassifier
    from src.probing.probes.probe import Probe

OF_TESTS = "of_tests"


@dataclass(frozen=True)
class OwnProbe:
    """The probe of a single test, where it differs from that of the others."""

    probe: "Probe | CountClassifier"
    difference: str
    """Its options that differ, in words ("hidden_size=null dropout=0.0")."""


def shared_probe(settings: Mapping[str, Any]) -> "Probe | CountClassifier":
    """Builds the probe of all tests that have none of their own.

    Args:
        settings: the content of a file of conf/probe.

    Raises:
        PolyprobeError: it cannot be built.
    """
    return built(_without_tests(settings), "probe")


def own_probes(settings: Mapping[str, Any], tests: Sequence[str]) -> dict[str, OwnProbe]:
    """Builds the probes of tests that `probe.of_tests` gives other options, by the test's name.

    Args:
        settings: the content of a file of conf/probe.
        tests: names of those to probe with.

    Raises:
        PolyprobeError: a probe cannot be built.
    """
    of_tests = settings.get(OF_TESTS) or {}
    changed = {test: of_tests[test] for test in tests if of_tests.get(test)}
    return {test: _own_probe(settings, test, options) for test, options in changed.items()}


def _own_probe(settings: Mapping[str, Any], test: str, options: object) -> OwnProbe:
    key = f"probe.{OF_TESTS}.{test}"
    if not isinstance(options, Mapping):
        raise BadValue(key, options, "a group of the probe's options, such as {hidden_size: 50}, or null")
    probe = built({**_without_tests(settings), **options}, key)
    return OwnProbe(probe, " ".join(f"{name}={json.dumps(value)}" for name, value in options.items()))


def _without_tests(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != OF_TESTS}
