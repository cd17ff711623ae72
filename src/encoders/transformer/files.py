"""The files of a pretrained transformer: in your own folder, or as a snapshot of a model hub."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import NamedInAFile, path_of
from polyprobe.encoders.transformer.model_options import NamedCheckpoint
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest

_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_TIMEOUT_SECONDS = 10
_CACHED = "models--"  # begins the folder of a model in the hub's cache
COMMIT_DIGITS = 12
MODULES = "modules.json"  # of sentence-transformers
_OF_MODULE = re.compile(r"\d+_\w+/[^/]+")
_WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
_TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)


class NotATransformer(PolyprobeError):
    """A folder does not hold the requested transformer."""

    def __init__(self, folder: Path, found: str, expected: str):
        super().__init__(f"{folder}: {found}. Expected {expected}.")


def model_folder(model: str, revision: str | None, group: str) -> Path:
    """Returns the folder with the files of a model; a hub's model that is not there yet is fetched.

    A name from a file and not from the user (`NamedInAFile`) is looked up only among models that were fetched before.

    Args:
        model: a folder as `save_pretrained` writes it, or the name of a model on the hub ("owner/name").
        revision: of the hub's model; None for its newest, or for the newest that was fetched before.

    Raises:
        NotATransformer: the folder has no config.json, or is an adapter of a model.
        PolyprobeError: there is no such folder, or the hub's model cannot be fetched.
    """
    folder = path_of(f"{group}.model", model).expanduser()
    if folder.is_dir():
        return _checked(folder)
    if not _HUB_NAME.fullmatch(model):
        raise PolyprobeError(
            f"{group}.model: there is no folder {model}. Expected a folder with config.json, weights and tokenizer, or "
            "the name of a model on the hub, such as owner/name."
        )
    if found := _cached_snapshot(model, revision):
        return _checked(found)
    if isinstance(model, NamedInAFile):
        raise PolyprobeError(
            f"{group}.model: {model} stands in a file of a run and is not on this machine; nothing is fetched because "
            f"a file says so. If you trust that model, name it yourself: +encoder.inputs.model={model}"
        )
    return _checked(_fetched_snapshot(model, revision, group))


def _checked(folder: Path) -> Path:
    """Refuses an adapter, whose weights are changes of another model's, and a folder without a configuration."""
    if (adapter := folder / "adapter_config.json").is_file():
        expected = (
            "a whole model: load the adapter with peft, then merge_and_unload() and save_pretrained(folder) (if the "
            f"model is merged already, {adapter.name} is a left-over: remove it)"
        )
        raise NotATransformer(folder, f"it is an adapter, such as LoRA ({adapter.name})", expected)
    if not (folder / "config.json").is_file():
        raise NotATransformer(folder, "it has no config.json", "a folder as save_pretrained of transformers writes")
    return folder


def model_label(model: str, epoch: int | None = None) -> str:
    """Returns the last part of a folder's path, or the name on the hub, as `model_folder` distinguishes them.

    Args:
        epoch: of a checkpoint, whose folder lies in that of the training, which then names it; None for a model alone.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        return model
    return (folder.resolve() if epoch is None else folder.resolve().parent).name


def name_of_checkpoints(checkpoints: Sequence[NamedCheckpoint]) -> str:
    """Returns the name of the hub's model, or the last parts of the folder that all checkpoints lie in."""
    first = checkpoints[0]
    if first.revision is not None:
        return first.model
    return last_parts(os.path.commonpath([Path(one.model).expanduser().resolve().parent for one in checkpoints]))


def model_name(model: str, folder: Path) -> str:
    """Returns the name of a hub's model with its commit, or the last parts of the path of a folder.

    Args:
        folder: where its files are: `model_folder`. The path of a snapshot in the hub's cache holds name and commit.
    """
    snapshot = folder.absolute()
    repository, commit = snapshot.parent.parent.name, snapshot.name
    if snapshot.parent.name == "snapshots" and repository.startswith(_CACHED):
        return f"{repository.removeprefix(_CACHED).replace('--', '/')}@{commit[:COMMIT_DIGITS]}"
    return last_parts(folder) if folder == Path(model).expanduser() else model


