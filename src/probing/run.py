"""One probing run from its configuration to its rows: `python probe.py`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import yaml
from hydra.utils import instantiate
from rich.progress import Progress

from src.datamodules.data_root import data_root
from src.encoders.base import Encoder
from src.encoders.cache import encoded
from src.encoders.checkpoint import CheckpointEncoder
from src.formats.errors import BadValue, UnknownChoice, check_at_least
from src.formats.malformed import Skipped, refuse
from src.models.lightning import quiet_lightning, set_threads
from src.probing.availability import available_tests, chosen_tests
from src.probing.bank import bank_trainer, train_bank
from src.probing.downstream import downstream_rows
from src.probing.jobs import ProbeJob, ProbeOutcome
from src.probing.probes import ProbeSpec
from src.probing.study import Study
from src.probing.suites import Suite, load_test
from src.runs.directory import RunDirectory
from src.runs.identity import identity
from src.runs.results import ResultRow

HANDLERS = {"refuse": lambda: refuse, "skip": Skipped}
# Probes trained together: few enough for a CPU's cache, many enough to fill a GPU.
CHUNK_SIZES = {"cpu": 8, "gpu": 256}


def probe(config: Mapping[str, Any]) -> RunDirectory:
    """Probes what a configuration says, or prints what an earlier run of the same found.

    Args:
        config: the resolved configuration of conf/probe.yaml, as plain values.

    Returns:
        The directory of the finished run.

    Raises:
        PolyprobeError: the encoder, the tests or the run directory are not what they should be.
    """
    torch.set_flush_denormal(True)  # as in training, so that probing inside a training run gives the same numbers
    encoder = instantiate(config["encoder"], _convert_="all")
    on_malformed = HANDLERS.get(config["data"]["on_malformed"])
    if on_malformed is None:
        raise UnknownChoice("data.on_malformed", str(config["data"]["on_malformed"]), HANDLERS)
    handler = on_malformed()
    study = make_study(config, handler)
    downstream = _downstream_rows(encoder)
    data = {test.name: test.version for test in study.tests}
    directory = RunDirectory(Path(config["paths"]["work"]) / "runs" / "probe" / run_name(config, encoder))
    if directory.is_finished:
        print(f"{directory.path} is finished; its results:")
        directory.tidy()
        directory.check_data(data)
        return directory
    directory.open(yaml.safe_dump(dict(config), allow_unicode=True, sort_keys=False))
    try:
        directory.begin(data)
        rows = [*downstream, *probe_layers(config, study, encoder)]
        left_out = [str(place) for place in getattr(handler, "places", ())]
        directory.finish(rows, {"left_out": left_out, "threads": torch.get_num_threads()})
    finally:
        directory.close()
    return directory


def _downstream_rows(encoder: Encoder) -> list[ResultRow]:
    if not isinstance(encoder, CheckpointEncoder):
        return []
    return downstream_rows(encoder.run, [layer.epoch for layer in encoder.layers])


def make_study(config: Mapping[str, Any], on_malformed: Any) -> Study:
    """Reads the tests that a configuration asks for."""
    check_at_least("seed", config["seed"], 0)
    check_at_least("seeds", config["seeds"], 1)
    if not isinstance(config["tests"], list | None):
        raise BadValue("tests", config["tests"], "a list such as [Case,Tense], or null")
    if config["bank"]["chunk_size"] is not None:
        check_at_least("bank.chunk_size", config["bank"]["chunk_size"], 1)
    lang, paths = config["lang"], config["paths"]
    root = data_root(lang, paths)
    suite: Suite = instantiate(config["suite"], _convert_="all")
    names = chosen_tests(available_tests(suite, lang, root), config["tests"])
    return Study(
        lang=lang["code"],
        suite=suite.name,
        encoder=config["choices"]["encoder"],
        probe=config["choices"]["probe"],
        tests=[load_test(suite, lang, name, root, paths["mirror"], on_malformed) for name in names],
        seeds=range(config["seed"], config["seed"] + config["seeds"]),
    )


def run_name(config: Mapping[str, Any], encoder: Encoder) -> str:
    """Gives suite, language, encoder, seed and identity: `linspector_type-fi-checkpoint-s1-3f2a9c1e`.

    The encoder enters the identity by its fingerprint: the same vectors from another path are the same run.
    """
    suite, lang, kind = config["choices"]["suite"], config["lang"]["code"], config["choices"]["encoder"]
    number = identity({**config, "encoder": encoder.fingerprint})
    return f"{suite}-{lang}-{kind}-s{config['seed']}-{number}"


def probe_layers(config: Mapping[str, Any], study: Study, encoder: Encoder) -> list[ResultRow]:
    """Encodes every item once and trains all probes in one bank."""
    vectors = encoded(encoder, study.items(), Path(config["paths"]["work"]) / "cache" / "encodings")
    outcomes = train_probes(config, study.jobs(vectors))
    return list(study.rows(vectors.layers, outcomes))


def train_probes(config: Mapping[str, Any], jobs: list[ProbeJob]) -> list[ProbeOutcome]:
    """Trains the probes on the configured device, with a bar."""
    settings = config["trainer"]
    set_threads(settings["threads"])
    spec: ProbeSpec = instantiate(config["probe"])
    quiet_lightning()
    trainer = bank_trainer(settings["accelerator"])
    on_gpu = trainer.strategy.root_device.type == "cuda"
    with Progress(transient=True) as bar:
        task = bar.add_task(f"training {len(jobs)} probes")
        return train_bank(
            jobs,
            spec,
            config["bank"]["chunk_size"] or CHUNK_SIZES["gpu" if on_gpu else "cpu"],
            trainer,
            lambda done, due: bar.update(task, completed=done, total=due),
        )
