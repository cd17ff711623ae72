"""Trained probes in files: `probe.keep=true` writes them, `load_probe` reads them; nothing is built by their names."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from safetensors import SafetensorError

from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.files.file_names import open_file
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import columns_of
from polyprobe.probing.bank.chunk import SCORED_ROWS
from polyprobe.probing.bank.networks import network_of
from polyprobe.probing.bank.scaling import Scaling
from polyprobe.runs.record.plain_types import in_words

FORMAT = "polyprobe probe 1"
LINEAR = ("output.weight", "output.bias")
HIDDEN = ("hidden.weight", "hidden.bias", *LINEAR)
SCALING = ("vectors.mean", "vectors.deviation")
MOST_BYTES = 1 << 32


@dataclass(frozen=True, eq=False)
class KeptProbe:
    """A trained probe of one test, layer and seed: what it predicts for vectors of its encoder.

    Vectors are those that the encoder yields: a probe that learnt from standardised ones standardises them itself.
    """

    test: str
    suite: str
    lang: str
    """Names, as in the rows of its run."""
    labels: tuple[str, ...]
    layer: str
    """Name of the encoder's layer, without its epoch."""
    epoch: int | None
    """Of the encoder's checkpoint; None for an encoder that has none."""
    seed: int
    parts: int
    """Items of an example: 2 for a pair of forms, whose vectors are concatenated, the first form's first."""
    encoder: Mapping[str, Any]
    """The choice of `encoder=` and its options, to be shown: nothing is built of them."""
    fingerprint: str
    """Of the encoder: vectors of an encoder with another one are not what the probe was trained on."""
    number: str
    """Type of the numbers of the cached vectors; "float16": rounded."""
    spec: ProbeSpec
    dev_accuracy: float
    """0 to 1."""
    predictions: str
    """SHA-256 of the label ids that it predicts for its run's test items."""
    versions: Mapping[str, str]
    """Of polyprobe and torch."""
    parameters: tuple[np.ndarray, ...] = field(repr=False)
    """Of each layer of the probe, the first first: float32 weights `[inputs, outputs]`, biases `[outputs]`. The first
    layer's are of standardised vectors, where there is a scaling."""
    scaling: Scaling | None = field(default=None, repr=False)
    """By which it standardises vectors, of a pair each of both; None: it does not."""

    @property
    def width(self) -> int:
        """Numbers of a vector that it takes: of a pair, of both."""
        return len(self.parameters[0])

    @property
    def is_linear(self) -> bool:
        return self.spec.hidden_size is None

    def predict(self, vectors: Any) -> np.ndarray:
        """Predicts the labels of vectors; of the run's test items exactly those in its predictions/.

        Args:
            vectors: `[items, width]`, of the layer and the encoder of the probe.

        Returns:
            The labels: str `[items]`.

        Raises:
            PolyprobeError: the vectors are of another width, or not finite numbers.
        """
        return np.array(self.labels)[self._scores(vectors).argmax(1).numpy()]

    def probabilities(self, vectors: Any) -> np.ndarray:
        """Returns the probability of each label, in the order of `labels`: float64 `[items, labels]`.

        Args, Raises: see `predict`.
        """
        return torch.softmax(self._scores(vectors)[:, : len(self.labels)].double(), 1).numpy()

    def direction(self, label: str) -> np.ndarray:
        """Returns what the weights of a label have over the mean of those of all others: float32 `[width]`.

        Along it the label gains over the others. With two labels it is the difference of their weights, the normal of
        the plane between them. Its length is that of the weights. All are of the encoder's own vectors: those of a
        probe that standardises are divided by the deviations.

        Raises:
            UnknownChoice: the probe has no such label.
            PolyprobeError: the probe has a hidden layer, or one label only.
        """
        check_choice("label", label, self.labels)
        if not self.is_linear or len(self.labels) == 1:
            why = f"a hidden layer of {self.spec.hidden_size}" if not self.is_linear else f"one label only ({label})"
            raise PolyprobeError(
                f"The probe of {self.test} has {why}, hence no direction of a label. Expected a linear probe "
                "(probe=linear probe.keep=true) of several labels."
            )
        weights, place = self.parameters[0], self.labels.index(label)
        difference = weights[:, place] - np.delete(weights, place, axis=1).mean(axis=1)
        return difference if self.scaling is None else difference * np.tile(self.scaling.factors, self.parts)

    @torch.inference_mode()
    def _scores(self, vectors: Any) -> torch.Tensor:
        """Scores vectors by the same products as the bank: float32 `[items, columns]`, the labels first."""
        columns = columns_of(len(self.labels), self.spec)
        network = network_of(self.spec, columns)
        parameters = tuple(network.of_family([torch.from_numpy(one) for one in self.parameters], columns.width))
        read = self._checked(vectors)
        memory = torch.empty(min(len(read), SCORED_ROWS), self.width)
        blocks = []
        for one in read.split(SCORED_ROWS):
            block = memory[: len(one)].copy_(one)
            if self.scaling is not None:
                self.scaling.standardise(block.view(-1, self.width // self.parts))
            blocks.append(network.scores(parameters, block))
        return torch.cat(blocks)[:, :, 0]

    def _checked(self, vectors: Any) -> torch.Tensor:
        array = np.asarray(vectors)
        if array.ndim != 2 or array.shape[1] != self.width or array.dtype.kind not in "fiu":
            of_pairs = ", the vectors of both forms of a pair side by side" if self.parts == 2 else ""
            expected = f"numbers [items, {self.width}]{of_pairs}"
            raise BadValue("vectors", f"{array.dtype} {list(array.shape)}", expected)
        if not np.isfinite(array).all():
            raise PolyprobeError(
                f"vectors of item {np.isfinite(array).all(axis=1).argmin()} are not all finite numbers."
            )
        return torch.from_numpy(np.ascontiguousarray(array, np.float32))

    def write(self, path: Path) -> None:
        """Writes the probe, whole or not at all; makes the folder."""
        names = LINEAR if self.is_linear else HIDDEN
        tensors = {name: np.ascontiguousarray(one.T) for name, one in zip(names, self.parameters, strict=True)}
        if self.scaling is not None:
            tensors |= dict(zip(SCALING, (self.scaling.means, self.scaling.deviations), strict=True))
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("parameters", "scaling")}
        about = json.dumps({**plain, "spec": asdict(self.spec)}, ensure_ascii=False, sort_keys=True)
        metadata = {"format": FORMAT, "about": about, "sha256": _seal(about, tensors)}
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_atomically(path) as neighbour:
            neighbour.write_bytes(safetensors.numpy.save(tensors, metadata))


def digest_of_predictions(label_ids: np.ndarray) -> str:
    """Returns the SHA-256 of predictions, int64 `[items]`."""
    return hashlib.sha256(np.ascontiguousarray(label_ids, np.int64).tobytes()).hexdigest()


def load_probe(path: str | Path) -> KeptProbe:
    """Reads a probe that a run with `probe.keep=true` has kept, `<run>/probes/<test>-<layer>-s<seed>.safetensors`.

    Raises:
        PolyprobeError: there is no such file, or it is damaged, or not the file of a probe.
    """
    path = Path(path)
    try:
        with open_file(path) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"it has more than the {MOST_BYTES:,} bytes that are read")
        tensors = safetensors.numpy.load(content)  # which checks the header
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        return _read(header.get("__metadata__") or {}, tensors)
    except OSError as error:
        raise PolyprobeError(f"{path} cannot be read: {error.strerror}. {_EXPECTED}") from error
    except (SafetensorError, ValueError, TypeError, KeyError, RecursionError, PolyprobeError) as error:
        found = " ".join(str(error).split()).rstrip(".")
        raise PolyprobeError(f"{path} is not a kept probe, or damaged: {found}. {_EXPECTED}") from error


_EXPECTED = "Expected a file of <run>/probes/, which a run with probe.keep=true writes."


def _read(metadata: Mapping[str, str], tensors: Mapping[str, np.ndarray]) -> KeptProbe:
    if metadata.get("format") != FORMAT:
        raise ValueError(f"its format is {in_words(metadata.get('format'))}, not {in_words(FORMAT)}")
    if metadata.get("sha256") != _seal(metadata["about"], tensors):
        raise ValueError("what it holds differs from its digest, the entry sha256")
    about = json.loads(metadata["about"])
    spec = ProbeSpec(**about["spec"])
    names = LINEAR if spec.hidden_size is None else HIDDEN
    parameters = tuple(np.ascontiguousarray(tensors[name].T) for name in names)
    scaling = None if spec.scale == "none" else Scaling(*(tensors[name] for name in SCALING))
    return KeptProbe(
        **{**about, "labels": tuple(about["labels"]), "spec": spec, "parameters": parameters, "scaling": scaling}
    )


def _seal(about: str, tensors: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {tensors[name].shape} ".encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()
