"""A folder of sentence-transformers: what its files say of sentences, and its modules behind the transformer.

    modules.json                         Transformer, Pooling, then any of Dense, Normalize, LayerNorm
    sentence_bert_config.json            max_seq_length, do_lower_case
    config_sentence_transformers.json    prompts by name, and the one that is taken by default
    1_Pooling/config.json, 2_Dense/…     of each module

The package sentence-transformers builds the modules and reads their weights, by classes that are chosen here: what a
folder names is never imported. The transformer is a `FrozenTransformer` as that of any other folder.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.display.shown import cut
from polyprobe.encoders.transformer.config_checks import reason
from polyprobe.encoders.transformer.files import MODULES, NotATransformer
from polyprobe.errors import import_extra
from polyprobe.formats.files.digest import file_digest

if TYPE_CHECKING:
    from torch import nn

_OF_MODEL = "config_sentence_transformers.json"
_OF_TRANSFORMER = "sentence_bert_config.json"
_FOLDER = re.compile(r"\w[\w.-]*")
_TYPE = re.compile(r"sentence_transformers(\.\w+)+")
_ACTIVATION = re.compile(r"torch\.nn(\.modules\.\w+)?\.[A-Z]\w+")
_HEAD = ("Dense", "LayerNorm", "Normalize")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
# Settings of a transformer that is read as text, by its last layer.
_AS_TEXT = {"method": "forward", "method_output_name": "last_hidden_state"}
_READINGS: Mapping[str, Sequence[object]] = {
    "transformer_task": (None, "feature-extraction"),
    "modality_config": (None, {"text": _AS_TEXT}),
    **dict.fromkeys(
        ("processing_kwargs", "query_length", "document_length", "query_expansion", "tokenizer_name_or_path"),
        (None, {}, False, 0, ""),
    ),
}
_EXPECTED = "a folder as save_pretrained of transformers or of sentence-transformers writes"
_PLAIN = "or its hidden layers alone by a typed encoder.sentence_pooling, such as mean"


@dataclass(frozen=True, slots=True)
class SentenceModules:
    """How a folder makes a vector of a sentence."""

    modules: "tuple[nn.Module, ...]"
    """Of the package: Pooling, then those of the head."""
    head: tuple[tuple[object, ...], ...]
    """Of each module of the head: type, width of input and output, whether it has a bias, activation, digest of its
    weights."""
    modes: tuple[str, ...]
    """Of pooling; the vectors of several are joined."""
    width: int
    """Of the vector."""
    counts_prompt: bool
    """Whether the pieces of a prompt count for the pooling."""
    limit: int | None
    """Pieces of a sentence, special tokens and prompt included; None where the tokenizer's own holds."""
    is_lowercase: bool
    """Whether sentences are lower-cased before they are tokenized."""
    prompts: Mapping[str, str]
    """Texts by their names."""
    default_prompt: str | None
    """The name of the one that is taken unless another is asked for; None for none."""

    def same_but_weights(self, other: "SentenceModules") -> bool:
        """Says whether another folder differs in the weights of its head alone."""
        told = ("modes", "counts_prompt", "limit", "is_lowercase", "prompts", "default_prompt")
        heads = [[part[:-1] for part in one.head] for one in (self, other)]
        return heads[0] == heads[1] and all(getattr(self, name) == getattr(other, name) for name in told)

    def head_in_words(self) -> list[str]:
        """Names the modules of the head: "Dense(256,Tanh)", "Normalize"."""
        return [f"Dense({part[2]},{part[4]})" if part[0] == "Dense" else str(part[0]) for part in self.head]


@dataclass(frozen=True, slots=True)
class _Module:
    """A module of modules.json: the last part of its type, and its folder."""

    kind: str
    folder: Path


def is_lowercase(folder: Path) -> bool:
    """Says whether a folder of sentence-transformers asks for lower case; False for any other folder."""
    return (folder / MODULES).is_file() and bool(_settings_of_transformer(folder).get("do_lower_case"))


def read_sentence_modules(folder: Path, width: int) -> SentenceModules | None:
    """Reads how a folder makes a vector of a sentence.

    Args:
        folder: of the transformer, perhaps with modules.json.
        width: of the transformer's states.

    Returns:
        None where there is no modules.json: the folder is a transformer alone.

    Raises:
        NotATransformer: something there is damaged, or not known here.
        MissingExtra: the package is not installed.
    """
    if not (folder / MODULES).is_file():
        return None
    listed = _listed(folder)[1:]
    of_transformer = _settings_of_transformer(folder)
    for key, known in _READINGS.items():
        if of_transformer.get(key) not in known:
            raise NotATransformer(
                folder, f"{_OF_TRANSFORMER} has {key}, by which sentences are read otherwise", f"none, {_PLAIN}"
            )
    limit = of_transformer.get("max_seq_length")
    prompts, default = _prompts(folder)
    modules = tuple(map(_loaded, listed))
    pooling = modules[0]
    modes = (pooling.pooling_mode,) if isinstance(pooling.pooling_mode, str) else tuple(pooling.pooling_mode)
    head = _head(listed[1:], modules[1:], len(modes) * width)
    return SentenceModules(
        modules,
        tuple(head),
        modes,
        head[-1][2] if head else len(modes) * width,
        pooling.include_prompt,
        limit,
        bool(of_transformer.get("do_lower_case")),
        prompts,
        default,
    )


