"""Sentence encoders with random weights over real word vectors (Conneau et al. 2018, "Untrained"); no run is needed."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from polyprobe.encoders.base.encoder import BLOCK_ITEMS, Encoder, Layer, check_items, fingerprint, path_of
from polyprobe.encoders.cache.store import VectorCache
from polyprobe.encoders.fasttext import Fasttext
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.errors import BadValue, briefly, check_choice
from polyprobe.formats.reading.case import Lowercase
from polyprobe.formats.vectors.fasttext_bin import is_fasttext_bin
from polyprobe.items import Form, Item, Sentence, TokenInContext, words_of
from polyprobe.models.inputs.frozen_vectors import FrozenVectors
from polyprobe.models.inputs.word_batch import word_batches
from polyprobe.models.sentence_networks.sentence_network import SentenceNetwork, input_scale
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.runs.names.foreign_names import SENTENCE_NETWORK, known
from polyprobe.runs.names.identity import lasting_name
from polyprobe.section import Seed, checked
from polyprobe.seeds import derived_seed

_VERSION = 1
# Fingerprints name a network with the module in which it first stood: kept vectors and names of runs outlive modules.
_FIRST_NAMES = {
    "BiLSTMLast": "src.models.sentence_networks.bilstm_last.BiLSTMLast",
    "BiLSTMMax": "src.models.sentence_networks.bilstm_max.BiLSTMMax",
    "GatedConvNet": "src.models.sentence_networks.gated_convnet.GatedConvNet",
}
_ROWS_MEASURED = 10_000


class UntrainedEncoder(Encoder):
    """Encodes sentences with a network as it was drawn: with the same seed, what a run of task=sentence has at epoch 0,
    up to the scale of the inputs.

    Distinct sentences go through the network once for each block of items; a form is a sentence of one word, a token in
    context is its form. Nothing is normalised here: how NFC and NFD spellings are read is up to the word vectors.

    A network that expects a scale gets the vectors at that scale, as in a run. There is no text to measure it on: the
    first 10,000 words of the file stand for one, the k-th with the weight 1 / k (Zipf's law: words stand by frequency).
    A run measures its own train, hence its epoch 0 differs by a factor of the inputs.

    Args:
        model: a choice of `model=` with a network over words, such as bilstm_max.
        network: its settings that differ from that choice, such as `hidden_size`.
        seed: of the weights.
        path: of word vectors, any file of `StaticVectors` or `Fasttext`.
        lowercase, dotless_i: how words are looked up there, see `case_rule`.
        cache: the folder of encodings, for the vectors of words.

    Raises:
        BadValue: the model has no network over words, or the network no such setting.
        UnknownChoice: there is no such model.
    """

    accepts = frozenset({Form, Sentence, TokenInContext})
    reads_context = False

    @checked("encoder")
    def __init__(
        self,
        model: str,
        network: Mapping[str, Any],
        seed: Seed,
        path: str | Path,
        lowercase: Lowercase,
        dotless_i: bool,
        cache: str | Path,
    ):
        self.settings, self.seed = {**_network_settings(model), **network}, seed
        vectors = _word_vectors(path_of("encoder.path", path), lowercase, dotless_i)
        self.source = VectorSource(vectors, VectorCache(folder=path_of("encoder.cache", cache)))
        self.model_name, self.provenance = vectors.model_name, vectors.provenance
        self.reader = FrozenVectors(self.source.width, False, self.source.fingerprint, [], vectors.case)
        self.reader.attach(self.source)
        self._draw(seed)

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        check_items("untrained", self.accepts, items)
        for start in range(0, len(items), BLOCK_ITEMS):
            block = [words_of(item) for item in items[start : start + BLOCK_ITEMS]]
            sentences = sorted(set(block), key=lambda words: (len(words), words))
            row_of = {words: row for row, words in enumerate(sentences)}
            yield (self._vectors(sentences)[[row_of[words] for words in block]],)

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self.source.known(words)

    def randomised(self, seed: int) -> "UntrainedEncoder":
        """Returns the same network with other weights."""
        other = copy.copy(self)
        other._draw(derived_seed(seed, "fresh weights"))
        return other

    def _draw(self, seed: int) -> None:
        self.network = _built(self.settings, self.source.width)
        self.network.initialise(torch.Generator().manual_seed(seed))
        self.network.eval()
        self.layers = (Layer("sentence", self.network.width),)
        network = {**self.settings, "_target_": _FIRST_NAMES[lasting_name(self.settings["_target_"])]}
        self.fingerprint = fingerprint(
            "untrained", _VERSION, network=network, seed=seed, vectors=self.source.fingerprint
        )

    @torch.no_grad()
    def _vectors(self, sentences: Sequence[Sequence[str]]) -> np.ndarray:
        """Returns the vectors of sentences: `[sentences, width]`, float32."""
        batches = word_batches(self.reader.coder, sentences)
        scale = 1.0 if self.network.input_rms is None else input_scale(self.network, self._vector_rms)
        pooled = (self.network.pooled(self.network.states(self.reader(one) * scale, one), one) for one in batches)
        return np.concatenate([one.numpy() for one in pooled])

    @cached_property
    def _vector_rms(self) -> float:
        squares = np.square(self.source.encoder.first_vectors(_ROWS_MEASURED), dtype=float).mean(axis=1)
        weights = 1 / np.arange(1, len(squares) + 1)
        return float(weights @ squares / weights.sum()) ** 0.5 if len(squares) else 0.0


def _network_settings(model: str) -> dict[str, Any]:
    """Returns the settings of the network of a model, with the name of its class under `_target_`."""
    models = {name: choice_settings("model", name).get("encoder") for name in choice_files("model")}
    check_choice("encoder.model", model, [name for name, network in models.items() if network])
    return {key: value for key, value in models[model].items() if key != "_partial_"}


def _built(settings: Mapping[str, Any], input_size: int) -> SentenceNetwork:
    options = {key: value for key, value in settings.items() if key != "_target_"}
    network = known(SENTENCE_NETWORK, settings["_target_"], "encoder.model")
    try:
        return network(input_size=input_size, **options)
    except TypeError as error:
        raise BadValue("encoder.network", dict(options), f"settings of {network.__name__}: {briefly(error)}") from error


def _word_vectors(path: Path, lowercase: Lowercase, dotless_i: bool) -> Encoder:
    if is_fasttext_bin(path):
        return Fasttext(path, lowercase, dotless_i)
    return StaticVectors(path, None, "shared", 1, lowercase, dotless_i)
