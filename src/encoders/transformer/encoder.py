"""Pretrained transformers: every layer, for words alone, words in context and sentences."""

import copy
import logging
import textwrap
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.encoders.base.context_encoder import ContextEncoder
from polyprobe.encoders.base.device import token_budget_of
from polyprobe.encoders.base.encoder import Layer, fingerprint
from polyprobe.encoders.transformer.encoder_options import (
    DEFAULT_POOLING,
    SentenceChoice,
    TransformerOptions,
    sentence_choice,
)
from polyprobe.encoders.transformer.files import (
    NotATransformer,
    digests,
    model_folder,
    model_name,
    name_of_checkpoints,
    with_epoch,
)
from polyprobe.encoders.transformer.inner_sites import RESIDUAL, inner_sites
from polyprobe.encoders.transformer.model import FrozenTransformer, Weights, architecture, read_config, sizes
from polyprobe.encoders.transformer.model_options import check_alike
from polyprobe.encoders.transformer.pieces import TEXT, WordPieces, log_special
from polyprobe.encoders.transformer.sequences import (
    NO_ROW,
    PieceSequence,
    PooledRows,
    SequenceLayout,
    Targets,
    batches,
    targets,
)
from polyprobe.encoders.transformer.text_reading import nothing_read, pooled, sentence_modules
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.reading.case import case_rule, lower_cased
from polyprobe.items import Item, text_of

_log = logging.getLogger(__name__)
_VERSION = 1
SENTENCE_EMBEDDING = "sentence_embedding"


