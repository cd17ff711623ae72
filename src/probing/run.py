"""What probe.py does: from its settings to a finished run.

What a run is called, and what an earlier command found, is known without torch, unless the encoder itself needs it.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from polyprobe.encoders.base.build import make_encoder, needs_torch
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.formats.computed_elsewhere import NothingComputed
from polyprobe.metrics.probe_metrics import columns_of_layers
from polyprobe.predictors.base.predictor import text_of
from polyprobe.probing.design import read_tests, versions_of_tests
from polyprobe.probing.downstream.settings import DownstreamSettings
from polyprobe.probing.earlier_run import kept_probes
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.settings import OWN_TESTS, ProbeSettings, ProbingSettings
from polyprobe.probing.suites.chosen import has_downstream_tasks, has_minimal_sets
from polyprobe.runs.study import Study, Work


def study_of(asked: ProbeSettings) -> Study:
    """Returns what a command asks: minimal sets by a predictor, downstream tasks, or tests to train probes on.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    try:
        return _study_of(asked)
    except NothingComputed as found:  # all is to be computed elsewhere: it is listed, as what is missing later
        from polyprobe.probing.asked_items import items_to_encode, questions_to_score

        of_sets = has_minimal_sets(asked.suite.options)
        things = dict.fromkeys(map(text_of, questions_to_score(asked))) if of_sets else items_to_encode(asked)
        raise found.place.listed_as_lacking(list(things), len(things)) from None


def _study_of(asked: ProbeSettings) -> Study:
    # A predictor chosen for tests to train probes on is refused as the settings of minimal sets are read.
    if has_minimal_sets(asked.suite.options) or asked.predictor is not None:
        sets = MinimalSetSettings.of(asked)
        from polyprobe.probing.minimal_sets.run import MinimalSetStudy

        return MinimalSetStudy(sets)
    if has_downstream_tasks(asked.suite.options):
        tasks = DownstreamSettings.of(asked)
        from polyprobe.probing.downstream.run import DownstreamStudy

        return DownstreamStudy(tasks)
    return ProbingStudy(ProbingSettings.of(asked))


class ProbingStudy(Study):
    """Tests of an encoder's vectors or counts, probe by probe."""

    command = "probe"

    def __init__(self, settings: ProbingSettings):
        asked = settings.asked
        # One's own tests have errors more often than others, and are told of them before torch is imported.
        self._own = read_tests(settings) if asked.suite.name in OWN_TESTS else None
        if needs_torch(asked.encoder.options):
            from polyprobe.models.base.torch_process import flush_denormals

            flush_denormals()  # before it computes
        self.encoder = make_encoder(asked.encoder.options)
        if isinstance(self.encoder, CountEncoder):
            settings = replace(settings, asked=asked.with_own_probe(self.encoder))
        self.config, self.settings, self.workspace = settings.asked.kept, settings, settings.workspace
        self.machine = settings.bank
        self._versions = versions_of_tests(settings)

    @property
    def name(self) -> str:
        return run_name(self.settings, self._versions, self.encoder)

    def versions(self) -> Mapping[str, str]:
        return self._versions

    @property
    def outcome(self) -> Collection[Path]:
        return kept_probes(self.run) if self.settings.asked.keep else ()

    def prepare(self) -> Work:
        columns_of_layers()  # a package whose metric is none is refused before anything is computed
        tests = self._own or read_tests(self.settings)  # before torch is imported
        from polyprobe.probing.probing_run import prepared

        return prepared(self.settings, tests, self.encoder)


def run_name(settings: ProbingSettings, versions: Mapping[str, str], encoder: Encoder | CountEncoder) -> str:
    """Returns suite, language, encoder, seed and identity: `linspector_type-fi-checkpoint-s1-3f2a9c1e`.

    The encoder enters the identity by its fingerprint, a user's own tests by their names and contents: the same vectors
    and tests from another path are the same run.

    Args:
        versions: a digest of the files of each test, by its name.
    """
    known, content = settings.identity, {"path": [list(one) for one in versions.items()]}
    tests = {"suite": {**known.settings["suite"], **content}} if settings.asked.suite.name in OWN_TESTS else {}
    return known.name(**tests, encoder=encoder.fingerprint)
