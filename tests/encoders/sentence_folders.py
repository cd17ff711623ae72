"""Folders of sentence-transformers over tiny transformers, written file by file: old layouts and new ones."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from tests.encoders.tiny_transformers import write_transformer

WIDTH = 8
OLD, NEW = "sentence_transformers.models", "sentence_transformers.sentence_transformer.modules.thing"
OLD_FLAGS = {
    "cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens", "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "weightedmean": "weightedmean_tokens", "lasttoken": "lasttoken",
}  # fmt: skip


def flags(*modes: str, **others: Any) -> dict[str, Any]:
    """The older way to say how pieces are pooled."""
    told = {f"pooling_mode_{flag}": mode in modes for mode, flag in OLD_FLAGS.items()}
    return {"word_embedding_dimension": WIDTH, **told, **others}


def modes(*names: str, **others: Any) -> dict[str, Any]:
    """The newer way."""
    return {"embedding_dimension": WIDTH, "pooling_mode": names[0] if len(names) == 1 else list(names), **others}


def dense(n_in: int, n_out: int, activation: str = "torch.nn.modules.activation.Tanh", bias: bool = True) -> tuple:
    """A Dense module: its type, configuration and weights."""
    weights = {"linear.weight": drawn(n_out, n_in), **({"linear.bias": drawn(n_out)} if bias else {})}
    config = {"in_features": n_in, "out_features": n_out, "bias": bias, "activation_function": activation}
    return "Dense", config, weights


def layer_norm(width: int) -> tuple:
    return "LayerNorm", {"dimension": width}, {"norm.weight": drawn(width), "norm.bias": drawn(width)}


NORMALIZE = ("Normalize", None, None)


def write_sentence_folder(
    folder: Path,
    pooling: Mapping[str, Any],
    *steps: tuple,
    architecture: str = "bert",
    kinds: str = OLD,
    of_transformer: Mapping[str, Any] | None = None,
    of_model: Mapping[str, Any] | None = None,
    pickled: bool = False,
) -> Path:
    """Writes a folder and returns it.

    Args:
        folder: where.
        pooling: configuration of the module Pooling.
        steps: modules after it: type, configuration and weights.
        architecture: of `tiny_transformers`.
        kinds: the package that types are of.
        of_transformer: sentence_bert_config.json.
        of_model: config_sentence_transformers.json.
        pickled: whether weights of steps are pickles.
    """
    write_transformer(folder, architecture)
    listed = [{"idx": 0, "name": "0", "path": "", "type": f"{kinds}.Transformer"}]
    for number, (kind, config, weights) in enumerate([("Pooling", pooling, None), *steps], start=1):
        name = f"{number}_{kind}"
        listed.append({"idx": number, "name": str(number), "path": name, "type": f"{kinds}.{kind}"})
        if config is not None:
            write_json(folder / name / "config.json", config)
        if weights is not None and pickled:
            torch.save(weights, folder / name / "pytorch_model.bin")
        elif weights is not None:
            save_file(weights, folder / name / "model.safetensors")
    write_json(folder / "modules.json", listed)
    told = {"max_seq_length": 24, "do_lower_case": False} if of_transformer is None else of_transformer
    write_json(folder / "sentence_bert_config.json", told)
    write_json(folder / "config_sentence_transformers.json", of_model or {})
    return folder


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def drawn(*sizes: int) -> torch.Tensor:
    return torch.randn(sizes, generator=torch.Generator().manual_seed(sum(sizes))) * 0.5
