"""Opens trained models again, with the encoder whose frozen vectors they read."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from torch import nn

from polyprobe.encoders.base.build import checked_encoder
from polyprobe.encoders.base.encoder import NamedInAFile
from polyprobe.encoders.cache.store import VectorCache
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint, load_checkpoint, load_model
from polyprobe.models.inputs.frozen_vectors import FrozenVectors
from polyprobe.runs.names.foreign_names import ENCODER, ForeignName, known

_UNTRAINED = "UntrainedEncoder"
_BEING_OPENED: ContextVar[tuple[Path, ...]] = ContextVar("checkpoints that are being opened", default=())


def attach(model: nn.Module, source: VectorSource | None) -> None:
    """Attaches the source of its vectors to a model that reads frozen ones; does nothing to others."""
    reader = getattr(model, "reader", None)
    if isinstance(reader, FrozenVectors):
        assert source is not None, "no source for a model that reads frozen vectors"
        reader.attach(source)


def open_model(path: Path, source: VectorSource | None) -> nn.Module:
    """Loads the model of a checkpoint file, ready to read sentences, in evaluation mode, on the CPU.

    Args:
        source: of the frozen vectors that the model reads; None for a model that learns its inputs.

    Raises:
        DamagedCheckpoint: see `load_model`; or the model was trained on vectors of another source.
    """
    model = load_model(path)
    attach(model, source)
    if source is not None and isinstance(reader := getattr(model, "reader", None), FrozenVectors):
        found = (reader.fingerprint, reader.width, reader.reads_context)
        expected = (source.fingerprint, source.width, source.reads_context)
        if found != expected:
            complaint = "its model reads vectors of fingerprint {}, width {}, by context: {}".format(*found)
            raise DamagedCheckpoint(path, complaint, "{}, {}, {}, as its encoder has them".format(*expected))
    return model


def source_of(path: Path, changed: Mapping[str, Any], folder: Path) -> VectorSource | None:
    """Opens the encoder whose vectors the model of a checkpoint file reads; None where the model learns its inputs.

    Args:
        changed: options of the encoder that differ from training, such as the `path` of a file that was moved.
        folder: of all encodings; those of a checkpoint below this one are kept there, too, whatever its file says.

    Raises:
        PolyprobeError: the encoder cannot be opened, or its vectors are not those of training.
        DamagedCheckpoint: see `load_checkpoint`; or it names what is no encoder.
    """
    content = load_checkpoint(path)["polyprobe"]
    saved = content.get("encoder")
    if saved is None and changed:
        raise PolyprobeError(f"encoder.inputs has no effect: the model of {path} learns its inputs. Leave it out.")
    if saved is None:
        return None
    options = {**_untrusted(saved["settings"]), **changed}
    if "cache" in saved["settings"]:
        options["cache"] = changed.get("cache", str(folder))
    target = options.pop("_target_")
    kind = _class_of(path, target)
    closed = f"{path} reads frozen vectors that cannot be opened again."
    with _opening(path):
        try:
            encoder = checked_encoder(kind(**options))
            source = VectorSource(encoder, VectorCache(folder=folder, number=saved["number"]))
        except DamagedCheckpoint:
            raise
        except PolyprobeError as error:
            raise PolyprobeError(f"{closed} {error} {MOVED}") from error
        except Exception as error:  # with unchecked options a constructor can raise any exception
            found = f"{target} does not take these options: {briefly(error)}"
            raise PolyprobeError(f"{closed} {found}. {MOVED}") from error
    trained_on = content["inputs"]["reader"]["fingerprint"]
    if source.fingerprint != trained_on:
        listed = ", ".join(f"{key}={value}" for key, value in options.items())
        raise PolyprobeError(
            f"{path} was trained on other vectors than those of {target} with {listed}: fingerprint {trained_on}, not "
            f"{source.fingerprint}. A file has changed since, or an option. {MOVED}"
        )
    return source


MOVED = "If a file was moved, say where it is: +encoder.inputs.path=…"


def _untrusted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Drops at every depth the option that only a user may set: where to write.

    The name of a model stays, marked: a file must not make this machine contact another one.
    """
    return {key: _of_a_file(key, value) for key, value in settings.items() if key != "cache"}


def _of_a_file(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return _untrusted(value)
    return NamedInAFile(value) if key == "model" and isinstance(value, str) else value


def _class_of(path: Path, target: object) -> Callable[..., object]:
    """Returns the class of the encoder that a checkpoint names: ours, or one that a file of conf/encoder names."""
    try:
        encoder = known(ENCODER, target, "its encoder")
    except ForeignName as error:
        expected = f"{error.expected} of polyprobe, or one that conf/encoder of your own folder names (--config-dir)"
        raise DamagedCheckpoint(path, error.found, expected) from error
    if encoder.__name__ == _UNTRAINED:  # a few bytes of settings could ask it for any amount of memory
        raise DamagedCheckpoint(path, "its model reads the vectors of an untrained encoder", "vectors of words")
    return encoder


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    """Refuses a checkpoint that reads its own vectors, directly or through others."""
    opened = _BEING_OPENED.get()
    if path.resolve() in opened:
        raise DamagedCheckpoint(path, "its model reads its own vectors", "vectors that were there before it")
    token = _BEING_OPENED.set((*opened, path.resolve()))
    try:
        yield
    finally:
        _BEING_OPENED.reset(token)
