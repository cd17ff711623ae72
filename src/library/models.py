"""Choices of encoders and predictors with their options, not built before they are needed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.errors import PolyprobeError, check_choice, layer_name
from polyprobe.items import Form, Item, Sentence

WORD, SENTENCE = "word", "sentence"
_BLANKS = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True)
class PredictorChoice:
    """A choice of `predictor=` with its options."""

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EncoderChoice:
    """A choice of `encoder=` with its options; it can encode, too."""

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    overrides: Sequence[str] = ()
    """What else would be typed: the language, for options which depend on it."""
    _built: dict[str | None, Encoder] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By the level for which an encoder was built."""

    @property
    def layers(self) -> list[str]:
        """The names of its layers, lowest first; those of words, unless `level` is an option and says sentences."""
        return [layer.name for layer in self._encoder().layers]

    @property
    def fingerprint(self) -> str:
        """A digest that changes whenever a vector could change."""
        return self._encoder().fingerprint

    def vectors(
        self, items: Sequence[str | Item], layer: str | int | None = None, level: str | None = None
    ) -> np.ndarray:
        """Returns the vectors of items: `[items, width]` of a layer, `[layers, items, width]` of all (of one width).

        Args:
            items: texts, all of one level; or items (`polyprobe.items`).
            layer: 2, "layer_2" or another name; None for all.
            level: "word" or "sentence": what the texts are. None: as the encoder's option `level` says; else sentences
                where one has a blank, where the encoder takes no words, or where `sentence_pooling` is an option.

        Raises:
            PolyprobeError: an item cannot be encoded, or there is no such layer.
        """
        from polyprobe.library.calls import at_work

        if isinstance(items, str) or not len(items):
            found = f'the text "{items}"' if len(items) else "no items"
            raise PolyprobeError(f"vectors got {found}. Expected a list of at least one.")
        if level is not None:
            check_choice("level", level, (WORD, SENTENCE))
        with at_work(is_quiet=True):
            has_sentences = self._are_sentences(items, level)
            encoder = self._encoder(has_sentences)
            has_sentences |= level is None and Form not in encoder.accepts
            read = [_item(one, has_sentences) if isinstance(one, str) else one for one in items]
            names = [one.name for one in encoder.layers]
            place = None if layer is None else names.index(layer_name(f"layer of {self.kind}", layer, names))
            matrices = [np.concatenate(parts) for parts in zip(*encoder.encode(read), strict=True)]
        return np.stack(matrices) if place is None else matrices[place]

    def _are_sentences(self, items: Sequence[str | Item], level: str | None) -> bool:
        texts = [one for one in items if isinstance(one, str)]
        if not texts:
            return any(isinstance(one, Sentence) for one in items)
        if level is None and (level := self.options.get("level")) is None:
            return "sentence_pooling" in self.options or any(map(_BLANKS.search, texts))
        return level == SENTENCE

    @cached_property
    def _config(self) -> dict[str, Any]:
        from polyprobe.library.calls import at_work, configuration

        with at_work(is_quiet=True):
            return configuration("probe", keys_of("encoder", self), self.overrides)

    def _encoder(self, has_sentences: bool | None = None) -> Encoder:
        """Returns the encoder, built once; where it has an option `level`, for sentences or words."""
        from polyprobe.library.calls import at_work
        from polyprobe.probing.door import probe_settings

        configured = self._config["encoder"].get("level")
        is_other = None not in (configured, has_sentences) and (configured == SENTENCE) != has_sentences
        level = (SENTENCE if has_sentences else "type") if is_other else configured
        if level not in self._built:
            with at_work(is_quiet=True):
                options = probe_settings(self._config).encoder.options
                encoder = make_encoder({**options, "level": level} if is_other else options)
            if isinstance(encoder, CountEncoder):
                raise PolyprobeError(f"encoder={self.kind} counts: an item has no vector of its own.")
            self._built[level] = encoder
        return self._built[level]


def _item(text: str, is_sentence: bool) -> Form | Sentence:
    if not is_sentence:
        return Form(text)
    words = tuple(filter(None, _BLANKS.split(text)))
    return Sentence(words, None if text == " ".join(words) else text)


def encoder(kind: str, *, overrides: Sequence[str] = (), **options: Any) -> EncoderChoice:
    """Chooses an encoder with options: `encoder("transformer", model="…", sentence_pooling="cls")`.

    Args:
        kind: a choice of `encoder=`.
        overrides: what else would be typed, for `vectors` alone: `["lang=fi"]`.
        options: of conf/encoder/<kind>.yaml.
    """
    return EncoderChoice(kind, options, overrides)


def predictor(kind: str, **options: Any) -> PredictorChoice:
    """Chooses a predictor with options: `predictor("causal", model="gpt2")`.

    Args:
        kind: a choice of `predictor=`.
        options: of conf/predictor/<kind>.yaml.
    """
    return PredictorChoice(kind, options)


def keys_of(group: str, given: object) -> dict[str, Any]:
    """Returns the keys of a choice and of its options.

    Args:
        group: "encoder" or "predictor".
        given: a name, a choice with options, or None.
    """
    if isinstance(given, EncoderChoice | PredictorChoice):
        return {group: given.kind, **{f"{group}.{key}": value for key, value in given.options.items()}}
    if not isinstance(given, str | None) or given == "":
        expected = f"a choice of {group}=, pp.{group}(…) or a function"
        raise PolyprobeError(f"{group} must be {expected}, got {given!r}.")
    return {group: given}
