"""The functions of the library that end with a run, or with a folder of vectors.

Each does what a command does, and has the names of its keys.

An argument of None is as the command has it (conf/<command>.yaml). `overrides` takes further command-line arguments:
`overrides=["cache.number=float16"]`.
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from polyprobe.library.calls import at_work, configuration, finished_run, typed_as
from polyprobe.library.command_work import GENERATE, NEURONS, PROBE, SIMILARITY, TRAIN
from polyprobe.library.finished import Reference, Run, references
from polyprobe.library.models import EncoderChoice, PredictorChoice, typed_choice
from polyprobe.library.own_functions import OwnModel, own_model

Names = Sequence[str] | None
Folder = str | PathLike[str] | None
EncoderGiven = str | EncoderChoice | Callable[[list[Any]], Any] | object | None
PredictorGiven = str | PredictorChoice | Callable[[list[str]], Any]
Columns = Mapping[str, str] | None


def probe(
    encoder: EncoderGiven = None,
    *,
    name: str | None = None,
    suite: str | None = None,
    data: Folder = None,
    columns: Columns = None,
    lang: str | None = None,
    tests: Names = None,
    layers: Sequence[str | int] | None = None,
    probe: str | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    baselines: str | None = None,
    work: Folder = None,
    threads: int | None = None,
    device: str | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Trains probes on the vectors of an encoder, as `probe.py encoder=…` does; a finished run is returned at once.

    Args:
        encoder: a choice of `encoder=`, alone or with options (`encoder`); a function `list -> [items, width]` or
            `[layers, items, width]`; or an object with layers, accepts, fingerprint and encode. See docs/library.md.
        name: name of a function in the results.
        suite, lang, tests, probe, seed, seeds, baselines: keys of conf/probe.yaml.
        data: your own file or folder, instead of a suite (docs/own_data.md).
        columns: column names of `data` by role: `{"label": "case"}`.
        layers: `encoder.layers`: names of layers of the encoder.
        work: folder for runs and caches.
        threads: number of torch threads.
        device: "cpu" or "gpu".
        overrides: further command-line arguments, such as `["cache.number=float16"]`.
        quiet: True to print nothing.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    own = own_model("encoder", encoder, name)
    keys = {"suite": suite, "data": data, "columns": columns, "lang": lang}
    keys |= {**_chosen_encoder(encoder, own, layers), "tests": tests, "probe": probe}
    keys |= {"seed": seed, "seeds": seeds, "baselines": baselines}
    return finished_run(PROBE, {**keys, **_machine(work, threads, device)}, overrides, quiet, own)


def export_vectors(
    encoder: str | EncoderChoice,
    folder: str | PathLike[str],
    *,
    suite: str | None = None,
    data: Folder = None,
    columns: Columns = None,
    lang: str | None = None,
    tests: Names = None,
    layers: Sequence[str | int] | None = None,
    work: Folder = None,
    threads: int | None = None,
    device: str | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Path:
    """Writes the vectors of the items of tests into a new folder, as `probe.py job=export` does; returns the folder.

    Args:
        encoder: a choice of `encoder=`, alone or with options (`encoder`).
        folder: to be written; `encoder=vectors` reads it, and docs/elsewhere.md says what is in it.
        suite, data, columns, lang, tests, layers, work, threads, device, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    keys = {"suite": suite, "data": data, "columns": columns, "lang": lang, **_chosen_encoder(encoder, None, layers)}
    keys |= {"tests": tests, "job": "export", "folder": folder, **_machine(work, threads, device)}
    with at_work(quiet):
        config, typed = configuration("probe", [*typed_as(keys), *overrides])
        PROBE.begin(config, typed)
        from polyprobe.probing.door import probe_settings
        from polyprobe.probing.export import exported

        return exported(probe_settings(config), config["folder"])


