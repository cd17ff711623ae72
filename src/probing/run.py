"""The door of probing: `python probe.py` from its configuration to a finished run.

What a run is called, and what an earlier command found, is known without torch, unless the encoder itself needs it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from src.encoders.base.build import make_encoder, needs_torch
from src.encoders.base.encoder import CountEncoder, Encoder
from src.formats.files.file_names import file_name
from src.probing.count_classifiers.own_probe import with_own_probe
from src.probing.settings import ProbingSettings
from src.probing.study import read_tests, versions_of_tests
from src.probing.suites.test_files import CONLLU
from src.probing.suites.treebank_columns import OF_COLUMNS
from src.runs.directory import RunDirectory
from src.runs.lifecycle import Work, run_once
from src.runs.names.identity import identity

OWN = "own"
# Keys of the configuration that have no part in probing, but in minimal sets or downstream tasks.
OF_OTHER_SUITES = ("predictor", "ties", "unknown_focus", "end_of_sentence", "capitalise", "protocol")


def probe(config: Mapping[str, Any], settings: ProbingSettings) -> RunDirectory:
    """Probes what a configuration says, or prints what an earlier run of the same found.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values, with tests to train probes on.
        settings: what it says.

    Returns:
        The directory of the finished run.

    Raises:
        PolyprobeError: the encoder, the tests or the run directory are not what they should be.
    """
    # One's own tests have errors more often than others, and are told of them before torch is imported.
    own = read_tests(settings) if config["choices"]["suite"] == OWN else None
    if needs_torch(config["encoder"]):
        from src.models.base.lightning_process import flush_denormals

        flush_denormals()  # before it computes
    encoder = make_encoder(config["encoder"])
    if isinstance(encoder, CountEncoder):
        config = with_own_probe(config, encoder)
        settings = replace(settings, probe_name=config["choices"]["probe"], probe=config["probe"])
    versions = versions_of_tests(settings)
    directory = RunDirectory(settings.workspace.runs("probe") / run_name(config, versions, encoder))

    def prepare() -> Work:
        tests = own or read_tests(settings)  # before torch is imported
        from src.probing.probing_run import prepared

        return prepared(config, settings, tests, encoder, directory)

    return run_once(directory, config, data=lambda: versions, prepare=prepare)


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
