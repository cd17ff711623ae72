"""Runs that somebody else made: whole by their digests, and with anything in them."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import yaml

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.encoders.random import RandomVectors
from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import build_model, write_digest

TAGGER = {
    "_target_": "polyprobe.models.tagger.Tagger", "hidden_size": 5, "n_layers": 1, "dropout": 0.0, "seed": 1,
    "optimizer": {"_target_": "torch.optim.Adam", "_partial_": True, "lr": 0.1},
}  # fmt: skip
OPTIONS = {"width": 4, "seed": 1, "lowercase": False, "dotless_i": False}
DELETED = object()
ENCODER = {"settings": {"_target_": "polyprobe.encoders.random.RandomVectors", **OPTIONS}, "number": "float32"}


def tagger_over_vectors(run: Path, encoder: object = None) -> Path:
    """Writes a finished run of a tagger that reads frozen random vectors.

    Args:
        run: its folder.
        encoder: what its checkpoint says of the encoder, in place of the truth.
    """
    source = VectorSource(RandomVectors(**OPTIONS), VectorCache(folder=run))
    reader = {
        "_target_": "polyprobe.models.inputs.frozen_vectors.FrozenVectors", "width": source.width,
        "reads_context": False,
        "fingerprint": source.fingerprint, "tuned": [], "case": "kept",
    }  # fmt: skip
    inputs = {"reader": reader, "labels": ["NOUN", "VERB"]}
    saved = {"model": TAGGER, "inputs": inputs, "encoder": ENCODER if encoder is None else encoder}
    state = build_model(TAGGER, inputs).state_dict()
    write_content(run / "epochs/00.ckpt", {"polyprobe": saved, "state_dict": state})
    return finished(run)


def write_content(path: Path, content: Any) -> None:
    """Writes a checkpoint file with its digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)
    write_digest(path, file_digest(path))


def changed(path: Path, change: Callable[[dict], Any]) -> Path:
    """Changes what a checkpoint file holds, in place; `change` may give something else altogether."""
    content = torch.load(path, weights_only=True)
    other = change(content)
    write_content(path, content if other is None else other)
    return path


def finished(run: Path, best: object = 0) -> Path:
    """Makes a finished run of a folder with checkpoints."""
    (run / "run.json").write_text(json.dumps({"status": "finished", "best_epoch": best}), encoding="utf-8")
    (run / "results.jsonl").touch()
    return run


def with_config(run: Path, **changes: Any) -> Path:
    """Changes the config.yaml of a run."""
    config = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))
    (run / "config.yaml").write_text(yaml.safe_dump({**config, **changes}), encoding="utf-8")
    return run


def places(node: Any, above: tuple = ()) -> Iterator[tuple]:
    """Yields the way to everything in nested mappings and lists."""
    if isinstance(node, dict | list) and node:
        parts = node.items() if isinstance(node, dict) else [(0, node[0])]
        for key, value in parts:
            yield (*above, key)
            yield from places(value, (*above, key))


def with_wrong(content: dict, place: tuple, wrong: object) -> dict:
    damaged = copy.deepcopy(content)
    node = damaged
    for key in place[:-1]:
        node = node[key]
    if wrong is DELETED:
        del node[place[-1]]
    else:
        node[place[-1]] = wrong
    return damaged
