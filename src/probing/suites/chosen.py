"""The suite that a configuration names: tests to train probes on, or minimal sets to score language models on."""

from collections.abc import Mapping
from typing import Any, NoReturn

from polyprobe.errors import PolyprobeError
from polyprobe.named import built
from polyprobe.probing.suites.downstream_tasks import FORMAT, DownstreamSuite
from polyprobe.probing.suites.minimal_set_files import ENDINGS, TABLE, SetFiles
from polyprobe.probing.suites.tests import Suite
from polyprobe.runs.names.typed_command import called_as


def chosen_suite(settings: Mapping[str, Any]) -> Suite:
    """Builds the suite of a configuration.

    Args:
        settings: a file of conf/suite.

    Raises:
        PolyprobeError: it holds minimal sets, on which no probe can be trained, or downstream tasks.
    """
    suite = built(settings, "suite")
    if isinstance(suite, DownstreamSuite):
        raise PolyprobeError(
            f"suite={suite.name} has downstream tasks, no probing tests. To run them: "
            f"{called_as('probe')} suite={suite.name} lang=en encoder=…"
        )
    if isinstance(suite, SetFiles):
        raise PolyprobeError(
            f"suite={suite.name} has minimal sets, which have no labels to train a probe on. To "
            f"evaluate a language model on them: {called_as('probe')} suite={suite.name} predictor=lstm predictor.run=…"
        )
    return suite


def chosen_set_files(settings: Mapping[str, Any]) -> SetFiles:
    """Builds the suite of minimal sets of a configuration.

    Raises:
        PolyprobeError: it has tests for probes: a language model is scored on minimal sets alone.
    """
    suite = built(settings, "suite")
    if not isinstance(suite, SetFiles):
        formats = ", ".join(name for name in ENDINGS if name != TABLE)
        raise PolyprobeError(
            f"suite={suite.name} has tests to train probes on, no minimal sets to evaluate a predictor on. Expected "
            f"suite=clams, blimp or pairs, or suite=own with suite.format={formats}."
        )
    return suite


def has_downstream_tasks(settings: Mapping[str, Any]) -> bool:
    """Says whether a suite holds downstream tasks, by the format of its files."""
    return settings["format"] == FORMAT


def has_minimal_sets(settings: Mapping[str, Any]) -> bool:
    """Says whether a suite holds minimal sets, by the format of its files."""
    return settings["format"] in tuple(ENDINGS)


def refuse_to_probe(name: str, format: str, level: str, lowercase: bool) -> NoReturn:
    """Says how the tests of such a suite are made and probed.

    Args:
        name: of the suite.
        format, level: of the tests that are made.
        lowercase: what encoders of words would do with capitals, see `Suite`.

    Raises:
        PolyprobeError: always.
    """
    probed = f"suite=own suite.path=<folder of the tests> suite.format={format} suite.level={level}"
    raise PolyprobeError(
        f"suite={name} has no published tests. To generate them: {called_as('generate')} suite={name} "
        f"lang=…, then probe them: {called_as('probe')} lang=… {probed}"
    )