def weight_files(folder: Path) -> list[Path]:
    """Lists the files that hold the weights, safetensors before pickles; empty where there are none.

    Raises:
        NotATransformer: the index of a model in several files cannot be read.
    """
    first = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if first is None or first.suffix != ".json":
        return [first] if first else []
    try:
        parts = sorted(set(json.loads(first.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotATransformer(first, "it cannot be read", "the index of weights in several files") from error
    for name in parts:
        if not isinstance(name, str) or name in ("", ".", "..") or set(name) & set("/\\\0"):
            raise NotATransformer(first, f'it names "{name}"', "files of its own folder, by their names")
    absent = [name for name in parts if not (folder / name).is_file()]
    if absent:
        raise NotATransformer(folder, f"{', '.join(absent)} is missing", f"every file that {first.name} names")
    return [first, *(folder / name for name in parts)]


def digests(folder: Path, with_weights: bool) -> dict[str, str]:
    """Returns the SHA-256 of each file that vectors depend on: configuration, tokenizer and, if requested, weights."""
    small = [folder / name for name in ("config.json", *_TOKENIZER) if (folder / name).is_file()]
    return {path.name: file_digest(path) for path in [*small, *(weight_files(folder) if with_weights else [])]}


def with_epoch(epoch: int | None, files: Mapping[str, str]) -> dict[str, str]:
    """Returns digests with the epoch before each name, "8/model.safetensors"; as they are for a model alone."""
    return {name if epoch is None else f"{epoch}/{name}": digest for name, digest in files.items()}


def _cached_snapshot(model: str, revision: str | None) -> Path | None:
    """Looks without the network; a snapshot without weights, or without the modules of modules.json, does not count."""
    try:
        folder = Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    if (folder / MODULES).is_file() and not any(folder.glob("[1-9]_*/config.json")):
        return None
    return folder if (folder / "config.json").is_file() and weight_files(folder) else None


def _fetched_snapshot(model: str, revision: str | None, group: str) -> Path:
    """Requests the list of files once: without a network this fails at once, a file's download after many retries."""
    try:
        found = HfApi().model_info(model, revision=revision, timeout=_TIMEOUT_SECONDS)
        names = _wanted(file.rfilename for file in found.siblings or ())
        return Path(snapshot_download(model, revision=found.sha, allow_patterns=names))
    except GatedRepoError as error:
        raise PolyprobeError(
            f"{group}.model: {model} is gated: its owners decide who may fetch it. Accept its terms at "
            f"{constants.ENDPOINT}/{model}, then log in: hf auth login, or HF_TOKEN=…"
        ) from error
    except RepositoryNotFoundError as error:
        raise PolyprobeError(
            f"{group}.model: {constants.ENDPOINT} shows no model {model}: the name is wrong, or it is private. Check "
            "the name; for a private model log in with an account that may read it: hf auth login, or HF_TOKEN=…"
        ) from error
    except RevisionNotFoundError as error:
        key = "revision" if revision else "model"
        raise PolyprobeError(
            f"{group}.{key}: {model} has no revision {revision or 'main'}. Expected a branch, tag or commit of "
            f"{constants.ENDPOINT}/{model}"
        ) from error
    except Exception as error:  # the hub's client lets any exception of its HTTP library through
        version = f" at revision {revision}" if revision else ""
        raise PolyprobeError(
            f"{group}.model: {model} is neither a folder nor fetched before, and {constants.ENDPOINT}/{model}{version} "
            f"cannot be fetched ({_first_line(error)}). Check the name and the network; or download "
            f"its files elsewhere and set their folder as {group}.model."
        ) from error


def _wanted(names: Iterable[str]) -> list[str]:
    """Keeps configuration, tokenizer and weights, also of the modules of sentence-transformers (`1_Pooling/…`)."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        if "/" not in name or _OF_MODULE.fullmatch(name):
            by_folder.setdefault(name.rpartition("/")[0], []).append(name.rpartition("/")[2])
    return ["/".join(filter(None, [folder, name])) for folder, found in by_folder.items() for name in _wanted_of(found)]


def _wanted_of(names: Sequence[str]) -> list[str]:
    """Keeps of the files of a folder what is read; pickles only where there are no safetensors."""
    weights = [name for name in names if name.startswith("model") and name.endswith(".safetensors")]
    weights = weights or [name for name in names if name.startswith("pytorch_model") and name.endswith(".bin")]
    return weights + [name for name in names if name.endswith((".json", ".txt", ".model"))]


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
