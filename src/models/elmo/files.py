"""Finds the ELMo model in a folder, in either public format, and reads AllenNLP's: options.json and weights.hdf5."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import torch
from pydantic import BaseModel, Field
from torch import Tensor

from polyprobe.errors import PolyprobeError, import_extra
from polyprobe.formats.files.digest import file_digest
from polyprobe.models.elmo import many_languages
from polyprobe.models.elmo.network import ElmoSizes
from polyprobe.models.elmo.options import (
    N_UTF8_IDS,
    ForeignModel,
    LanguageModelOptions,
    Spelling,
    WordOptions,
    read_options,
    sizes_of,
    utf8_spelling,
)

if TYPE_CHECKING:
    import h5py


@dataclass(frozen=True)
class PretrainedElmo:
    """A model on disk, read except for its weights."""

    sizes: ElmoSizes
    spelling: Spelling
    """Both from its options and dictionaries."""
    weight_files: tuple[Path, ...]
    """Where the weights are."""
    read_weights: Callable[[], Mapping[str, Tensor]]
    """Reads them as tensors of `Elmo`; raises `ForeignModel`."""

    def weight_digests(self) -> list[str]:
        """Returns the SHA-256 of each file of weights."""
        return [file_digest(path) for path in self.weight_files]


def find_elmo(folder: Path) -> PretrainedElmo:
    """Reads the options of the one model in a folder.

    AllenNLP's format is a file that ends in options.json and one that ends in weights.hdf5, as they are published;
    ELMoForManyLangs' has config.json and encoder.pkl.

    Raises:
        PolyprobeError: the folder holds no model, or more than one.
        ForeignModel: a file is missing or not in its format.
    """
    options, weights = sorted(folder.glob("*options.json")), sorted(folder.glob("*weights.hdf5"))
    is_many_languages = (folder / "config.json").is_file() or (folder / "encoder.pkl").is_file()
    there = [path.name for path in (*options, *weights)]
    there += ["config.json or encoder.pkl"] if is_many_languages else []
    if is_many_languages and len(there) == 1:
        return _many_languages(folder)
    if len(options) == len(weights) == 1 and not is_many_languages:
        sizes, spelling = _allennlp_options(options[0])
        return PretrainedElmo(sizes, spelling, (weights[0],), partial(_allennlp_weights, weights[0], sizes))
    raise PolyprobeError(
        f"encoder.path: {folder} holds {', '.join(there) or 'no model'}. Expected the folder of one ELMo model: either "
        "options.json and weights.hdf5 (AllenNLP; names may go before) or config.json, char.dic, word.dic, "
        "token_embedder.pkl and encoder.pkl (ELMoForManyLangs)."
    )


def _many_languages(folder: Path) -> PretrainedElmo:
    sizes, spelling = many_languages.read_model_options(folder)
    files = folder / "token_embedder.pkl", folder / "encoder.pkl"
    for path in files:
        if not path.is_file():
            raise ForeignModel(path, "there is no such file", "tensors, as PyTorch saves them")
    return PretrainedElmo(sizes, spelling, files, partial(many_languages.read_weights, folder, sizes))


_MOST_UNPACKED = 1032  # bytes that deflate makes of one
_FORGET_BIAS = 1.0  # which the file leaves out


class _Embedding(BaseModel):
    dim: Annotated[int, Field(ge=1)]


class _AllenNLPWords(WordOptions):
    n_characters: Literal[N_UTF8_IDS, N_UTF8_IDS + 1]  # the second with the row of padded words
    embedding: _Embedding


class _AllenNLPOptions(BaseModel):
    lstm: LanguageModelOptions
    char_cnn: _AllenNLPWords


def _allennlp_options(path: Path) -> tuple[ElmoSizes, Spelling]:
    """Reads options.json."""
    options = read_options(path, _AllenNLPOptions)
    sizes = sizes_of(
        options.char_cnn,
        options.lstm,
        n_characters=N_UTF8_IDS,
        character_size=options.char_cnn.embedding.dim,
        n_words=0,
        word_size=0,
        is_residual=options.lstm.use_skip_connections,
    )
    return sizes, utf8_spelling(options.char_cnn.longest)


def _allennlp_weights(path: Path, sizes: ElmoSizes) -> dict[str, Tensor]:
    """Reads weights.hdf5 as tensors of `Elmo`."""
    h5py = import_extra("h5py", "elmo")
    try:
        with h5py.File(path, "r") as file:
            datasets = _Datasets(path, file)
            datasets.check_absent(f"CNN/W_cnn_{len(sizes.filters)}", f"CNN_high_{sizes.n_highways}")
            datasets.check_absent(*(_cell(direction, sizes.n_layers) for direction in range(2)))
            tensors = _words(datasets, sizes) | _language_model(datasets, sizes)
    except (OSError, RuntimeError, KeyError, ValueError) as error:  # as h5py meets damage
        raise ForeignModel(path, f"it cannot be read ({error})", "the weights of a model, in hdf5") from error
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


class _Datasets:
    """The datasets of an open file, each checked as it is read."""

    def __init__(self, path: Path, file: "h5py.File"):
        self._path, self._file = path, file

    def __call__(self, name: str, *shape: int) -> Tensor:
        """Reads a dataset that must have this shape, as float32."""
        dataset = self._file.get(name)
        expected = f"the dataset {name} of shape {shape}, as the options say"
        if not hasattr(dataset, "shape"):  # a group, or nothing
            raise ForeignModel(self._path, f"it has no dataset {name}", expected)
        if dataset.shape != shape or dataset.dtype.kind != "f":
            raise ForeignModel(self._path, f"{name} has shape {dataset.shape}, {dataset.dtype}", expected)
        self._check_content(name, dataset)
        content = torch.from_numpy(dataset[:].astype("float32"))
        if not content.isfinite().all():
            raise ForeignModel(self._path, f"{name} has values that are not finite", "finite numbers")
        return content

    def _check_content(self, name: str, dataset: "h5py.Dataset") -> None:
        """Checks that all bytes of a dataset are in this file: none are filled in, none come from another file."""
        is_elsewhere = dataset.file.filename != self._file.filename or dataset.external or dataset.is_virtual
        n_stored = 0 if is_elsewhere else dataset.id.get_storage_size()
        if dataset.nbytes > n_stored * _MOST_UNPACKED:
            found = f"{name} claims {dataset.nbytes:,} bytes, of which the file stores {n_stored:,}"
            raise ForeignModel(self._path, found, "its numbers in the file itself")

    def check_absent(self, *names: str) -> None:
        for name in names:
            if name in self._file:
                raise ForeignModel(self._path, f"it has {name}, one more than the options say", "another options file")


def _cell(direction: int, layer: int) -> str:
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}"


def _words(dataset: _Datasets, sizes: ElmoSizes) -> dict[str, Tensor]:
    """Reads the weights that compose words; the file stores matrices as input by output."""
    n_features = sum(count for _, count in sizes.filters)
    tensors = {"character_cnn.characters.weight": dataset("char_embed", N_UTF8_IDS, sizes.character_size)}
    for number, (width, count) in enumerate(sizes.filters):
        name = f"character_cnn.convolutions.{number}"
        kernel = dataset(f"CNN/W_cnn_{number}", 1, width, sizes.character_size, count)
        tensors[f"{name}.weight"] = kernel[0].permute(2, 1, 0)
        tensors[f"{name}.bias"] = dataset(f"CNN/b_cnn_{number}", count)
    for number in range(sizes.n_highways):
        name = f"character_cnn.highways.{number}"
        tensors[f"{name}.weight"], tensors[f"{name}.bias"] = _highway(dataset, f"CNN_high_{number}", n_features)
    tensors["projection.weight"] = dataset("CNN_proj/W_proj", n_features, sizes.projection_size).T
    tensors["projection.bias"] = dataset("CNN_proj/b_proj", sizes.projection_size)
    return tensors


def _highway(dataset: _Datasets, name: str, width: int) -> tuple[Tensor, Tensor]:
    """The file's gate says how much of the candidate comes in, ours how much of the input stays: hence the minus."""
    matrices = [dataset(f"{name}/W_transform", width, width).T, -dataset(f"{name}/W_carry", width, width).T]
    biases = [dataset(f"{name}/b_transform", width), -dataset(f"{name}/b_carry", width)]
    return torch.cat(matrices), torch.cat(biases)