class TransformerEncoder(ContextEncoder):
    """Computes the layers of any encoder or decoder that transformers loads; of an encoder-decoder the encoder's.

    Layers are "layer_0" (the embedding layer), "layer_1" and so on, the hidden states that the model returns: in
    models with a norm after the last layer, the last is normed. Sites inside of them (`sites`) are layers, too:
    "layer_3.attention", "layer_3.mlp", or the name of a module; all come from one run of the model.

    A token in context is pooled over the pieces of its word in its sentence, a form is a sentence of one word, a
    sentence is pooled over its pieces. Without context a token has the vector of its form, and sentences are refused.
    A sentence is read as a text, as `tokenizer(text)` reads it, or, with `reading="words"`, as its words are: one by
    one, each as behind a blank. Every distinct sentence goes through the model once for a block of items, in batches of
    like lengths that are padded on the right. Budget, device and the other sentences of a batch change vectors by less
    than 1e-5 of the largest absolute value, so they are not in the fingerprint. Nor are versions of libraries.

    A folder of sentence-transformers says itself how a sentence becomes a vector (`SentenceModules`): unless a pooling
    is asked for, its sentences are read as running texts, every layer is pooled as the folder says, and a last layer,
    "sentence_embedding", is what sentence-transformers itself makes of the sentence.

    Of checkpoints of a training (`folders`, `revisions`) each layer at each epoch is a layer, the first epoch first.
    Each block of items goes through one model after the other; one is in memory at a time.

    Nothing is normalised here: the tokenizer decides about NFC and NFD spellings. There are no unknown words: a word
    without any piece has the unknown piece; such words are counted and logged.

    Raises:
        NotATransformer: the folder holds no such model, no fast tokenizer, or modules that are not known here.
        PolyprobeError: an option is out of range, the hub's model cannot be fetched, or checkpoints are not of one
            architecture and vocabulary.
    """

    kind = "transformer"

    def __init__(self, **options: Annotated[Any, TransformerOptions]):
        options = TransformerOptions(**options)
        super().__init__(options.context)
        self.weights = Weights.of(options)
        self.device = self.weights.device
        self.token_budget = token_budget_of(options.token_budget, self.device)
        self.word_pooling, self.sentence_pooling = options.word_pooling, options.sentence_pooling or DEFAULT_POOLING
        self.over_long = options.over_long
        self.case = case_rule(options.lowercase, options.dotless_i)
        self._held: tuple[Path, FrozenTransformer] | None = None
        self._find_folders(options)
        config = read_config(self.folder)
        self.pieces = WordPieces(self.folder, options.reading)
        self._choose_sentences(sentence_choice(self.folders, config.hidden_size, options))
        self._as_texts = options.reading == TEXT and options.level == "sentence" and self.sentences.reading is None
        embedding = (SENTENCE_EMBEDDING,) if self.sentences.modules else ()
        chosen = _chosen_layers((*range(config.num_hidden_layers + 1), *embedding), options.layers)
        numbers = [one for one in chosen if one != SENTENCE_EMBEDDING]
        found = (
            []
            if options.sites is None
            else inner_sites(self.folder, config, options.sites, numbers, lambda: self._model.model)
        )
        self.sites = {one.name: one for one in found}
        self.chosen = _with_sites(chosen, options.sites, list(self.sites))
        self.layers = tuple(
            self._layer(one, config.hidden_size, epoch) for epoch in self.folders for one in self.chosen
        )
        if options.sentence_pooling == "cls" and not len(self.pieces.prefix):
            expected = f"mean or max ({self.folder} begins with no special token)"
            raise BadValue("encoder.sentence_pooling", "cls", expected)
        is_narrowed = self.weights.number_type != "float32" and getattr(config, "rope_parameters", None)
        self._angles = {"angles": "float32"} if is_narrowed else {}  # once they were narrowed with the weights
        files = self._digests()
        named = [with_epoch(*of_epoch) for of_epoch in files.items()]
        self.provenance = {**sizes(config), "files": dict(ChainMap(*named))}
        self.fingerprint = self._fingerprint(files)

    def _find_folders(self, options: TransformerOptions) -> None:
        """Finds the folder of each checkpoint, by epoch."""
        checkpoints = options.checkpoints()
        self.folders = {one.epoch: model_folder(one.model, one.revision, "encoder") for one in checkpoints}
        self.folder = next(iter(self.folders.values()))
        if None in self.folders:
            self.model_name = model_name(options.model, self.folder)
        else:
            self.model_name = name_of_checkpoints(checkpoints)
            names = [one.revision or one.model for one in checkpoints]
            _check_of_one_training(options.folders is None, names, self.folders)

    def _choose_sentences(self, choice: SentenceChoice) -> None:
        self.sentences, self.resolved = choice, choice.in_words
        self.accepts &= choice.accepts
        if choice.is_lowercase:
            self.pieces.lower_case()

    def _layer(self, chosen: int | str, width: int, epoch: int | None) -> Layer:
        n_joined = len(self.sentences.reading.modes) if self.sentences.reading else 1
        if chosen in self.sites:
            return Layer(chosen, n_joined * self.sites[chosen].width, epoch)
        if chosen != SENTENCE_EMBEDDING:
            return Layer(f"layer_{chosen}", n_joined * width, epoch)
        return Layer(chosen, self.sentences.modules[epoch].width, epoch)

    def _digests(self) -> dict[int | None, dict[str, str]]:
        return {epoch: digests(folder, self.weights.seed is None) for epoch, folder in self.folders.items()}

    def _fingerprint(self, files: Mapping[int | None, Mapping[str, str]]) -> str:
        return fingerprint(
            "transformer",
            _VERSION,
            files=files.get(None) or {str(epoch): of_epoch for epoch, of_epoch in files.items()},
            layers=self.chosen,
            pooling=[] if self.sentences.reading else [self.word_pooling, self.sentence_pooling],
            case=self.case,
            over_long=self.over_long,
            **self.weights.in_fingerprint(),
            **self._angles,
            **self.context_in_fingerprint,
            **({"sites": {one.name: one.module for one in self.sites.values()}} if self.sites else {}),
            **self.sentences.in_fingerprint(),
            **({"reading": TEXT} if self._as_texts else {}),
        )

    def encode_blocks(self, blocks: Iterable[Sequence[Item]]) -> Iterator[tuple[np.ndarray, ...]]:
        counts = _Counts()
        for block in blocks:
            yield self._block(self.as_read(block), counts)
        counts.log()

    @property
    def top(self) -> int | str:
        return next((one for one in reversed(self.chosen) if one not in self.sites), self.chosen[-1])

    def randomised(self, seed: int) -> "TransformerEncoder":
        """Returns the same architecture with weights drawn by `seed`.

        Of checkpoints each layer is there once, without an epoch.
        """
        fresh = copy.copy(self)
        fresh._held, fresh.weights = None, replace(self.weights, seed=seed, quantised=None)
        fresh.folders = {None: self.folder}
        if self.sentences.modules:
            fresh.sentences = replace(self.sentences, modules={None: next(iter(self.sentences.modules.values()))})
        fresh.layers = tuple(replace(layer, epoch=None) for layer in self.layers[: len(self.chosen)])
        fresh.fingerprint = fresh._fingerprint(fresh._digests())
        return fresh

    def _block(self, items: Sequence[Item], counts: "_Counts") -> tuple[np.ndarray, ...]:
        if self.sentences.reading is not None:
            return self._text_block(items, counts)
        wanted = targets(items, lambda word: lower_cased(word, self.case), self._as_texts)
        sequences = list(self._sequences(items, wanted, counts))
        return tuple(
            vectors for folder in self.folders.values() for vectors in self._vectors(folder, wanted, sequences)
        )

    def _vectors(self, folder: Path, wanted: Targets, sequences: Sequence[PieceSequence]) -> tuple[np.ndarray, ...]:
        """Returns the vectors of a block of items, `[items, width]` for each layer of one model."""
        model = self._opened(folder)
        words = self._pooled(wanted.n_words, self.word_pooling == "max")
        sentences = self._pooled(wanted.n_sentences, self.sentence_pooling == "max")
        layers = {one: self._where(one) for one in self.chosen}

        def add(layer: int | str, states: Tensor) -> None:
            words.add(self.chosen.index(layer), states)
            sentences.add(self.chosen.index(layer), states)

        for batch in batches(sequences, self.token_budget, model.padding_id):
            words.begin(batch.word_rows)
            sentences.begin(batch.sentence_rows)
            model.hidden_states(batch.ids, batch.is_real, layers, add)
        return wanted.of_items(words.vectors(), sentences.vectors())

    def _text_block(self, items: Sequence[Item], counts: "_Counts") -> tuple[np.ndarray, ...]:
        """Returns the vectors of sentences that are read as texts, `[items, width]` for each layer."""
        texts = [lower_cased(text_of(item), self.case) for item in items]
        row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        counts.n_special += self.pieces.n_with_special(row_of)
        rows = [row_of[text] for text in texts]
        limit = self._least(self.sentences.reading.limit or self.pieces.limit, self._model.position_limit)
        sequences = []
        for row, (sequence, is_cut) in enumerate(self.sentences.reading.sequences(self.pieces, list(row_of), limit)):
            if is_cut and self.over_long == "refuse":
                raise self._too_long(items[rows.index(row)], f"more than {limit}", limit)
            counts.n_cut += is_cut
            sequences.append(sequence)
        return tuple(layer[rows] for epoch in self.folders for layer in self._text_vectors(epoch, sequences))

    def _text_vectors(self, epoch: int | None, sequences: Sequence[PieceSequence]) -> list[np.ndarray]:
        """Returns the vectors of distinct texts, `[texts, width]` for each layer of one model."""
        reading, model = self.sentences.reading, self._opened(self.folders[epoch])
        modules = self._modules(epoch)
        n_left_out = reading.n_left_out(self.pieces, None)
        found = {
            one: np.empty((len(sequences), layer.width), np.float32)
            for one, layer in zip(self.chosen, self.layers, strict=False)
        }
        top = model.config.num_hidden_layers
        for batch in batches(sequences, self.token_budget, model.padding_id):
            counted = (batch.sentence_rows != NO_ROW).to(self.device)
            is_real = torch.ones_like(batch.ids) if batch.is_real is None else batch.is_real.long()
            mask = {"attention_mask": is_real.to(self.device), "prompt_length": n_left_out}
            rows = batch.sentence_rows.amax(1).numpy()

            def add(
                layer: int | str, states: Tensor, counted: Tensor = counted, mask: dict = mask, rows: np.ndarray = rows
            ) -> None:
                if modules is None:
                    found[layer][rows] = pooled(states, counted, reading.modes[0]).cpu().numpy()
                    return
                features = modules[0]({"token_embeddings": states.float(), **mask})
                if layer in found:
                    found[layer][rows] = features["sentence_embedding"].cpu().numpy()
                if layer == top and SENTENCE_EMBEDDING in found:
                    found[SENTENCE_EMBEDDING][rows] = modules[1:](features)["sentence_embedding"].cpu().numpy()

            layers = {one: self._where(one) for one in self.chosen if one != SENTENCE_EMBEDDING}
            layers |= {top: top} if SENTENCE_EMBEDDING in self.chosen else {}
            model.hidden_states(batch.ids, batch.is_real, layers, add)
        return list(found.values())

    def _where(self, chosen: int | str) -> int | str:
        """Returns the number of a layer, or the module of a site."""
        return self.sites[chosen].module if chosen in self.sites else chosen

    def _modules(self, epoch: int | None) -> nn.Sequential | None:
        """Returns the modules of sentence-transformers, if sentences are pooled by them."""
        if self.sentences.modules is None:
            return None
        return sentence_modules(self.sentences.modules[epoch].modules, self.device, self.weights.seed)

    def _least(self, *limits: int | None) -> int | None:
        """Returns the lowest limit, None for none; refuses one that leaves no room for words."""
        least = min((limit for limit in limits if limit is not None), default=None)
        n_special = len(self.pieces.prefix) + len(self.pieces.suffix)
        if least is not None and least <= n_special:
            raise NotATransformer(
                self.folder, f"a sequence may have {least} pieces", f"more than its {n_special} special tokens"
            )
        return least

    def _pooled(self, n_rows: int, maximum: bool) -> PooledRows:
        widths = [layer.width for layer in self.layers[: len(self.chosen)]]
        return PooledRows(n_rows, widths, maximum, self.device)

    def _sequences(self, items: Sequence[Item], wanted: Targets, counts: "_Counts") -> Iterator[PieceSequence]:
        layout = self._layout
        counts.n_special += self.pieces.n_with_special(map(" ".join, wanted.sentences))
        sentences = list(zip(wanted.sentences, wanted.are_texts, strict=True))
        of_words = self.pieces([words for words, is_text in sentences if not is_text])
        of_texts = self.pieces.of_sentences([words for words, is_text in sentences if is_text])
        for number, (words, is_text) in enumerate(sentences):
            pieces = next(of_texts if is_text else of_words)
            if not len(pieces.ids):
                raise nothing_read(" ".join(words))
            if layout.splits(pieces) and self.over_long == "refuse":
                item = items[wanted.sentence_of_item.tolist().index(number)]
                raise self._too_long(item, len(pieces.ids), f"{layout.capacity} besides its special tokens")
            counts.n_split += layout.splits(pieces)
            counts.n_unknown += pieces.n_unknown
            yield from layout.sequences(pieces, wanted.word_rows[number], wanted.sentence_rows[number])

    @property
    def _model(self) -> FrozenTransformer:
        """The model, of checkpoints the first; not needed if the cache has every vector."""
        return self._opened(self.folder)

    def _opened(self, folder: Path) -> FrozenTransformer:
        """Loads a model when it is needed; the one before it is let go first."""
        if self._held is None or self._held[0] != folder:
            self._held = None
            self._held = folder, FrozenTransformer(folder, self.weights)
        return self._held[1]

    @cached_property
    def _layout(self) -> SequenceLayout:
        limit = self._least(self.pieces.limit, self._model.position_limit)
        capacity = None if limit is None else limit - len(self.pieces.prefix) - len(self.pieces.suffix)
        return SequenceLayout(
            self.pieces.prefix, self.pieces.suffix, capacity, self.word_pooling, self.sentence_pooling
        )

    def _too_long(self, item: Item, n_pieces: int | str, most: int | str) -> PolyprobeError:
        shown = textwrap.shorten(repr(item), 200, placeholder=" …")
        return PolyprobeError(
            f"transformer cannot encode {shown}: its sentence has {n_pieces} pieces, the model's limit "
            f"is {most}. To encode such sentences {'in parts' if self.sentences.reading is None else 'cut'}: "
            "encoder.over_long=split"
        )


