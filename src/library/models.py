"""Choices of encoders and predictors with their options, not built before they are needed."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.base.word_encoder import WordEncoder
from polyprobe.errors import PolyprobeError, UnknownChoice, check_choice
from polyprobe.items import Form, Item, Sentence
from polyprobe.library.own_functions import OwnModel

WORD, SENTENCE = "word", "sentence"
_BLANKS = re.compile(r"[ \t\r\n]+")
_log = logging.getLogger(__name__)


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
    """What else a user would type: the language, that of options which depend on it."""
    _kept: dict[str | None, Encoder] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The encoders that were built, by the level that they were built for; None: as typed."""

    @property
    def layers(self) -> list[str]:
        """The names of its layers, lowest first; those of words, unless `level` is an option and says sentences."""
        return [layer.name for layer in self._built.layers]

    @property
    def fingerprint(self) -> str:
        """A digest that changes whenever a vector could change."""
        return self._built.fingerprint

    def vectors(
        self, items: Sequence[str | Item], layer: str | int | None = None, level: str | None = None
    ) -> np.ndarray:
        """Returns the vectors of items: `[items, width]` of a layer, `[layers, items, width]` of all (of one width).

        Args:
            items: texts, or items (`polyprobe.items`).
            layer: its name; None for all.
            level: "word" or "sentence": what each text is. None: as the encoder's option `level` says; else a text with
                a blank is a sentence, another one a word where the encoder takes such.

        Raises:
            PolyprobeError: an item cannot be encoded, none is a sentence though a pooling of sentences is among the
                options, or there is no such layer.
        """
        from polyprobe.library.calls import at_work

        if isinstance(items, str) or not len(items):
            found = f'the text "{items}"' if len(items) else "no items"
            raise PolyprobeError(f"vectors got {found}. Expected a list of at least one.")
        with at_work(is_quiet=True):
            built, read = self._read(items, self._level(level))
            names = [one.name for one in built.layers]
            if layer is not None and str(layer) not in names:
                raise UnknownChoice(f"layer of {self.kind}", str(layer), names)
            matrices = [np.concatenate(parts) for parts in zip(*built.encode(read), strict=True)]
        return np.stack(matrices) if layer is None else matrices[names.index(str(layer))]

    def _read(self, given: Sequence[str | Item], level: str | None) -> tuple[Encoder, list[Item]]:
        """Returns the encoder as it is for the level of the items, and the items."""
        texts = {one: level or (SENTENCE if _BLANKS.search(one) else WORD) for one in given if isinstance(one, str)}
        has_sentences = SENTENCE in texts.values() or any(isinstance(one, Sentence) for one in given)
        if not has_sentences and self.options.get("sentence_pooling") is not None:
            found = "encoder.sentence_pooling: no item uses it: each is read as a word"
            raise PolyprobeError(f'{found}. Expected no sentence_pooling, or sentences: vectors(…, level="{SENTENCE}")')
        configured = self._config["encoder"].get("level")
        is_other = configured is not None and (configured == SENTENCE) != has_sentences
        built = self._made((SENTENCE if has_sentences else "type") if is_other else None)
        if level is None and Form not in built.accepts:
            texts = dict.fromkeys(texts, SENTENCE)
        if len({*texts.values()}) > 1 and not isinstance(built, WordEncoder):
            _log.warning("Texts with a blank are read as sentences, others as words. To read all alike: level=")
        return built, [_item(one, texts[one]) if isinstance(one, str) else one for one in given]

    def _level(self, given: str | None) -> str | None:
        """Returns what all texts are, by an argument or by the option of the encoder; None where neither says it."""
        if given is not None:
            check_choice("level", given, (WORD, SENTENCE))
            return given
        of_option = self.options.get("level")
        return of_option and (SENTENCE if of_option == SENTENCE else WORD)

    @cached_property
    def _config(self) -> dict[str, Any]:
        from polyprobe.library.calls import at_work, configuration, typed_as

        with at_work(is_quiet=True):
            return configuration("probe", [*typed_as(typed_choice("encoder", self, None)), *self.overrides])[0]

    @property
    def _built(self) -> Encoder:
        return self._made(None)

    def _made(self, level: str | None) -> Encoder:
        """Returns the encoder for a level, None: as typed; it is built once."""
        from polyprobe.library.calls import at_work
        from polyprobe.probing.door import probe_settings

        if level not in self._kept:
            changes = {} if level is None else {"level": level}
            with at_work(is_quiet=True):
                made = make_encoder({**probe_settings(self._config).encoder.options, **changes})
            if isinstance(made, CountEncoder):
                raise PolyprobeError(f"encoder={self.kind} counts: an item has no vector of its own.")
            self._kept[level] = made
        return self._kept[level]


def _item(text: str, level: str) -> Form | Sentence:
    if level == WORD:
        return Form(text)
    words = tuple(filter(None, _BLANKS.split(text)))
    return Sentence(words, None if text == " ".join(words) else text)


def encoder(kind: str, *, overrides: Sequence[str] = (), **options: Any) -> EncoderChoice:
    """Chooses an encoder with options: `encoder("transformer", model="…", sentence_pooling="cls")`.

    Args:
        kind: a choice of `encoder=`.
        overrides: what else a user would type, for `vectors` alone: `["lang=fi"]`.
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


def typed_choice(group: str, given: Any, own: OwnModel | None) -> dict[str, Any]:
    """Returns the keys of a choice and its options; none for a function, whose choice follows from what it computes.

    Args:
        group: "encoder" or "predictor".
        given: a name, a choice with options, or None.
        own: what a user gives in place of these.
    """
    if own is not None:
        return {}
    if isinstance(given, EncoderChoice | PredictorChoice):
        return {group: given.kind, **{f"{group}.{key}": value for key, value in given.options.items()}}
    if not isinstance(given, str | None) or given == "":
        expected = f"a choice of {group}=, pp.{group}(…) or a function"
        raise PolyprobeError(f"{group} must be {expected}, got {given!r}.")
    return {group: given}
