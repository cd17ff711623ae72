"""Word vectors of one's own from a text: `python train.py task=word_vectors model=…`."""

import random
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from os import path as paths
from pathlib import Path
from typing import Any

from src.datamodules.corpora.texts import Text, read_text
from src.display.shown import say
from src.errors import BadValue, Impossible, PolyprobeError, check_at_least
from src.formats.reading.case import case_rule
from src.named import built
from src.resources.data_root import data_root
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.record.provenance import digests, report_line_ends
from src.runs.results import ResultRow
from src.runs.workspace import Workspace
from src.seeds import derived_seed
from src.training.run_name import run_name
from src.training.settings import with_one_corpus
from src.training.word_vectors.gensim_models import Cbow, Coverage


def train_vectors(config: Mapping[str, Any]) -> RunDirectory:
    """Trains the vectors that a configuration asks for, or says what an earlier run of the same left.

    A run that was cut off begins anew: gensim cannot go on in the middle with the same numbers.

    Args:
        config: the resolved configuration of conf/train.yaml with task=word_vectors, as plain values.

    Returns:
        The directory of the finished run; the files of the vectors are in its folder `vectors`.

    Raises:
        PolyprobeError: the text, the configuration or the run directory is not what it should be.
    """
    workspace = Workspace.of(config["paths"])
    root = data_root(config["lang"], workspace)
    config = with_one_corpus(config, root)
    model = chosen_model(config)
    name = run_name({**config, "encoder": None}, config["choices"]["model"])  # a text is read, no vectors
    directory = RunDirectory(workspace.runs("train") / name)
    run_once(
        directory,
        config,
        data=lambda: directory.data_now(root),
        prepare=lambda: partial(complete, config, model, chosen_text(config, root), directory, root),
        outcome=[directory.vectors / file for file in model.files],
    )
    print_outcome(config, model, directory)
    return directory


def chosen_model(config: Mapping[str, Any]) -> Cbow:
    """Builds the model, and checks what it cannot do as other tasks do.

    Raises:
        Impossible: it is no model of word vectors.
        PolyprobeError: something is asked of it that it cannot do.
    """
    check_at_least("seed", config["seed"], 0)
    if not str(config["model"]["_target_"]).startswith(f"{Cbow.__module__}."):
        known = "fasttext, subword, word2vec"
        raise Impossible(f"model={config['choices']['model']} is no model of task=word_vectors. Known: {known}.")
    if (config["trainer"]["accelerator"], config["trainer"]["devices"]) != ("cpu", 1):
        raise PolyprobeError(
            "task=word_vectors trains in one process on the CPU, with model.workers threads: trainer=cpu."
        )
    if config["probe_each_epoch"]:
        raise BadValue("probe_each_epoch", config["probe_each_epoch"], "[] with task=word_vectors")
    return built(config["model"], "model")


def chosen_text(config: Mapping[str, Any], root: Path) -> Text:
    """Reads the text of the configuration, lower-cased as it says, in an order that the seed draws."""
    data = config["data"]
    if data["lowercase"] != "python" and not isinstance(data["lowercase"], bool):
        raise BadValue("data.lowercase", data["lowercase"], "true, false or python")
    ((name, settings),) = data["corpora"].items()
    rule = case_rule(data["lowercase"], data["dotless_i"])
    text = read_text(name, settings, data["on_malformed"], root, Workspace.of(config["paths"]).mirror, rule)
    random.Random(derived_seed(config["seed"], "sentences")).shuffle(text.sentences)
    return text


def complete(config: Mapping[str, Any], model: Cbow, text: Text, directory: RunDirectory, root: Path) -> None:
    """Trains, writes the files and the rows, and marks the run as finished."""
    is_new = not directory.begin_anew(digests(text.files, root), workers=model.workers)
    say(f"{'starting' if is_new else 'beginning anew'} {directory.path}")
    say(f"  sentences: {len(text.sentences):,}  (an interrupted run begins anew)")
    line_ends = report_line_ends(text.files, root)
    logger = wandb_logger(config, directory)
    folder = directory.vectors
    folder.mkdir(exist_ok=True)
    coverage = model.train(text.sentences, config["seed"], folder)
    rows = coverage_rows(config, text.name, coverage)
    directory.finish(rows, {**notes(model, text, coverage, folder), "line_ends": line_ends})
    if logger is not None:
        logger.log_metrics({row.metric: row.value for row in rows})
        logger.experiment.finish()


def wandb_logger(config: Mapping[str, Any], directory: RunDirectory) -> Any:
    """Returns the W&B logger of the configuration, or None where it is off."""
    if config["logger"]["wandb"] is None:
        return None
    from src.training.trainer import make_logger  # and with it Lightning, some seconds that nothing else here needs

    return make_logger(config["logger"], directory.path, config)


def coverage_rows(config: Mapping[str, Any], corpus: str, coverage: Coverage) -> list[ResultRow]:
    """Says in two rows which shares of the text's units and of its distinct units have a vector."""
    shared = {
        "stage": "training",
        "lang": config["lang"]["code"],
        "suite": config["task"]["name"],
        "split": "train",
        "corpus": corpus,
        "encoder": config["choices"]["model"],
        "seed": config["seed"],
    }
    tokens = ResultRow(**shared, metric="token_coverage", value=coverage.known / coverage.units, n=coverage.units)
    types = ResultRow(**shared, metric="type_coverage", value=coverage.vocabulary / coverage.types, n=coverage.types)
    return [tokens, types]


def notes(model: Cbow, text: Text, coverage: Coverage, folder: Path) -> dict[str, Any]:
    """Returns what run.json says beside the rows."""
    return {
        "corpus": text.name,
        "counts": {"sentences": len(text.sentences), **asdict(coverage)},
        "left_out": list(text.malformed),
        "vectors": digests([folder / file for file in model.files], folder),
        "workers": model.workers,
        "is_reproducible": model.workers == 1,
    }


def print_outcome(config: Mapping[str, Any], model: Cbow, directory: RunDirectory) -> None:
    """Prints the size of the vocabulary, where the vectors are, and how to go on with them."""
    tokens, types = (row for row in directory.rows() if row["stage"] == "training")
    vocabulary = directory.record()["counts"]["vocabulary"]
    say(f"vocabulary {vocabulary:,} of {types['n']:,} units; {tokens['value']:.1%} of {tokens['n']:,} in the text")
    folder = shortened(directory.vectors)
    for file in model.files:
        say(f"vectors   {folder}/{file}")
    work = config["paths"]["work"]
    more = [] if work == "." else [f"paths.work={work}"]
    print(" ".join(["python probe.py", f"lang={config['lang']['code']}", model.encoder.format(folder=folder), *more]))


def shortened(path: Path) -> str:
    """Writes a path from the current folder where it lies below it."""
    relative = paths.relpath(path)
    return str(path) if relative.startswith("..") else relative
