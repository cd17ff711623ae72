"""The functions of the library that end with a run, or with a folder of vectors.

Each does what a command does, and has the names of its keys. An argument of None is as the command has it
(conf/<command>.yaml); `overrides` takes further arguments as typed: `overrides=["cache.number=float16"]`. An error is
that of the command, a PolyprobeError.
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from polyprobe.formats.tables_in_memory import data_path
from polyprobe.library.calls import Values, at_work, configuration, finished_run
from polyprobe.library.command_work import begin
from polyprobe.library.finished import Reference, Run, references
from polyprobe.library.models import EncoderChoice, PredictorChoice, keys_of
from polyprobe.probing.own_functions import own_model
from polyprobe.runs.workspace import CACHE

if TYPE_CHECKING:
    from pandas import DataFrame

Names = Sequence[str] | None
Layers = Sequence[str | int] | None
Folder = str | PathLike[str] | None
Encoder = str | EncoderChoice | Callable[[list[Any]], Any] | object | None
Predictor = str | PredictorChoice | Callable[[list[str]], Any]
Columns = Mapping[str, str] | None
Data: TypeAlias = "str | PathLike[str] | Sequence[Any] | Mapping[str, Any] | DataFrame | None"
_LABELLED = {1: ("item",), 2: ("item", "label"), 3: ("word", "sentence", "label")}  # columns of rows without names
_CORPUS = {1: ("text",), 3: ("premise", "hypothesis", "label")}


def probe(
    encoder: Encoder = None,
    *,
    name: str | None = None,
    suite: str | None = None,
    data: Data = None,
    columns: Columns = None,
    lang: str | None = None,
    tests: Names = None,
    layers: Layers = None,
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
        data: instead of a suite a file or folder (docs/own_data.md), a data frame, a list of (text, label) or (word,
            sentence, label), a dictionary of columns, or {"train": …, "dev": …, "test": …} of these.
        columns: column names of `data` by role: `{"label": "case"}`.
        layers: of the encoder: [2, "layer_3"]; None for all.
        work: folder for runs and caches.
        threads: number of torch threads, of the whole process.
        device: "cpu" or "gpu".
        overrides: further command-line arguments, such as `["cache.number=float16"]`.
        quiet: True to print nothing.
    """
    own, path = own_model("encoder", encoder, name), _data(data, _LABELLED, work)
    keys: Values = {"suite": suite, "data": path, "columns": columns, "lang": lang, **_encoder(encoder, own, layers)}
    keys |= {"tests": tests, "probe": probe, "seed": seed, "seeds": seeds, "baselines": baselines}
    return finished_run("probe", {**keys, **_machine(work, threads, device)}, overrides, quiet, own)


def export_vectors(
    encoder: str | EncoderChoice,
    folder: str | PathLike[str],
    *,
    suite: str | None = None,
    data: Data = None,
    columns: Columns = None,
    lang: str | None = None,
    tests: Names = None,
    layers: Layers = None,
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
    """
    from polyprobe.probing.door import probe_settings
    from polyprobe.probing.export import exported

    keys: Values = {"suite": suite, "data": _data(data, _LABELLED, work), "columns": columns, "lang": lang}
    keys |= {**_encoder(encoder, None, layers), "tests": tests, **_machine(work, threads, device)}
    keys |= {"job": "export", "folder": folder}
    with at_work(quiet):
        config = configuration("probe", keys, overrides)
        begin(config)
        return exported(probe_settings(config), config["folder"])


def score_minimal_sets(
    predictor: Predictor,
    *,
    name: str | None = None,
    suite: str | None = None,
    data: Data = None,
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
        data: instead of a suite your own pairs: as for `probe`, rows are (grammatical, ungrammatical).
        constructions: `tests`: names of constructions.
        columns, lang, ties, unknown_focus: keys of conf/probe.yaml.
        work, threads, device, overrides, quiet: see `probe`.
    """
    own, path = own_model("predictor", predictor, name), _data(data, {2: ("good", "bad")}, work)
    keys: Values = {"suite": suite, "data": path, "columns": columns, "lang": lang}
    keys |= {} if own else keys_of("predictor", predictor)
    keys |= {"tests": constructions, "ties": ties, "unknown_focus": unknown_focus}
    return finished_run("probe", {**keys, **_machine(work, threads, device)}, overrides, quiet, own)


def score_downstream_tasks(
    encoder: Encoder,
    *,
    name: str | None = None,
    lang: str | None = None,
    tasks: Names = None,
    layers: Layers = None,
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
        tasks: `tests`: names of tasks.
        lang, protocol, seed, seeds: keys of conf/probe.yaml.
        encoder, name, layers, work, threads, device, overrides, quiet: see `probe`.
    """
    own = own_model("encoder", encoder, name)
    keys: Values = {"suite": "senteval_downstream", "lang": lang, **_encoder(encoder, own, layers), "tests": tasks}
    keys |= {"protocol": protocol, "seed": seed, "seeds": seeds, **_machine(work, threads, device)}
    return finished_run("probe", keys, overrides, quiet, own)


def train(
    task: str,
    *,
    data: Data = None,
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
        data: your own corpus: as for `probe`, rows are texts, or (premise, hypothesis, label).
        max_epochs: `trainer.max_epochs`.
        columns, lang, model, encoder, probe_each_epoch, seed: keys of conf/train.yaml.
        work, threads, device, overrides, quiet: see `probe`.
    """
    keys: Values = {"task": task, "data": _data(data, _CORPUS, work), "columns": columns, "lang": lang, "model": model}
    keys |= {**keys_of("encoder", encoder), "trainer.max_epochs": max_epochs, "probe_each_epoch": probe_each_epoch}
    return finished_run("train", {**keys, "seed": seed, **_machine(work, threads, device)}, overrides, quiet)


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
    """
    keys = {"suite": suite, "lang": lang, "tests": tests, "seed": seed, "paths.work": work}
    return finished_run("generate", keys, overrides, quiet)


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
    """
    keys = {"job": "similarity", "runs": references(runs), "measures": measures, "tests": tests, "paths.work": work}
    return finished_run("analyze", keys, overrides, quiet)


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
    """
    named = references([run])[0]
    keys = {"job": "neurons", "run": named, "rankings": rankings, "tests": tests, "paths.work": work}
    return finished_run("analyze", keys, overrides, quiet)


def _encoder(encoder: Encoder, own: object, layers: Layers) -> dict[str, Any]:
    """Returns the keys of an encoder, none for a function; its layers are those of the call, or else of its options."""
    return {**({} if own else keys_of("encoder", encoder)), **({} if layers is None else {"encoder.layers": layers})}


def _data(data: Data, names: Mapping[int, Sequence[str]], work: Folder) -> Folder:
    return data_path(data, names, Path(work or ".") / CACHE / "data")


def _machine(work: Folder, threads: int | None, device: str | None) -> dict[str, Any]:
    return {"paths.work": work, "trainer": device, "trainer.threads": threads}
