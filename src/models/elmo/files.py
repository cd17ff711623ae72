"""Finds the ELMo model in a folder, in either public format."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from torch import Tensor

from src.errors import PolyprobeError
from src.formats.files.digest import file_digest
from src.models.elmo import allennlp, many_languages
from src.models.elmo.network import ElmoSizes
from src.models.elmo.options import ForeignModel
from src.models.elmo.spelling import Spelling


@dataclass(frozen=True)
class PretrainedElmo:
    """A model on disk, read except for its weights.

    Attributes:
        sizes, spelling: from its options and dictionaries.
        weight_files: where the weights are.
        read_weights: reads them as tensors of `Elmo`; raises `ForeignModel`.
    """

    sizes: ElmoSizes
    spelling: Spelling
    weight_files: tuple[Path, ...]
    read_weights: Callable[[], Mapping[str, Tensor]]

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
        return _allennlp(options[0], weights[0])
    raise PolyprobeError(
        f"encoder.path: {folder} holds {', '.join(there) or 'no model'}. Expected the folder of one ELMo model: either "
        "options.json and weights.hdf5 (AllenNLP; names may go before) or config.json, char.dic, word.dic, "
        "token_embedder.pkl and encoder.pkl (ELMoForManyLangs)."
    )


def _allennlp(options: Path, weights: Path) -> PretrainedElmo:
    sizes, spelling = allennlp.read_options(options)
    return PretrainedElmo(sizes, spelling, (weights,), partial(allennlp.read_weights, weights, sizes))


def _many_languages(folder: Path) -> PretrainedElmo:
    sizes, spelling = many_languages.read_options(folder)
    files = folder / "token_embedder.pkl", folder / "encoder.pkl"
    for path in files:
        if not path.is_file():
            raise ForeignModel(path, "there is no such file", "tensors, as PyTorch saves them")
    return PretrainedElmo(sizes, spelling, files, partial(many_languages.read_weights, folder, sizes))
