"""The design of probing: tests x layers x seeds, of an encoder and of its baselines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.items import Item
from polyprobe.named import built
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.settings import OF_THE_RUN, ProbingSettings
from polyprobe.probing.suites.tests import ProbingTest, files_of_test, load_test

if TYPE_CHECKING:
    from polyprobe.probing.probes.probe import Probe

OF_TESTS = "of_tests"


@dataclass(frozen=True)
class OwnProbe:
    """The probe of a single test, where it differs from that of the others."""

    probe: "Probe | CountClassifier"
    difference: str
    """Its options that differ, in words ("hidden_size=null dropout=0.0")."""


def shared_probe(settings: Mapping[str, Any]) -> "Probe | CountClassifier":
    """Builds the probe of all tests that have none of their own.

    Raises:
        PolyprobeError: it cannot be built.
    """
    return built(_without_tests(settings), "probe")


def own_probes(settings: Mapping[str, Any], tests: Sequence[str]) -> dict[str, OwnProbe]:
    """Builds the probes of tests that `probe.of_tests` gives other options, by the test's name.

    Raises:
        PolyprobeError: a probe cannot be built.
    """
    of_tests, own = settings.get(OF_TESTS) or {}, {}
    for test in tests:
        if not (options := of_tests.get(test)):
            continue
        key = f"probe.{OF_TESTS}.{test}"
        if not isinstance(options, Mapping):
            raise BadValue(key, options, "a group of the probe's options, such as {hidden_size: 50}, or null")
        try:
            probe = built({**_without_tests(settings), **options}, key)
        except UnknownChoice as error:
            raise PolyprobeError(f"{key}: {error}") from error
        own[test] = OwnProbe(probe, " ".join(f"{name}={json.dumps(value)}" for name, value in options.items()))
    return own


def _without_tests(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key not in (OF_TESTS, *OF_THE_RUN)}


@dataclass(frozen=True)
class Design:
    """The tests to ask of an encoder's layers, with several seeds each."""

    lang: str
    """Code of the language, for the rows."""
    suite: str
    encoder: str
    probe_name: str
    """Names, for the rows."""
    probe: "Probe | CountClassifier"
    """What is trained for each test, layer and seed, unless a test has its own; a classifier of counts instead for a
    count encoder alone."""
    tests: Sequence[ProbingTest]
    seeds: Sequence[int]
    """Each test and layer is probed once for each."""
    model: str | None = None
    options: str | None = None
    """Of the encoder, for the rows, see `ResultRow`."""
    own_probes: Mapping[str, OwnProbe] = field(default_factory=dict)
    """Of single tests, by their names."""

    def probe_of(self, test: str) -> "Probe":
        """Returns what is trained for a test, by its name."""
        return self.own_probes[test].probe if test in self.own_probes else self.probe

    def items(self) -> Iterator[Item]:
        """Yields every item of every test, as often as the tests have it."""
        for test in self.tests:
            for split in (test.train, test.dev, test.test):
                for items in split.items:
                    yield from items

    @property
    def versions(self) -> dict[str, str]:
        """A digest of the content of each test, by its name."""
        return {test.name: test.version for test in self.tests}


def check_probe_of_vectors(design: Design) -> None:
    """Checks that the probe of a design takes vectors.

    Raises:
        BadValue: it is a classifier of counts.
    """
    if isinstance(design.probe, CountClassifier):
        expected = f"linear or mlp with encoder={design.encoder} (this probe is for counts, as of encoder=tfidf)"
        raise BadValue("probe", design.probe_name, expected)


def versions_of_tests(settings: ProbingSettings) -> dict[str, str]:
    """Returns a digest of the files of each test to probe with, by its name; missing files are fetched, none is parsed.

    Raises:
        PolyprobeError: a file is missing and cannot be fetched.
    """
    suite, lang, root, mirror = settings.suite, settings.lang, settings.root, settings.workspace.mirror
    return {name: files_of_test(suite, lang, name, root, mirror).version for name in settings.tests}


def read_tests(settings: ProbingSettings) -> list[ProbingTest]:
    """Reads the tests to probe with; missing files are fetched."""
    suite, lang, root, mirror = settings.suite, settings.lang, settings.root, settings.workspace.mirror
    return [load_test(suite, lang, name, root, mirror, settings.on_malformed) for name in settings.tests]


def read_design(settings: ProbingSettings, tests: Sequence[ProbingTest] | None = None) -> Design:
    """Reads the tests to probe with, unless they are given, and says how they are probed.

    Raises:
        PolyprobeError: a file is not what it should be, or the probe cannot be built.
    """
    tests = read_tests(settings) if tests is None else tests  # before the probe, which needs torch
    return Design(
        lang=settings.lang["code"],
        suite=settings.suite.name,
        encoder=settings.encoder_name,
        probe_name=settings.asked.probe.name,
        probe=shared_probe(settings.probe),
        tests=tests,
        seeds=settings.seeds,
        own_probes=own_probes(settings.probe, settings.tests),
    )
