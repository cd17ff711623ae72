"""The options that all transformers share; checkpoints of somebody else's training, each with its epoch.

No model is opened, and torch is not imported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, MinLen

from polyprobe.display.shown import say
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.section import Count, Expected, Section

_STEP = re.compile(r"(?:step|checkpoint|chck|ckpt|epoch|iter)[-_.=]?(\d+)([kmb]?)(?![a-z0-9])", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}
_Names = Annotated[
    list[Annotated[str, MinLen(1)]],
    MinLen(1),
    Expected("a list of names, such as [step1000,step2000] (names of digits as '\"1000\"'), or null", of_parts=True),
]
WEIGHTS = "weights"  # in what a checkpoint is, the digest of its weights


@dataclass(frozen=True, slots=True)
class NamedCheckpoint:
    """A model of a training, or the only one."""

    epoch: int | None
    """Its number among those of the training; None for a model alone."""
    model: str
    """A folder, or the name of a model on the hub."""
    revision: str | None
    """Of the hub's model; None for its newest."""


class NamedModels(Section):
    """Which model is meant, or which checkpoints of a training."""

    model: Annotated[Any, Expected("text or null")]
    """Folder written by save_pretrained, or name on the Hugging Face hub, such as bert-base-multilingual-cased."""
    revision: Annotated[Any, Expected("text or null")]
    """Branch, tag or commit of a model on the hub; null: the newest."""
    folders: _Names | None = None
    """Checkpoints of one training instead of a single model, used as epochs: such as [run/step1000,run/step2000]."""
    revisions: _Names | None = None
    """The same for revisions of a model on the hub: such as [step0,step1000,step143000]."""
    weights: Literal["pretrained", "random"]
    """pretrained, or random: same architecture, randomly initialised."""

    def checkpoints(self) -> list[NamedCheckpoint]:
        """Returns the checkpoints by rising epoch, or the one model; prints which is which epoch.

        The epoch is the number after "step", "checkpoint", "chck", "ckpt", "epoch" or "iter" in a name (`step1000`,
        `step1000-tokens4B`, `checkpoint-500`, `chck_10M`), where all names have one, a different one, behind the same
        beginning; else the place in the list, from 0.

        Raises:
            BadValue: an option contradicts the list.
            PolyprobeError: no model is named, or there is no such folder.
        """
        if self.folders is None and self.revisions is None:
            if self.model is None:
                raise PolyprobeError(
                    f"{self.key}.model must be given: a folder, or a name on the model hub. For the checkpoints of a "
                    f"training: '{self.key}.folders=[run/step1000,run/step2000]'"
                )
            return [NamedCheckpoint(None, self.model, self.revision)]
        self._check_alone()
        key = f"{self.key}.{'revisions' if self.folders is None else 'folders'}"
        names = self.revisions if self.folders is None else self.folders
        if self.folders is None:
            found = [NamedCheckpoint(None, self.model, name) for name in names]
            shown = names
        else:
            _check_are_folders(key, names)
            found = [NamedCheckpoint(None, name, None) for name in names]
            shown = [Path(name).name for name in names]
        numbered = sorted(zip(epochs_of(shown), shown, found, strict=True), key=lambda one: one[0])
        say(f"{key}, as epochs: {', '.join(f'{epoch} {name}' for epoch, name, _ in numbered)}")
        return [NamedCheckpoint(epoch, one.model, one.revision) for epoch, _, one in numbered]

    def _check_alone(self) -> None:
        """Refuses options that say otherwise than a list of checkpoints."""
        without_effect = ("revision",) if self.folders is None else ("revisions", "model", "revision")
        for name in without_effect:
            if (value := getattr(self, name)) is not None:
                raise BadValue(f"{self.key}.{name}", value, "null with a list of checkpoints, which names them all")
        if self.weights != "pretrained":
            expected = "pretrained with a list of checkpoints (random weights would all be the same)"
            raise BadValue(f"{self.key}.weights", self.weights, expected)
        if self.folders is None and self.model is None:
            raise BadValue(f"{self.key}.model", None, f"the name of a model on the hub with {self.key}.revisions")


class ModelOptions(NamedModels):
    """The options of every transformer, as an encoder or as a predictor."""

    seed: Annotated[int, Ge(0)]
    """Random seed of initialisation; no effect with pretrained weights."""
    number_type: Literal["float32", "bfloat16", "float16"]
    """Number type of weights and states; bfloat16, float16: faster, less exact: vectors differ by about 1 % of the
    largest value, log-probabilities tie more often.

    Pooling and log-softmax are always in float32.
    """
    quantised: Literal["int8", "nf4"] | None = None
    """int8 or nf4: weights in 8 or 4 bits, by bitsandbytes; null: as number_type says."""
    device: Annotated[Any, Expected("text or null")]
    """cpu, cuda or a single GPU, such as cuda:1; null: a GPU if there is one."""
    device_map: Literal["auto"] | None = None
    """auto: layers spread over all GPUs, for models larger than one; null: one device."""
    token_budget: Count | None
    """Batch size in tokens, including padding; null: 512 on a CPU, 16384 on a GPU."""


def epochs_of(names: Sequence[str]) -> list[int]:
    """Returns the epoch of each checkpoint, see `NamedModels.checkpoints`."""
    found = [_STEP.search(name) for name in names]
    if any(match is None for match in found):
        return list(range(len(names)))
    numbers = [int(match[1]) * _UNITS[match[2].lower()] for match in found]
    beginnings = {name[: match.start(1)] for name, match in zip(names, found, strict=True)}
    is_told = len(beginnings) == 1 and len(set(numbers)) == len(numbers)
    return numbers if is_told else list(range(len(names)))


def check_alike(key: str, architectures: Mapping[str, Mapping[str, object]]) -> None:
    """Refuses checkpoints that cannot be of one training, or that are one and the same.

    Args:
        key: under which they are named.
        architectures: what each one is, by its name: sizes, vocabulary, and digest of its weights.

    Raises:
        PolyprobeError: two differ in their architecture, or two have the same weights.
    """
    first, of_first = next(iter(architectures.items()))
    by_weights: dict[object, str] = {}
    for name, found in architectures.items():
        for what, value in found.items():
            if what != WEIGHTS and value != of_first[what]:
                raise PolyprobeError(
                    f"{key}: {first} and {name} differ in {what} ({of_first[what]}, {value}). Expected checkpoints of "
                    "one training; run one command per model, then compare the runs."
                )
        other = by_weights.setdefault(found[WEIGHTS], name)
        if other != name:
            raise PolyprobeError(f"{key}: {other} and {name} have the same weights. Name each checkpoint once.")


def _check_are_folders(key: str, names: Sequence[str]) -> None:
    for name in names:
        if not Path(name).expanduser().is_dir():
            raise PolyprobeError(
                f"{key}: there is no folder {name}. Expected folders as save_pretrained writes them, one for each "
                f"checkpoint; for those of a model on the hub: {key.replace('folders', 'revisions')}=[…]"
            )