def _settings_of_transformer(folder: Path) -> Mapping[str, Any]:
    return _json_object(folder / _OF_TRANSFORMER)


def _prompts(folder: Path) -> tuple[Mapping[str, str], str | None]:
    """Returns the prompts by name, and the name of the default one."""
    content = _json_object(folder / _OF_MODEL)
    prompts = content.get("prompts") or {}
    return {name: text or "" for name, text in prompts.items()}, content.get("default_prompt_name")


def _json_object(path: Path) -> Mapping[str, Any]:
    """Returns the content of a file, nothing where there is none."""
    return _json(path) if path.is_file() else {}


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise NotATransformer(path, "it is no JSON, or too deep", "JSON") from None


def _listed(folder: Path) -> list[_Module]:
    """Reads modules.json: the transformer, the pooling, then modules of the head."""
    path = folder / MODULES
    modules = [_module(folder, path, one) for one in _json(path)]
    kinds = [one.kind for one in modules]
    if kinds[:2] != ["Transformer", "Pooling"] or not {*kinds[2:]} <= {*_HEAD}:
        expected = f"Transformer, Pooling, then any of {', '.join(_HEAD)}; {_PLAIN}"
        raise NotATransformer(path, f"its modules are {', '.join(kinds) or 'none'}", expected)
    if modules[0].folder != folder:
        expected = f"it in the folder itself, as sentence-transformers writes since version 2; {_PLAIN}"
        raise NotATransformer(path, f"its transformer lies in {modules[0].folder.name}", expected)
    return modules


def _module(folder: Path, path: Path, told: Mapping[str, Any]) -> _Module:
    kind, name = told.get("type"), told.get("path")
    if not isinstance(kind, str) or not _TYPE.fullmatch(kind):
        expected = f"classes of sentence_transformers: code of its own is not run; {_PLAIN}"
        raise NotATransformer(path, f"a module is of type {_shown(kind)}", expected)
    if name != "" and not (isinstance(name, str) and _FOLDER.fullmatch(name)):
        raise NotATransformer(path, f"a module lies at {_shown(name)}", "a folder in it, by its name, or nothing")
    return _Module(kind.rpartition(".")[2], folder / name)


def _loaded(module: _Module) -> "nn.Module":
    """Builds a module by the package, with its weights."""
    package = import_extra("sentence_transformers.sentence_transformer.modules", "sentence")
    try:
        _check_settings(module)
        return getattr(package, module.kind).load(
            str(module.folder.parent), subfolder=module.folder.name, local_files_only=True
        )
    except NotATransformer:
        raise
    except Exception as error:  # damaged files can end in any exception
        expected = f"a module {module.kind} as sentence-transformers writes it; {_PLAIN}"
        raise NotATransformer(module.folder, f"it cannot be loaded ({reason(error)})", expected) from error


def _check_settings(module: _Module) -> None:
    """Refuses sizes that its weights do not have, and activations of other packages, before anything is built."""
    path = module.folder / "config.json"
    if module.kind == "Pooling" and not path.is_file():
        raise NotATransformer(path, "the file is missing", f"every file that {MODULES} speaks of, {_PLAIN}")
    config = _json_object(path)
    sizes = [config[key] for key in ("in_features", "out_features", "dimension") if key in config]
    weights = _weights(module)
    if weights is not None and not (
        all(type(size) is int for size in sizes) and 0 < math.prod(sizes) <= weights.stat().st_size
    ):
        raise NotATransformer(path, f"its sizes are {_shown(sizes)}", f"those of {weights.name}")
    activation = config.get("activation_function", "torch.nn.Tanh")
    if not isinstance(activation, str) or not _ACTIVATION.fullmatch(activation):
        raise NotATransformer(path, f"activation_function is {_shown(activation)}", f"one of torch.nn; {_PLAIN}")


def _weights(module: _Module) -> Path | None:
    return next((module.folder / name for name in _WEIGHTS if (module.folder / name).is_file()), None)


def _head(listed: "Sequence[_Module]", modules: "Sequence[nn.Module]", width: int) -> list[tuple[object, ...]]:
    """Describes the modules of the head for fingerprints, see `SentenceModules.head`.

    Args:
        width: of what the first of them gets.
    """
    found = []
    for place, module in zip(listed, modules, strict=True):
        n_out = getattr(module, "out_features", width)
        activation = (
            type(getattr(module, "activation_function", None)).__name__ if place.kind == "Dense" else "Identity"
        )
        residual = ["residual"] if getattr(module, "use_residual", False) else []
        digest = file_digest(weights) if (weights := _weights(place)) else None
        found.append((place.kind, width, n_out, getattr(module, "bias", True), activation, *residual, digest))
        width = n_out
    return found


def _shown(value: object) -> str:
    return cut(json.dumps(value, ensure_ascii=False, default=str), 100)
