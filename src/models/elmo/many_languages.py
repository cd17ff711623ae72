"""Reads ELMoForManyLangs models: a folder with config.json, dictionaries and two files of tensors."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import BaseModel, Field
from torch import Tensor

from polyprobe.models.elmo.network import ElmoSizes, weight_shapes
from polyprobe.models.elmo.options import (
    ForeignModel,
    LanguageModelOptions,
    Spelling,
    WordOptions,
    read_options,
    sizes_of,
)

_log = logging.getLogger(__name__)

# What the published models were trained with.
_STANDARD_OPTIONS = {
    "encoder": {"name": "elmo", "projection_dim": 512, "cell_clip": 3, "proj_clip": 3, "dim": 4096, "n_layers": 2},
    "token_embedder": {
        "name": "cnn",
        "activation": "relu",
        "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]],
        "n_highway": 2,
        "word_dim": 100,
        "char_dim": 50,
        "max_characters_per_token": 50,
    },
}
_WORD_MODULES = {  # ours: theirs; the projection has one name
    "character_cnn.characters.": "char_emb_layer.embedding.",
    "character_cnn.convolutions.": "convolutions.",
    "character_cnn.highways.": "highways._layers.",
    "words.": "word_emb_layer.embedding.",
}
_LSTM_TENSORS = {
    "input_weight": "input_linearity.weight",
    "state_weight": "state_linearity.weight",
    "bias": "state_linearity.bias",
    "projection": "state_projection.weight",
}
_LOST_BY_STRIPPING = "\u3000"  # the ideographic space, the token of a line without one


class _Words(WordOptions):
    name: Literal["cnn"]
    word_dim: Annotated[int, Field(ge=0)]
    char_dim: Annotated[int, Field(ge=1)]


class _Options(BaseModel):
    encoder: LanguageModelOptions
    token_embedder: _Words


class _Named(BaseModel):
    config_path: str


def options_of(folder: Path) -> _Options:
    """Finds the model's options, which config.json names by a path, often one of another machine.

    That path is tried, as written or from the folder, then a file of its name in the folder; if there is none, the
    options of the published models are used, with a warning.

    Raises:
        ForeignModel: config.json names no file, or it or that file is not a JSON object of such options.
    """
    named = read_options(folder / "config.json", _Named).config_path
    for path in (folder / named, folder / Path(named).name):
        if path.is_file():
            return read_options(path, _Options)
    _log.warning(
        "%s names %s, which does not exist: the options of the published models are used. Shapes are checked against "
        "them; limits, activation and longest word cannot be, and vectors are wrong if they differ.",
        *(folder / "config.json", named),
    )
    return _Options.model_validate_json(json.dumps(_STANDARD_OPTIONS))


def read_model_options(folder: Path) -> tuple[ElmoSizes, Spelling]:
    """Reads options and dictionaries."""
    options = options_of(folder)
    word_size = options.token_embedder.word_dim
    characters = read_dictionary(folder / "char.dic", ("<bos>", "<eos>", "<oov>", "<pad>", "<bow>", "<eow>"))
    words = read_dictionary(folder / "word.dic", ("<oov>", "<bos>", "<eos>")) if word_size else None
    sizes = sizes_of(
        options.token_embedder,
        options.encoder,
        n_characters=1 + max(characters.values()),
        character_size=options.token_embedder.char_dim,
        n_words=1 + max(words.values()) if words else 0,
        word_size=word_size,
        is_residual=True,
    )
    return sizes, _spelling(characters, words, options.token_embedder.longest)


def read_dictionary(path: Path, marks: tuple[str, ...]) -> dict[str, int]:
    """Reads lines of a token, a tab and its number.

    Lines are stripped, as in the released code; one that is left with a number alone is the ideographic space. Where a
    token comes twice, the last line counts.
    """
    try:
        lines = path.read_bytes().decode("utf-8").rstrip("\n").split("\n")
    except FileNotFoundError:
        raise ForeignModel(path, "there is no such file", "lines of a token, a tab and its number") from None
    except UnicodeDecodeError as error:
        raise ForeignModel(path, f"byte {error.start + 1} is not UTF-8", "text in UTF-8") from None
    ids = dict(_entry(path, number, line) for number, line in enumerate(lines, start=1))
    for mark in marks:
        if mark not in ids:
            raise ForeignModel(path, f"it has no {mark}", f"the tokens {' '.join(marks)} among others")
    return ids


def read_weights(folder: Path, sizes: ElmoSizes) -> dict[str, Tensor]:
    """Reads both files of tensors as tensors of `Elmo`; no code in them is executed.

    Raises:
        ForeignModel: a file is missing, cut off, or holds anything but tensors; a tensor is missing, is one too many,
            has another shape than the options require, or holds NaN or infinity.
    """
    words, language_model = folder / "token_embedder.pkl", folder / "encoder.pkl"
    shapes = weight_shapes(sizes)
    of_language_model = {name: shape for name, shape in shapes.items() if "_layers." in name}
    of_words = {name: shape for name, shape in shapes.items() if name not in of_language_model}
    return _tensors(words, of_words) | _tensors(language_model, of_language_model)


def _spelling(characters: Mapping[str, int], words: Mapping[str, int] | None, longest: int) -> Spelling:
    """Begin and end of a word are swapped, as in training and in the released models."""
    return Spelling(
        character_ids=characters,
        unknown=characters["<oov>"],
        opening=characters["<eow>"],
        closing=characters["<bow>"],
        padding=characters["<pad>"],
        sentence_marks=(characters["<bos>"], characters["<eos>"]),
        longest=longest,
        word_ids=words,
        unknown_word=words["<oov>"] if words else 0,
        word_marks=(words["<bos>"], words["<eos>"]) if words else (0, 0),
    )


def _entry(path: Path, number: int, line: str) -> tuple[str, int]:
    cells = line.strip().split("\t")
    token, identity = cells if len(cells) == 2 else (_LOST_BY_STRIPPING, *cells) if len(cells) == 1 else ("", "")
    if not token or not (identity.isascii() and identity.isdecimal() and len(identity) < 9):
        raise ForeignModel(path, f"line {number} is {line!r}", "a token, a tab and its number, from 0")
    return token, int(identity)


def _tensors(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    content = _state_dictionary(path)
    names = {_their_name(name): name for name in shapes}
    for name in content:
        if name not in names:
            raise ForeignModel(path, f"it has {name}, which the options do not ask for", f"only {', '.join(names)}")
    return {name: _tensor(path, content, their_name, shapes[name]) for their_name, name in names.items()}


def _tensor(path: Path, content: Mapping[str, object], name: str, shape: tuple[int, ...]) -> Tensor:
    tensor = content.get(name)
    expected = f"the tensor {name} of shape {shape}, as options and dictionaries say"
    if not isinstance(tensor, Tensor):
        raise ForeignModel(path, f"it has no tensor {name}", expected)
    if tuple(tensor.shape) != shape or not tensor.is_floating_point():
        raise ForeignModel(path, f"{name} has shape {tuple(tensor.shape)}, {tensor.dtype}", expected)
    if not tensor.isfinite().all():
        raise ForeignModel(path, f"{name} has values that are not finite", "finite numbers")
    return tensor.float().contiguous()


def _state_dictionary(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        raise ForeignModel(path, "there is no such file", "tensors, as PyTorch saves them")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged pickle can end in any exception
        found = "it holds more than tensors, or is truncated; nothing in it was executed"
        raise ForeignModel(path, found, "tensors, as PyTorch saves them") from error
    if not isinstance(content, Mapping):
        raise ForeignModel(path, f"it holds a {type(content).__name__}", "tensors by name")
    return content


def _their_name(name: str) -> str:
    if "_layers." in name:
        layers, number, tensor = name.split(".")
        return f"{layers.removesuffix('s')}_{number}.{_LSTM_TENSORS[tensor]}"
    for ours, theirs in _WORD_MODULES.items():
        if name.startswith(ours):
            return theirs + name.removeprefix(ours)
    return name
