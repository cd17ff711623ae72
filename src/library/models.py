"""Choices of encoders and predictors with their options, not built before they are needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.items import Form, Item, Sentence
from polyprobe.library.own_functions import OwnModel


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

    @property
    def layers(self) -> list[str]:
        """The names of its layers, lowest first."""
        return [layer.name for layer in self._built.layers]

    @property
    def fingerprint(self) -> str:
        """A digest that changes whenever a vector could change."""
        return self._built.fingerprint

    def vectors(self, items: Sequence[str | Item], layer: str | int | None = None) -> np.ndarray:
        """Returns the vectors of items: `[items, width]` of a layer, `[layers, items, width]` of all (of one width).

        Args:
            items: texts, which are forms where the encoder takes such, else sentences of words between blanks; or items
                (`polyprobe.items`).
            layer: its name; None for all.

        Raises:
            PolyprobeError: an item cannot be encoded, or there is no such layer.
        """
        from polyprobe.library.calls import at_work

        if layer is not None and str(layer) not in self.layers:
            raise UnknownChoice(f"layer of {self.kind}", str(layer), self.layers)
        if not len(items):
            raise PolyprobeError("vectors got no items. Expected at least one.")
        has_forms = Form in self._built.accepts
        texts = {one: Form(one) if has_forms else Sentence(tuple(one.split())) for one in items if isinstance(one, str)}
        read = [texts.get(one, one) for one in items]
        with at_work(is_quiet=True):
            matrices = [np.concatenate(parts) for parts in zip(*self._built.encode(read), strict=True)]
        return np.stack(matrices) if layer is None else matrices[self.layers.index(str(layer))]

    @cached_property
    def _built(self) -> Encoder:
        from polyprobe.library.calls import at_work, configuration, typed_as
        from polyprobe.probing.door import probe_settings

        with at_work(is_quiet=True):
            config, _ = configuration("probe", [*typed_as(typed_choice("encoder", self, None)), *self.overrides])
            made = make_encoder(probe_settings(config).encoder.options)
        if isinstance(made, CountEncoder):
            raise PolyprobeError(f"encoder={self.kind} counts: an item has no vector of its own.")
        return made


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
