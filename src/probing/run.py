"""The door of probing: `python probe.py` from its configuration to a finished run.

What a run is called, and what an earlier command found, is known without torch, unless the encoder itself needs it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from src.encoders.base.build import make_encoder, needs_torch
from src.encoders.base.encoder import CountEncoder, Encoder
from src.encoders.before_torch import check_encoder, check_predictor
from src.formats.files.file_names import file_name
from src.probing.count_classifiers.count_classifier import with_own_probe
from src.probing.design import read_tests, versions_of_tests
from src.probing.downstream.settings import DownstreamSettings
from src.probing.minimal_sets.settings import MinimalSetSettings
from src.probing.settings import ProbingSettings
from src.probing.suites.chosen import has_downstream_tasks, has_minimal_sets
from src.probing.suites.test_files import CONLLU
from src.probing.suites.treebank_columns import OF_COLUMNS
from src.runs.directory import RunDirectory
from src.runs.names.identity import identity
from src.runs.study import Study, Work, done
from src.runs.workspace import Workspace

OWN = "own"
# Keys of the configuration that have no part in probing, but in minimal sets or downstream tasks.
OF_OTHER_SUITES = ("predictor", "ties", "unknown_focus", "end_of_sentence", "capitalise", "protocol")


def study_of(config: Mapping[str, Any]) -> Study:
    """Returns what a configuration asks: minimal sets by a predictor, downstream tasks, or tests to train probes on.

    Settings, encoders and predictors that are not what they should be are refused before torch is imported.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    trained = Workspace.of(config["paths"]).runs("train")
    # A predictor chosen for tests to train probes on is refused as the settings of minimal sets are read.
    if has_minimal_sets(config["suite"]) or config.get("predictor") is not None:
        sets = MinimalSetSettings.of(config)
        for one in sets.predictors:
            check_predictor(one, trained)
        from src.probing.minimal_sets.run import MinimalSetStudy

        return MinimalSetStudy(config, sets)
    check_encoder(config["encoder"], trained)
    if has_downstream_tasks(config["suite"]):
        tasks = DownstreamSettings.of(config)
        from src.probing.downstream.run import DownstreamStudy

        return DownstreamStudy(config, tasks)
    return ProbingStudy(config, ProbingSettings.of(config))


class ProbingStudy(Study):
    """Tests of an encoder's vectors or counts, probe by probe.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with tests to train probes on.
        settings: what it says.
    """

    command = "probe"

    def __init__(self, config: Mapping[str, Any], settings: ProbingSettings):
        # One's own tests have errors more often than others, and are told of them before torch is imported.
        self._own = read_tests(settings) if config["choices"]["suite"] == OWN else None
        if needs_torch(config["encoder"]):
            from src.models.base.lightning_process import flush_denormals

            flush_denormals()  # before it computes
        self.encoder = make_encoder(config["encoder"])
        if isinstance(self.encoder, CountEncoder):
            config = with_own_probe(config, self.encoder)
            settings = replace(settings, probe_name=config["choices"]["probe"], probe=config["probe"])
        self.config, self.settings, self.workspace = config, settings, settings.workspace
        self._versions = versions_of_tests(settings)

    @property
    def name(self) -> str:
        return run_name(self.config, self._versions, self.encoder)

    def versions(self) -> Mapping[str, str]:
        return self._versions

    def prepare(self) -> Work:
        tests = self._own or read_tests(self.settings)  # before torch is imported
        from src.probing.probing_run import prepared

        return prepared(self.config, self.settings, tests, self.encoder)


def probe(config: Mapping[str, Any], settings: ProbingSettings) -> RunDirectory:
    """Probes what a configuration says, or prints what an earlier run of the same found: see `ProbingStudy`.

    Returns:
        The directory of the finished run.
    """
    return done(ProbingStudy(config, settings))


def run_name(config: Mapping[str, Any], versions: Mapping[str, str], encoder: Encoder | CountEncoder) -> str:
    """Returns suite, language, encoder, seed and identity: `linspector_type-fi-checkpoint-s1-3f2a9c1e`.

    The encoder enters the identity by its fingerprint, a user's own tests by their names and contents: the same vectors
    and tests from another path are the same run.

    Args:
        config: the configuration.
        versions: a digest of the files of each test, by its name.
        encoder: that is probed.
    """
    suite, lang, kind = config["choices"]["suite"], config["lang"]["code"], config["choices"]["encoder"]
    config = {key: value for key, value in config.items() if key not in OF_OTHER_SUITES}
    of_others = {*OF_OTHER_SUITES, *(() if config["suite"]["format"] == CONLLU else OF_COLUMNS)}
    own = {key: value for key, value in config["suite"].items() if key not in of_others}
    tests = {"suite": {**own, "path": [list(one) for one in versions.items()]}} if suite == OWN else {}
    cache = {"cache": config["cache"]["number"]}
    number = identity({**config, **tests, **cache, "encoder": encoder.fingerprint})
    return file_name(f"{suite}-{lang}-{kind}-s{config['seed']}-{number}")
