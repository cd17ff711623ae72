"""Any run of train.py as an encoder: every layer that its model exposes, at any of its epochs."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from torch import nn

from polyprobe.encoders.base.encoder import (
    BLOCK_ITEMS,
    Encoder,
    Layer,
    check_items,
    chosen_layers,
    fingerprint,
    path_of,
)
from polyprobe.encoders.inputs.trained_models import attach, open_model, source_of
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.items import Form, Item, Sentence, TokenInContext, sentence_of, span_of
from polyprobe.models.base.checkpoint_file import fresh_model, weights_digest
from polyprobe.runs.directory import RunDirectory

_VERSION = 1
_TRAINED = Path("runs/train")
_OF_TRAIN = "Expected the directory of a run of train.py, with epochs/00.ckpt and so on"


class CheckpointEncoder(Encoder):
    """Returns the layers of a trained model at several epochs; each (epoch, layer) is a layer, the first epoch first.

    A form is a sentence of one word, a token in context is the vector at its index, a sentence the mean of its words; a
    layer with one vector for a sentence has that one, and none for a token. Distinct sentences go through the model
    once for each block of items. Nothing is normalised here: the model decides how NFC and NFD spellings and unknown
    words are read.

    Args:
        run: the run's directory.
        epochs: which to take, 0 before training; None for all existing ones.
        layers: names of exposed layers, in any order; None for those of `level`.
        level: "token": all exposed layers; "type": those alone that read a word without its sentence; "sentence": those
            with one vector for a sentence, or all of a model that has none of these.
        inputs: of a model that reads frozen vectors: options of their encoder that differ from training (see
            `source_of`), or the source of the vectors itself.
        cache: the folder of encodings, for those vectors.

    Raises:
        PolyprobeError: the run has no checkpoints, or none of a requested epoch; words are probed, and a layer has one
            vector for a sentence.
        BadValue, UnknownChoice: see `chosen_layers`.
        DamagedCheckpoint: see `load_model`.
    """

    def __init__(
        self,
        run: str | Path,
        epochs: Sequence[int] | None,
        layers: Sequence[str] | None,
        level: str,
        inputs: Mapping[str, Any] | VectorSource,
        cache: str | Path,
    ):
        if not isinstance(epochs, Sequence | None) or isinstance(epochs, str):
            raise BadValue("encoder.epochs", epochs, "a list such as [0,8], or null")
        self.run = path_of("encoder.run", run)
        self.model_name = self.run.resolve().name
        self._paths = chosen_epochs(self.run, epochs)
        self._models: dict[int, nn.Module] = {}
        first_epoch, path = next(iter(self._paths.items()))
        is_open = isinstance(inputs, VectorSource)
        self._source = inputs if is_open else source_of(path, inputs, path_of("encoder.cache", cache))
        first = self._model(first_epoch)
        self._exposed = first.exposed_layers
        if layers is None:
            layers = _layers_of_level(level, first, self.run)
        self._names = chosen_layers([name for name, _ in self._exposed], layers)
        self._of_sentences = frozenset(first.sentence_layers)
        if level == "token":
            _check_have_words(self._names, first)
        # In a layer of whole sentences no token has a vector of its own.
        has_tokens = self._of_sentences.isdisjoint(self._names)
        self.accepts = frozenset({Form, Sentence, TokenInContext} if has_tokens else {Form, Sentence})
        widths = dict(self._exposed)
        self.layers = tuple(Layer(name, widths[name], epoch) for epoch in self._paths for name in self._names)
        digests = {str(epoch): weights_digest(path) for epoch, path in self._paths.items()}
        self.provenance = {"files": {f"{epoch}/weights": digest for epoch, digest in digests.items()}}
        self.fingerprint = fingerprint("checkpoint", _VERSION, epochs=digests, layers=self._names)

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        check_items("checkpoint", self.accepts, items)
        for start in range(0, len(items), BLOCK_ITEMS):
            yield self._block(items[start : start + BLOCK_ITEMS])

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self._model(next(iter(self._paths))).known(words)

    def randomised(self, seed: int) -> "CheckpointEncoder":
        """Returns the model with fresh weights: each layer once, without an epoch. Its frozen vectors stay."""
        epoch, path = next(iter(self._paths.items()))
        model, digest = fresh_model(path, seed)
        attach(model, self._source)
        fresh = copy.copy(self)
        fresh._paths, fresh._models = {epoch: path}, {epoch: model}
        fresh.layers = tuple(replace(layer, epoch=None) for layer in self.layers if layer.epoch == epoch)
        fresh.fingerprint = fingerprint("checkpoint", _VERSION, epochs={"fresh": digest}, layers=self._names)
        return fresh

    def _block(self, items: Sequence[Item]) -> tuple[np.ndarray, ...]:
        sentences = sorted(set(map(sentence_of, items)), key=lambda words: (len(words), words))
        starts = dict(zip(sentences, accumulate((len(words) for words in sentences), initial=0), strict=False))
        spans = np.array([[starts[sentence_of(item)]] for item in items]) + np.array(list(map(span_of, items)))
        places = {words: place for place, words in enumerate(sentences)}
        rows = np.array([places[sentence_of(item)] for item in items])
        return tuple(
            vectors[rows] if name in self._of_sentences else _means(vectors, spans)
            for epoch in self._paths
            for name, vectors in self._layer_vectors(epoch, sentences)
        )

    def _layer_vectors(self, epoch: int, sentences: Sequence[tuple[str, ...]]) -> list[tuple[str, np.ndarray]]:
        """Returns the vectors of each layer, float32: of all words of all sentences, or of all sentences."""
        model = self._model(epoch)
        model.forget_words()  # so that the last bits of a vector depend on the items of its block alone
        by_layer = model.layer_vectors(sentences)  # sorted by length, so that its batches are even
        return [(name, by_layer[name].numpy().astype(np.float32, copy=False)) for name in self._names]

    def _model(self, epoch: int) -> nn.Module:
        """Loads a model when it is first needed."""
        if epoch not in self._models:
            self._models[epoch] = open_model(self._paths[epoch], self._source)
        return self._models[epoch]


def _layers_of_level(level: str, model: Any, run: Path) -> Sequence[str]:
    if level == "type":
        return model.word_layers or _refuse_context(run, model.exposed_layers)
    if level == "sentence" and model.sentence_layers:
        return model.sentence_layers
    return [name for name, _ in model.exposed_layers if name not in model.sentence_layers]


def chosen_epochs(run: Path, epochs: Sequence[int] | None) -> Mapping[int, Path]:
    """Returns the checkpoint file of each requested epoch, in ascending order.

    Raises:
        PolyprobeError: there is no such folder, or it has no checkpoints, or none of a requested epoch.
    """
    if not run.is_dir():
        by_name = _TRAINED / run
        meant = f"Did you mean {by_name}? " if by_name.is_dir() else ""
        raise PolyprobeError(f"encoder.run: there is no folder {run}. {meant}{_OF_TRAIN}.")
    there = RunDirectory(run).checkpoints()
    if not there:
        raise PolyprobeError(_without_checkpoints(run))
    chosen = sorted(there) if epochs is None else sorted(set(epochs))
    absent = [str(epoch) for epoch in chosen if epoch not in there]
    if absent or not chosen:
        complaint = f"has no checkpoint of epoch {', '.join(absent)}" if absent else "is requested without any epoch"
        raise PolyprobeError(f"encoder.epochs: {run} {complaint}. There: {', '.join(map(str, sorted(there)))}.")
    return {epoch: there[epoch] for epoch in chosen}


def _without_checkpoints(run: Path) -> str:
    vectors = RunDirectory(run).vectors / "vectors.vec"
    if vectors.is_file():
        taken = f"such as encoder=static_vectors encoder.path={vectors}"
        return f"{run} has word vectors and no checkpoints. Expected the encoder that it printed, {taken}"
    return f"{run} has no checkpoints. {_OF_TRAIN}, as encoder.run."


def _check_have_words(layers: Sequence[str], model: Any) -> None:
    """Refuses layers of whole sentences where words in context are to be encoded."""
    whole = [name for name in layers if name in model.sentence_layers]
    if whole:
        of_words = [name for name, _ in model.exposed_layers if name not in model.sentence_layers]
        found = f'layer "{whole[0]}" has one vector for a sentence, none for a word, and this suite is of words'
        others = " or ".join(f"encoder.layers=[{name}]" for name in of_words)
        raise PolyprobeError(f"encoder.layers: {found}. Use {others}, or a suite of sentences.")


def _refuse_context(run: Path, exposed: Sequence[tuple[str, int]]) -> NoReturn:
    names = ", ".join(name for name, _ in exposed)
    raise PolyprobeError(
        f"{run}: no layer of this model encodes words in isolation. Use suite=linspector_token, or name layers "
        f"that read a form as a sentence of one word: encoder.layers=[…] of {names}."
    )


def _means(vectors: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Averages `vectors`, `[words, width]`, over each span: `[spans, width]`."""
    means = vectors[spans[:, 0]]
    for number in np.flatnonzero(spans[:, 1] - spans[:, 0] > 1):
        means[number] = vectors[slice(*spans[number])].mean(axis=0)
    return means