def score_minimal_sets(
    predictor: PredictorGiven,
    *,
    name: str | None = None,
    suite: str | None = None,
    data: Folder = None,
    columns: Columns = None,
    lang: str | None = None,
    constructions: Names = None,
    ties: str | None = None,
    unknown_focus: str | None = None,
    work: Folder = None,
    threads: int | None = None,
    device: str | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Evaluates a language model on minimal sets, as `probe.py suite=clams predictor=…` does.

    Args:
        predictor: a choice of `predictor=`, alone or with options (`predictor`); or a function of a list of sentences,
            which returns the log-probability of each, or of each those of its words, in nats. See docs/library.md.
        name: name of a function in the results.
        suite: of minimal sets, such as "clams".
        data, columns: your own pairs, instead of a suite, see `probe`.
        constructions: `tests`: names of constructions.
        lang, ties, unknown_focus: keys of conf/probe.yaml.
        work, threads, device, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    own = own_model("predictor", predictor, name)
    keys = {"suite": suite, "data": data, "columns": columns, "lang": lang}
    keys |= {**typed_choice("predictor", predictor, own), "tests": constructions}
    keys |= {"ties": ties, "unknown_focus": unknown_focus}
    return finished_run(PROBE, {**keys, **_machine(work, threads, device)}, overrides, quiet, own)


def score_downstream_tasks(
    encoder: EncoderGiven,
    *,
    name: str | None = None,
    lang: str | None = None,
    tasks: Names = None,
    layers: Sequence[str | int] | None = None,
    protocol: str | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    work: Folder = None,
    threads: int | None = None,
    device: str | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Evaluates an encoder on SentEval's downstream tasks, as `probe.py suite=senteval_downstream encoder=…` does.

    Args:
        encoder, name: see `probe`.
        tasks: `tests`: names of tasks.
        lang, protocol, seed, seeds: keys of conf/probe.yaml.
        layers, work, threads, device, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    own = own_model("encoder", encoder, name)
    chosen = {"suite": "senteval_downstream", "lang": lang, **_chosen_encoder(encoder, own, layers)}
    keys = {**chosen, "tests": tasks, "protocol": protocol, "seed": seed, "seeds": seeds}
    return finished_run(PROBE, {**keys, **_machine(work, threads, device)}, overrides, quiet, own)


def train(
    task: str,
    *,
    data: Folder = None,
    columns: Columns = None,
    lang: str | None = None,
    model: str | None = None,
    encoder: str | EncoderChoice | None = None,
    max_epochs: int | None = None,
    probe_each_epoch: Names = None,
    seed: int | None = None,
    work: Folder = None,
    threads: int | None = None,
    device: str | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Trains a model, as `train.py task=…` does.

    Args:
        task: a choice of `task=`.
        data, columns: your own corpus, see `probe`.
        max_epochs: `trainer.max_epochs`.
        lang, model, encoder, probe_each_epoch, seed: keys of conf/train.yaml.
        work, threads, device, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    keys = {"task": task, "data": data, "columns": columns, "lang": lang}
    keys |= {"model": model, **typed_choice("encoder", encoder, None)}
    keys |= {"trainer.max_epochs": max_epochs, "probe_each_epoch": probe_each_epoch, "seed": seed}
    return finished_run(TRAIN, {**keys, **_machine(work, threads, device)}, overrides, quiet)


def generate(
    suite: str,
    *,
    lang: str | None = None,
    tests: Names = None,
    seed: int | None = None,
    work: Folder = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Generates minimal sets or probing tests, as `generate.py suite=…` does.

    Args:
        suite: what to generate, such as "clams".
        lang, tests, seed: keys of conf/generate.yaml.
        work, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    keys = {"suite": suite, "lang": lang, "tests": tests, "seed": seed, "paths.work": work}
    return finished_run(GENERATE, keys, overrides, quiet)


def similarity(
    *runs: Reference,
    measures: Names = None,
    tests: Names = None,
    work: Folder = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Compares all layers of runs, as `analyze.py job=similarity` does.

    Args:
        runs: of `probe`.
        measures: `measures`, such as ["cka"].
        tests: of whose items the vectors are; None for the first that all runs have.
        work, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    keys = {"job": "similarity", "runs": references(runs), "measures": measures, "tests": tests, "paths.work": work}
    return finished_run(SIMILARITY, keys, overrides, quiet)


def neurons(
    run: Reference,
    *,
    rankings: Names = None,
    tests: Names = None,
    work: Folder = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Ranks the neurons of a run of `probe(probe="neurons")`, as `analyze.py job=neurons` does.

    Args:
        rankings: `rankings`, such as ["weights"].
        tests: names of tests; None for all of the run.
        work, overrides, quiet: see `probe`.

    Raises:
        PolyprobeError: the error that the command would report.
    """
    named = references([run])[0]
    keys = {"job": "neurons", "run": named, "rankings": rankings, "tests": tests, "paths.work": work}
    return finished_run(NEURONS, keys, overrides, quiet)


def _chosen_encoder(encoder: EncoderGiven, own: OwnModel | None, layers: Sequence[str | int] | None) -> dict[str, Any]:
    """Returns the keys of an encoder; its layers are those of the call, or else those among its options."""
    chosen = typed_choice("encoder", encoder, own)
    return chosen if layers is None else {**chosen, "encoder.layers": layers}


def _machine(work: Folder, threads: int | None, device: str | None) -> dict[str, Any]:
    return {"paths.work": work, "trainer": device, "trainer.threads": threads}