def _check_of_one_training(on_hub: bool, names: Sequence[str], folders: Mapping[int, Path]) -> None:
    """Refuses checkpoints of different models, see `check_alike`."""
    opened = zip(names, folders.values(), strict=True)
    kinds = {name: architecture(folder, read_config(folder), WordPieces(folder).backend) for name, folder in opened}
    check_alike(f"encoder.{'revisions' if on_hub else 'folders'}", kinds)


def _chosen_layers(known: Sequence[int | str], chosen: Sequence[int | str] | None) -> list[int | str]:
    """Returns the requested layers, ascending: numbers, and perhaps `SENTENCE_EMBEDDING`."""
    numbers = [one for one in known if one != SENTENCE_EMBEDDING]
    further = ", or sentence_embedding" if len(numbers) < len(known) else ""
    expected = f"a list of layers from 0 (the embedding layer) to {numbers[-1]}{further}, or null for all"
    if chosen is None:
        return list(known)
    if not isinstance(chosen, Sequence) or isinstance(chosen, str) or not chosen:
        raise BadValue("encoder.layers", chosen, expected)
    spelt = {name: one for one in known for name in (str(one), f"layer_{one}")}
    if not all(type(one) in (int, str) and str(one) in spelt for one in chosen):
        raise BadValue("encoder.layers", chosen, expected)
    numbers = [spelt[str(one)] for one in chosen]
    return [one for one in known if one in numbers]