def _language_model(dataset: _Datasets, sizes: ElmoSizes) -> dict[str, Tensor]:
    n_gates, projection_size = 4 * sizes.hidden_size, sizes.projection_size
    tensors = {}
    for direction, direction_name in enumerate(("forward", "backward")):
        for layer in range(sizes.n_layers):
            cell, name = f"{_cell(direction, layer)}/LSTMCell", f"{direction_name}_layers.{layer}"
            matrix = _reordered(dataset(f"{cell}/W_0", 2 * projection_size, n_gates).T)
            tensors[f"{name}.input_weight"], tensors[f"{name}.state_weight"] = matrix.split(projection_size, dim=1)
            tensors[f"{name}.bias"] = _reordered(dataset(f"{cell}/B", n_gates))
            tensors[f"{name}.bias"][sizes.hidden_size : 2 * sizes.hidden_size] += _FORGET_BIAS
            tensors[f"{name}.projection"] = dataset(f"{cell}/W_P_0", sizes.hidden_size, projection_size).T
    return tensors


def _reordered(gates: Tensor) -> Tensor:
    """Brings gates, along the first axis, from input, candidate, forget, output to input, forget, candidate, output."""
    of_input, candidate, of_forget, of_output = gates.chunk(4)
    return torch.cat([of_input, of_forget, candidate, of_output])
