"""Frozen encoders as the inputs of downstream models: chosen for a training run, found again for its checkpoints."""

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from src.datamodules.inputs import Sentences
from src.encoders.base import Encoder
from src.encoders.own import check_target, checked_encoder
from src.encoders.vector_source import VectorSource
from src.formats.case import lower_cased
from src.formats.errors import BadValue, PolyprobeError
from src.models.layers.given_vectors import GivenVectors, VectorCoder
from src.models.saved import DamagedCheckpoint, load_checkpoint, load_model

# From a file of a run only these encoders are built; others the user must name, see `source_of`.
TRUSTED = "src.encoders."


class FrozenInputs:
    """The vectors of an encoder in place of learned ones; see `Inputs`.

    Args:
        settings: `_target_` and options of the encoder, plain values: what a checkpoint holds to find it again.
        source: of its vectors.
        tune: whether an offset is learnt for each word of train.

    Raises:
        BadValue: there is no offset of a word whose vector depends on the sentence.
    """

    def __init__(self, settings: Mapping[str, Any], source: VectorSource, tune: bool):
        if tune and source.reads_context:
            raise BadValue("encoder.tune", tune, "false with an encoder that reads the sentence around a word")
        self.source, self.tune = source, tune
        self.saved = {"settings": dict(settings), "number": source.number}

    @property
    def identity(self) -> dict[str, Any]:
        return {"fingerprint": self.source.fingerprint, "tune": self.tune}

    def read(self, train: Sentences, others: Sentences) -> tuple[dict[str, Any], VectorCoder]:
        """Encodes all sentences; see `Inputs`."""
        self.source.meet([*train, *others])
        case = getattr(self.source.encoder, "case", "kept")
        tuned = _words_by_frequency(train, case) if self.tune else []
        reader = {
            "_target_": f"{GivenVectors.__module__}.{GivenVectors.__name__}",
            "width": self.source.width,
            "reads_context": self.source.reads_context,
            "fingerprint": self.source.fingerprint,
            "tuned": tuned,
            "case": case,
        }
        coder = VectorCoder(tuned, case, self.source.width)
        coder.source = self.source
        return reader, coder


def attach(model: nn.Module, source: VectorSource | None) -> None:
    """Gives a model that reads frozen vectors their source; does nothing to one that learns its inputs."""
    reader = getattr(model, "reader", None)
    if isinstance(reader, GivenVectors):
        assert source is not None, "no source for a model that reads frozen vectors"
        reader.attach(source)


def open_model(path: Path, source: VectorSource | None) -> nn.Module:
    """Loads the model of a checkpoint file, ready to read sentences, in evaluation mode, on the CPU.

    Args:
        path: the file.
        source: of the frozen vectors that the model reads; None for a model that learns its inputs.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    model = load_model(path)
    attach(model, source)
    return model


def source_of(path: Path, changed: Mapping[str, Any], folder: Path) -> VectorSource | None:
    """Opens the encoder whose vectors the model of a checkpoint file reads; None where the model learns its inputs.

    Args:
        path: the checkpoint file.
        changed: options of the encoder that are other than in training, such as the `path` of a file that was moved; an
            encoder of one's own is named here as `class`, since a file of a run must not say what is executed.
        folder: of all encodings.

    Raises:
        PolyprobeError: the encoder cannot be opened, or its vectors are not those of training.
        DamagedCheckpoint: see `load_checkpoint`.
    """
    content = load_checkpoint(path)["polyprobe"]
    saved = content.get("encoder")
    if saved is None:
        return None
    options = {**saved["settings"], **changed}
    named, target = options.pop("class", None), options.pop("_target_")
    if not target.startswith(TRUSTED) and named != target:
        raise DamagedCheckpoint(
            path,
            f"its model reads the vectors of {target}, which only you can trust",
            f"+encoder.inputs.class={target}, if that class is yours",
        )
    try:
        source = VectorSource(_built(target, options), folder, saved["number"], None)
    except PolyprobeError as error:
        raise PolyprobeError(f"{path} reads frozen vectors that cannot be opened again. {error} {MOVED}") from error
    trained_on = content["inputs"]["reader"]["fingerprint"]
    if source.fingerprint != trained_on:
        told = ", ".join(f"{key}={value}" for key, value in options.items())
        raise PolyprobeError(
            f"{path} was trained on other vectors than those of {target} with {told}: fingerprint {trained_on}, not "
            f"{source.fingerprint}. A file has changed since, or an option. {MOVED}"
        )
    return source


MOVED = "If a file was moved, say where it is: +encoder.inputs.path=…"


def _built(target: str, options: Mapping[str, Any]) -> Encoder:
    check_target(target)
    module, _, name = target.rpartition(".")
    try:
        return checked_encoder(getattr(importlib.import_module(module), name)(**options))
    except TypeError as error:
        raise PolyprobeError(f"{target} does not take these options: {error}.") from error


def _words_by_frequency(sentences: Sequence[Sequence[str]], case: str) -> list[str]:
    counts = Counter(lower_cased(word, case) for words in sentences for word in words)
    return sorted(counts, key=lambda word: (-counts[word], word))