def _with_sites(layers: Sequence[int | str], sites: Sequence[str] | None, inner: Sequence[str]) -> list[int | str]:
    """Puts the sites of a layer before its output, other modules behind all layers.

    Args:
        layers: numbers, ascending, and perhaps `SENTENCE_EMBEDDING`.
        sites: as chosen; without "residual" no layer's own output stays.
        inner: names of the sites inside.
    """
    if sites is None:
        return list(layers)
    of_layer = {one: [name for name in inner if name.startswith(f"layer_{one}.")] for one in layers}
    own = layers if RESIDUAL in sites else [one for one in layers if one == SENTENCE_EMBEDDING]
    chosen = [name for one in layers for name in (*of_layer[one], *([one] if one in own else []))]
    chosen += [name for name in inner if name not in chosen]
    if not chosen:
        expected = "sites that the layers in encoder.layers have: layer 0, the embeddings, has none inside"
        raise BadValue("encoder.sites", list(sites), expected)
    return chosen


@dataclass
class _Counts:
    """The counts that an encoding reports at its end; a sentence counts once for each block of items."""

    n_split: int = 0
    n_unknown: int = 0
    n_cut: int = 0
    n_special: int = 0

    def log(self) -> None:
        log_special(self.n_special)
        if self.n_split:
            _log.warning(
                "Sentences longer than the model's limit: %d. They are encoded in parts, without the "
                "context of the whole sentence.",
                self.n_split,
            )
        if self.n_cut:
            _log.warning(
                "Sentences longer than the model's limit: %d. They are truncated, as in "
                "sentence-transformers; their vectors ignore the rest.",
                self.n_cut,
            )
        if self.n_unknown:
            _log.warning(
                "Words for which the tokenizer returns nothing: %d. They are encoded as its unknown piece.",
                self.n_unknown,
            )
