"""ELMo as an encoder: every layer and their average, for words alone and in their sentences."""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.context_encoder import SENTENCE, Context, ContextEncoder
from polyprobe.encoders.base.device import device_of
from polyprobe.encoders.base.encoder import (
    Layer,
    chosen_layers,
    fingerprint,
    path_of,
)
from polyprobe.encoders.base.word_encoder import numbered
from polyprobe.formats.reading.case import Lowercase, case_rule, lower_cased
from polyprobe.items import Item, sentence_of, span_of
from polyprobe.models.elmo.files import find_elmo
from polyprobe.models.elmo.network import Elmo, fresh_weights, with_weights
from polyprobe.models.layers.packing import Packing
from polyprobe.section import Count, checked
from polyprobe.seeds import derived_seed

_VERSION = 1
_MARKS = 2  # the begin and the end of a sentence


class ElmoEncoder(ContextEncoder):
    """Runs a pretrained ELMo model of either public format: AllenNLP's, or an ELMoForManyLangs folder.

    A form is a sentence of one word (decontextualised), a token in context is read in its sentence, a sentence is the
    mean of its words. Without context a token has the vector of its form, in probing tests and as input of a task
    alike, and sentences are refused: LINSPECTOR's D-ELMo. The marks of a sentence's begin and end are read with it and
    then left out. Every sentence starts from zero states, where the released programs continue from the last batch: a
    vector depends on its sentence alone.

    There are no unknown words: a model composes every word from its characters. ELMoForManyLangs also has a table of
    whole words, in which a word that it lacks has the row of unknown words. Nothing is normalised: NFC and NFD
    spellings of a word have different vectors. Longer words than the model reads (mostly 48 bytes or characters) are
    cut.

    Args:
        path: the model's folder; see `find_elmo`.
        layers: of "token", "lstm_1", "lstm_2" and so on, "average", in any order; None for all.
        lowercase, dotless_i: see `case_rule`.
        batch_words: so many words, marks included, go through the model at once.
        device: see `device_of`. Neither this nor `batch_words` changes a vector beyond rounding.
        context: "sentence", or "none"; not said by runs of earlier versions, which read the sentence.

    Raises:
        UnknownChoice: there is no such context.
        PolyprobeError: the folder holds no model or several, or a file is not in its format.
    """

    kind = "elmo"

    @checked("encoder")
    def __init__(
        self,
        path: str | Path,
        layers: Sequence[str] | None,
        lowercase: Lowercase,
        dotless_i: bool,
        batch_words: Count,
        device: str | None,
        context: Context = SENTENCE,
    ):
        super().__init__(context)
        self.case, self.batch_words = case_rule(lowercase, dotless_i), batch_words
        self.device = device_of(device, "encoder")
        self._pretrained = find_elmo(path_of("encoder.path", path))
        self.model_name = last_parts(path)
        self._seed: int | None = None
        sizes = self._pretrained.sizes
        self._names = chosen_layers(sizes.layer_names, layers)
        self.layers = tuple(Layer(name, 2 * sizes.projection_size) for name in self._names)
        digests = self._pretrained.weight_digests()
        names = [file.name for file in self._pretrained.weight_files]
        sizes_read = {"depth": sizes.n_layers + 1, "width": 2 * sizes.projection_size}
        self.provenance = {"files": dict(zip(names, digests, strict=True)), **sizes_read}
        self.fingerprint = self._fingerprint(weights=digests)

    def encode_blocks(self, blocks: Iterable[Sequence[Item]]) -> Iterator[tuple[np.ndarray, ...]]:
        return (self._window(self.as_read(block)) for block in blocks)

    def randomised(self, seed: int) -> "ElmoEncoder":
        """Returns the same architecture with weights drawn by `seed`; see `fresh_weights`."""
        fresh = copy.copy(self)
        fresh.__dict__.pop("_model", None)
        fresh._seed = seed
        fresh.fingerprint = fresh._fingerprint(seed=seed)
        return fresh

    @cached_property
    def _model(self) -> Elmo:
        """The model, loaded or drawn when it is first needed."""
        if self._seed is None:
            weights = self._pretrained.read_weights()
        else:
            generator = torch.Generator().manual_seed(derived_seed(self._seed, "elmo"))
            weights = fresh_weights(self._pretrained.sizes, generator)
        return with_weights(self._pretrained.sizes, weights).to(self.device)

    def _fingerprint(self, **weights: object) -> str:
        architecture = {"sizes": asdict(self._pretrained.sizes), "spelling": asdict(self._pretrained.spelling)}
        options = {"case": self.case, "layers": self._names, **self.context_in_fingerprint}
        return fingerprint("elmo", _VERSION, **architecture, **options, **weights)

    @torch.inference_mode()
    def _window(self, items: Sequence[Item]) -> tuple[np.ndarray, ...]:
        """Returns `[items, width]` per layer; each distinct sentence, and each distinct word, is computed once."""
        vectors = tuple(np.empty((len(items), layer.width), np.float32) for layer in self.layers)
        items_of_sentence: dict[tuple[str, ...], list[int]] = {}
        for number, item in enumerate(items):
            sentence = tuple(lower_cased(word, self.case) for word in sentence_of(item))
            items_of_sentence.setdefault(sentence, []).append(number)
        sentences = sorted(items_of_sentence, key=lambda words: (len(words), words))
        word_ids = numbered(word for sentence in sentences for word in sentence)
        word_vectors = self._word_vectors(list(word_ids))
        for batch in _batches(sentences, self.batch_words):
            states = self._states(batch, word_ids, word_vectors)
            first = 0
            for sentence in batch:
                for number in items_of_sentence[sentence]:
                    start, stop = span_of(items[number])
                    for layer, of_layer in zip(vectors, states, strict=True):
                        layer[number] = of_layer[first + 1 + start : first + 1 + stop].mean(axis=0)
                first += len(sentence) + _MARKS
        return vectors

    def _word_vectors(self, words: Sequence[str]) -> Tensor:
        """Composes the two marks of a sentence, then the words: `[2 + words, projection size]`."""
        spelling, model = self._pretrained.spelling, self._model
        spelled, word_ids = spelling.spelled(words)
        by_length = sorted(range(len(spelled)), key=lambda row: len(spelled[row]))  # so that little is padded
        vectors = torch.empty(len(spelled), model.sizes.projection_size, device=self.device)
        for start in range(0, len(by_length), self.batch_words):
            rows = by_length[start : start + self.batch_words]
            characters = spelling.padded([spelled[row] for row in rows], model.character_cnn.widest)
            ids = (torch.from_numpy(array).to(self.device) for array in (characters, word_ids[rows]))
            # By default convolutions on a GPU round their factors to ten bits.
            with torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False):
                vectors[rows] = model.word_vectors(*ids)
        return vectors

    def _states(
        self, sentences: Sequence[tuple[str, ...]], word_ids: Mapping[str, int], word_vectors: Tensor
    ) -> list[np.ndarray]:
        """Returns, for each requested layer, `[words and marks of all sentences, width]`."""
        begin, end = 0, 1
        rows = [row for words in sentences for row in (begin, *(_MARKS + word_ids[word] for word in words), end)]
        packing = Packing.of([len(words) + _MARKS for words in sentences]).to(self.device)
        states = dict(zip(self._model.sizes.layer_names, self._model(word_vectors[rows], packing), strict=True))
        return [states[name].cpu().numpy() for name in self._names]


def _batches(sentences: Sequence[tuple[str, ...]], batch_words: int) -> Iterator[list[tuple[str, ...]]]:
    """Cuts into batches of at most so many words, marks included; a longer sentence is a batch of its own."""
    batch: list[tuple[str, ...]] = []
    n_words = 0
    for sentence in sentences:
        n_words += len(sentence) + _MARKS
        if batch and n_words > batch_words:
            yield batch
            batch, n_words = [], len(sentence) + _MARKS
        batch.append(sentence)
    if batch:
        yield batch
