"""A folder of sentence-transformers: what its files say of the way from the states of a transformer to a sentence.

    modules.json                         Transformer, Pooling, then any of Dense, Normalize, LayerNorm
    sentence_bert_config.json            max_seq_length, do_lower_case (in 0_Transformer/ where older versions wrote)
    config_sentence_transformers.json    prompts by name, and the one that is taken by default
    1_Pooling/config.json, 2_Dense/…     of each module

Everything here comes from outside: names are looked up in closed tables, folders lie directly in the folder, sizes are
checked. Code that a folder names is never imported. sentence-transformers itself is not needed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.encoders.transformer.files import MODULES, OLDER_LAYOUT, NotATransformer
from polyprobe.errors import nearest
from polyprobe.formats.files.digest import file_digest

_OF_MODEL = "config_sentence_transformers.json"
_OF_TRANSFORMER = "sentence_bert_config.json"
_MOST_BYTES = 1 << 20  # of a JSON file
_WIDEST = 100_000
_LONGEST_PROMPT = 10_000  # characters
_FOLDER = re.compile(r"\w[\w.-]*")
_TYPE = re.compile(r"sentence_transformers(\.\w+)+")
# In the order in which sentence-transformers joins the vectors where several flags are set.
_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
MODES = tuple(_FLAGS.values())
HEAD_KINDS = ("Dense", "LayerNorm", "Normalize")
ACTIVATIONS = (
    "CELU", "ELU", "GELU", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU", "LogSigmoid", "Mish",
    "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softsign", "Tanh",
)  # fmt: skip
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
# Keys of sentence_bert_config.json under which sentence-transformers would read sentences otherwise than here.
_OTHER_READINGS = ("processing_kwargs", "query_length", "document_length", "query_expansion", "tokenizer_name_or_path")


@dataclass(frozen=True, slots=True)
class HeadModule:
    """A module after the pooling."""

    kind: str
    """One of `HEAD_KINDS`."""
    weights: Path | None
    """Its file; None for one without."""
    n_in: int
    n_out: int
    """Width of the output; `n_in` of the input."""
    has_bias: bool = True
    activation: str = "Identity"
    """Both of Dense; a name of `ACTIVATIONS`."""

    def identity(self) -> list[object]:
        """Returns what its vectors depend on: plain values and the digest of its weights."""
        digest = None if self.weights is None else file_digest(self.weights)
        return [self.kind, self.n_in, self.n_out, self.has_bias, self.activation, digest]

    def __str__(self) -> str:
        return f"Dense({self.n_out},{self.activation})" if self.kind == "Dense" else self.kind


@dataclass(frozen=True, slots=True)
class SentenceModules:
    """What a folder says."""

    modes: tuple[str, ...]
    """Of pooling, names of `MODES`; the vectors of several are joined."""
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
    head: tuple[HeadModule, ...]
    """The modules after the pooling."""

    def same_but_weights(self, other: "SentenceModules") -> bool:
        """Says whether another folder differs in the weights of its head alone."""
        mine, theirs = ([part.identity()[:-1] for part in one.head] for one in (self, other))
        told = ("modes", "counts_prompt", "limit", "is_lowercase", "prompts", "default_prompt")
        return mine == theirs and all(getattr(self, name) == getattr(other, name) for name in told)


@dataclass(frozen=True, slots=True)
class _Module:
    """A module of modules.json: the last part of its type, and its folder."""

    kind: str
    folder: Path


def transformer_folder(folder: Path) -> Path:
    """Returns the folder with config.json, tokenizer and weights: the folder itself, or an older `0_Transformer` in it.

    Beside the latter a config.json may stand that says nothing but a version.

    Raises:
        NotATransformer: there is none.
    """
    is_older = (folder / OLDER_LAYOUT / "config.json").is_file()
    if not (folder / MODULES).is_file() or ((folder / "config.json").is_file() and not is_older):
        return folder
    inner = _listed(folder)[0].folder
    if not (inner / "config.json").is_file():
        raise NotATransformer(folder, f"neither it nor {inner.name or 'its first module'} has a config.json", _EXPECTED)
    return inner


def has_modules(folder: Path) -> bool:
    """Says whether every file is there that modules.json speaks of, or there is no modules.json."""
    if not (folder / MODULES).is_file():
        return True
    pooling, *head = _listed(folder)[1:]
    parts = [pooling, *(one for one in head if one.kind != "Normalize")]
    return all((one.folder / "config.json").is_file() for one in parts) and all(
        any((one.folder / name).is_file() for name in WEIGHTS) for one in head if one.kind != "Normalize"
    )


def reads_modules(level: str, pooling: str | None, prompt: str | None) -> bool:
    """Says whether vectors depend on modules.json: those of sentences, where no pooling is typed, or a prompt is."""
    return level == "sentence" and (pooling is None or bool(prompt))


def is_lowercase(folder: Path) -> bool:
    """Says whether a folder of sentence-transformers asks for lower case; False for any other folder."""
    if not (folder / MODULES).is_file():
        return False
    return _flag(_OfFile(transformer_folder(folder) / _OF_TRANSFORMER), "do_lower_case", False)


def read_sentence_modules(folder: Path, width: int) -> SentenceModules | None:
    """Reads how a folder makes a vector of a sentence.

    Args:
        folder: with modules.json; the one of its transformer may lie in it.

    Returns:
        None where there is no modules.json: the folder is a transformer alone.
    """
    if not (folder / MODULES).is_file():
        return None
    _, pooling, *others = _listed(folder)
    of_pooling = _OfFile(pooling.folder / "config.json", is_needed=True)
    modes = _modes(of_pooling)
    told = of_pooling.get("embedding_dimension", of_pooling.get("word_embedding_dimension", width))
    if told != width:
        raise of_pooling.wrong("embedding_dimension", told, f"{width}, the width of the transformer")
    of_transformer = _OfFile(transformer_folder(folder) / _OF_TRANSFORMER)
    _check_reading(of_transformer)
    of_model = _OfFile(folder / _OF_MODEL)
    if of_model.get("model_type", _SENTENCE) != _SENTENCE:
        raise of_model.wrong("model_type", of_model.get("model_type"), _SENTENCE)
    prompts = _prompts(of_model)
    default = of_model.get("default_prompt_name")
    if default is not None and not (isinstance(default, str) and default in prompts):
        raise of_model.wrong("default_prompt_name", default, f"null or one of {', '.join(prompts) or 'no prompts'}")
    return SentenceModules(
        modes,
        _flag(of_pooling, "include_prompt", True),
        _limit(of_transformer),
        _flag(of_transformer, "do_lower_case", False),
        prompts,
        default,
        _head(others, len(modes) * width),
    )


_EXPECTED = "a folder as save_pretrained of transformers or of sentence-transformers writes"
_SENTENCE = "SentenceTransformer"
_PLAIN = "or its hidden layers alone by a typed encoder.sentence_pooling, such as mean"


class _OfFile:
    """The values of a JSON object from outside, and the file for messages."""

    def __init__(self, path: Path, is_needed: bool = False):
        self.path = path
        if not is_needed and not path.is_file():
            self._content: Mapping[str, Any] = {}
            return
        content = _json(path)
        if not isinstance(content, dict):
            raise NotATransformer(path, "it is not a JSON object", "an object")
        self._content = content

    def get(self, key: str, default: object = None) -> Any:
        return self._content.get(key, default)

    def wrong(self, key: str, value: object, expected: str) -> NotATransformer:
        return NotATransformer(self.path, f"{key} is {_shown(value)}", expected)


def _json(path: Path) -> object:
    if not path.is_file():
        raise NotATransformer(path, "the file is missing", f"every file that {MODULES} speaks of, {_PLAIN}")
    if path.stat().st_size > _MOST_BYTES:
        raise NotATransformer(path, f"it has {path.stat().st_size:,} bytes", f"at most {_MOST_BYTES:,}")
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise NotATransformer(path, "it is no JSON, or too deep", "JSON") from None


def _listed(folder: Path) -> list[_Module]:
    """Reads modules.json: the transformer, the pooling, then modules of the head."""
    path = folder / MODULES
    content = _json(path)
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise NotATransformer(path, "it is not a list of objects", "a list of modules")
    modules = [_module(folder, path, one) for one in content]
    kinds = [one.kind for one in modules]
    if kinds[:2] != ["Transformer", "Pooling"]:
        found = ", ".join(kinds) or "none"
        raise NotATransformer(path, f"its modules are {found}", f"Transformer, then Pooling, …; {_PLAIN}")
    for kind in kinds[2:]:
        if kind not in HEAD_KINDS:
            known = f"Transformer, Pooling, then any of {', '.join(HEAD_KINDS)}; {_PLAIN}"
            raise NotATransformer(path, f"its module {kind} is not known here", known)
    return modules


def _module(folder: Path, path: Path, told: Mapping[str, Any]) -> _Module:
    kind, name = told.get("type"), told.get("path")
    if not isinstance(kind, str) or not _TYPE.fullmatch(kind):
        expected = f"classes of sentence_transformers: code of its own is not run; {_PLAIN}"
        raise NotATransformer(path, f"a module is of type {_shown(kind)}", expected)
    if name != "" and not (isinstance(name, str) and _FOLDER.fullmatch(name)):
        raise NotATransformer(path, f"a module lies at {_shown(name)}", "a folder in it, by its name, or nothing")
    return _Module(kind.rpartition(".")[2], folder / name)


def _modes(config: _OfFile) -> tuple[str, ...]:
    """Returns the ways of pooling, in the order of their vectors: of `pooling_mode`, or else of the older flags."""
    told = config.get("pooling_mode")
    if told is None:
        return tuple(mode for flag, mode in _FLAGS.items() if _flag(config, flag, False)) or ("mean",)
    names = [told] if isinstance(told, str) else told
    if not isinstance(names, list) or not 0 < len(names) <= len(MODES):
        raise config.wrong("pooling_mode", told, f"one or several of {', '.join(MODES)}")
    for name in names:
        if name not in MODES:
            raise config.wrong("pooling_mode", name, f"one of {', '.join(MODES)}")
    return tuple(names)


def _check_reading(config: _OfFile) -> None:
    """Refuses a transformer that is not read as text, by its last layer."""
    if config.get("transformer_task", "feature-extraction") != "feature-extraction":
        raise config.wrong("transformer_task", config.get("transformer_task"), f"feature-extraction, {_PLAIN}")
    for key in _OTHER_READINGS:
        if config.get(key):
            raise config.wrong(key, config.get(key), f"none, {_PLAIN}")
    by_kind = config.get("modality_config", {"text": _AS_TEXT})
    if not isinstance(by_kind, dict) or "message" in by_kind or by_kind.get("text") != _AS_TEXT:
        raise config.wrong("modality_config", by_kind, f"text by forward and its last_hidden_state, {_PLAIN}")


_AS_TEXT = {"method": "forward", "method_output_name": "last_hidden_state"}


def _limit(config: _OfFile) -> int | None:
    limit = config.get("max_seq_length")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise config.wrong("max_seq_length", limit, "null or at least 1")
    return limit


def _prompts(config: _OfFile) -> Mapping[str, str]:
    told = config.get("prompts") or {}
    is_plain = isinstance(told, dict) and all(text is None or isinstance(text, str) for text in told.values())
    if not is_plain or any(len(text or "") > _LONGEST_PROMPT for text in told.values()):
        raise config.wrong("prompts", told, f"texts by their names, of at most {_LONGEST_PROMPT:,} characters")
    return {name: text or "" for name, text in told.items()}


def _head(modules: Sequence[_Module], width: int) -> tuple[HeadModule, ...]:
    found = []
    for module in modules:
        found.append(_head_module(module, width))
        width = found[-1].n_out
    return tuple(found)


def _head_module(module: _Module, width: int) -> HeadModule:
    config = _OfFile(module.folder / "config.json", is_needed=module.kind != "Normalize")
    for key in ("module_input_name", "module_output_name"):
        if config.get(key) not in (None, "sentence_embedding"):
            raise config.wrong(key, config.get(key), f"sentence_embedding, {_PLAIN}")
    if module.kind == "Normalize":
        return HeadModule("Normalize", None, width, width)
    if config.get("use_residual"):
        raise config.wrong("use_residual", config.get("use_residual"), f"false, {_PLAIN}")
    keys = ("dimension",) if module.kind == "LayerNorm" else ("in_features", "out_features")
    sizes = [config.get(key) for key in keys]
    for key, size in zip(keys, sizes, strict=True):
        if type(size) is not int or not 1 <= size <= _WIDEST:
            raise config.wrong(key, size, f"1 to {_WIDEST:,}")
    if sizes[0] != width:
        raise config.wrong(keys[0], sizes[0], f"{width}, the width of what comes before it")
    weights = next((module.folder / name for name in WEIGHTS if (module.folder / name).is_file()), None)
    if weights is None:
        raise NotATransformer(module.folder, "it has no weights", " or ".join(WEIGHTS))
    is_dense = module.kind == "Dense"
    activation = _activation(config) if is_dense else "Identity"
    return HeadModule(module.kind, weights, width, sizes[-1], _flag(config, "bias", True), activation)


def _activation(config: _OfFile) -> str:
    """Returns the name of an activation; sentence-transformers takes Tanh where none is said."""
    told = config.get("activation_function", "torch.nn.modules.activation.Tanh")
    package, _, name = told.rpartition(".") if isinstance(told, str) else ("", "", "")
    if not f"{package}.".startswith("torch.nn.") or name not in ACTIVATIONS:
        raise config.wrong("activation_function", told, f"one of torch.nn. {nearest(name, ACTIVATIONS)}".rstrip("."))
    return name


def _flag(config: _OfFile, key: str, default: bool) -> bool:
    value = config.get(key, default)
    if not isinstance(value, bool):
        raise config.wrong(key, value, "true or false")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 100 else f"{text[:99]}…"
