"""The runs that a user compares, by name: the tests that each has, and the vectors of items in its layers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import split_reference
from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.analysis.similarity.similarity_grid import LayerPlace
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.cache.store import EncodedItems, VectorCache, encoded
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.items import Item
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.chosen import chosen_suite
from polyprobe.probing.suites.tests import Suite, files_of_test
from polyprobe.resources.data_root import data_root
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.foreign_names import trusted_language, trusted_settings
from polyprobe.runs.record.configuration_file import KeptConfiguration
from polyprobe.runs.record.provenance import starts_of

CHECKPOINT = "checkpoint"


@dataclass(frozen=True, eq=False)
class TestSource:
    """The tests of a run, of which nothing is read."""

    __test__ = False  # pytest would collect the class by its name

    lang: Mapping[str, Any]
    """The content of `conf/lang/<code>.yaml`."""
    suite: Suite
    root: Path
    """The folder that the paths of the suite start from."""
    names: Sequence[str]
    mirror: str | None
    """Where missing files are fetched from instead of their own addresses; None for those."""

    def version(self, test: str) -> str:
        """Returns a digest of the files of a test; missing ones are fetched."""
        return files_of_test(self.suite, self.lang, test, self.root, self.mirror).version


@dataclass(frozen=True, eq=False)
class ComparedEncoder:
    """An encoder whose layers are compared."""

    run: str
    encoder: str
    """The choice ("transformer", "checkpoint")."""
    model: str | None
    """Which one it is, its name and options in words; None where the choice says all."""
    fingerprint: str
    """Changes whenever a vector could change."""
    lang: str
    """Code of the language of the run."""
    layers: Sequence[Layer]
    chosen: Sequence[int]
    """The numbers of those that are compared, rising."""
    encoded: Callable[[Sequence[Item]], EncodedItems]
    """Returns the vectors of items in all layers."""
    check_encodable: Callable[[Sequence[Item]], None]
    """Refuses items that are neither in the cache nor can be encoded on this machine."""


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run that a user names, once or several times with layers and epochs."""

    directory: RunDirectory
    selections: Sequence[str]
    """The layers and epochs that are named ("8", "encoding", "encoding/8"); empty: all."""
    settings: SimilaritySettings

    @cached_property
    def kept(self) -> KeptConfiguration:
        """As the run was made with."""
        return KeptConfiguration(self.directory.configuration_if_any())

    @property
    def is_trained(self) -> bool:
        """Whether it is a run of train.py: the layers that its model exposes are compared."""
        return "task" in self.kept.values

    @cached_property
    def earlier(self) -> EarlierRun:
        """The run of probe.py."""
        return earlier_run(self.directory, self.settings.workspace)

    @property
    def version(self) -> str:
        """What tells its vectors from those of another run of its name.

        It is the fingerprint of the encoder that was probed; of a trained model the times of its training, for a
        fingerprint would take all of its weights.
        """
        if self.is_trained:
            return " ".join(start["time"] for start in starts_of(self.directory.record()))
        return self.earlier.encoder.fingerprint

    def tests(self) -> TestSource:
        """Returns the tests of a run of probe.py; of one of train.py those of its suite or of one that is named."""
        if self.is_trained:
            return self._tests_of_training()
        found = self.earlier.settings
        return TestSource(found.lang, found.suite, found.root, found.tests, found.workspace.mirror)

    def opened(self, level: str) -> ComparedEncoder:
        """Opens the encoder of the run.

        Args:
            level: of the items that are compared, "type", "token" or "sentence": says which layers of a trained model
                are taken where none is named.
        """
        return self._trained_model(level) if self.is_trained else self._probed_encoder()

    def _tests_of_training(self) -> TestSource:
        workspace = self.settings.workspace
        try:
            choice, content = self.kept.chosen("suite"), self.kept.suite
            if self.settings.suite is not None:
                choice, content = self.settings.suite, choice_settings("suite", self.settings.suite)
            lang = trusted_language(self.kept.lang)
            suite = chosen_suite(trusted_settings("suite", choice, content))
        except (KeyError, TypeError, AttributeError) as error:  # made by another version, or by hand
            raise PolyprobeError(
                f"{self.directory.config} is not a configuration of this version of train.py ({error})."
            ) from error
        root = data_root(lang, workspace)
        try:
            names = [one.name for one in available_tests(suite, lang, root)]
        except PolyprobeError as error:
            raise PolyprobeError(f"{error} Or your own sentences: of_similarity.items=<file>, one per line.") from error
        return TestSource(lang, suite, root, names, workspace.mirror)

    def _probed_encoder(self) -> ComparedEncoder:
        earlier = self.earlier
        row = next((row for row in self.directory.rows() if row["stage"] == "probing"), {})
        words = [row.get("model"), row.get("options")]
        return ComparedEncoder(
            run=self.directory.name,
            encoder=earlier.settings.encoder_name,
            model=", ".join(filter(None, words)) or None,
            fingerprint=earlier.encoder.fingerprint,
            lang=earlier.settings.lang["code"],
            layers=earlier.encoder.layers,
            chosen=self._chosen(earlier.encoder.layers),
            encoded=earlier.encoded,
            check_encodable=earlier.check_encodable,
        )

    def _trained_model(self, level: str) -> ComparedEncoder:
        from polyprobe.encoders.checkpoint import CheckpointEncoder  # torch

        folder = self.settings.workspace.encodings
        named = [_parts(selection) for selection in self.selections]
        names, epochs = [name for name, _ in named], [epoch for _, epoch in named]
        try:
            encoder = CheckpointEncoder(
                self.directory.path,
                self.settings.epochs if not epochs or None in epochs else sorted(set(epochs)),
                None if not names or None in names else list(dict.fromkeys(names)),
                level,
                {},
                folder,
            )
        except PolyprobeError as error:
            raise PolyprobeError(f"{self.directory.name} as an encoder: {error}") from error
        return ComparedEncoder(
            run=self.directory.name,
            encoder=CHECKPOINT,
            model=encoder.model_name,
            fingerprint=encoder.fingerprint,
            lang=self.kept.lang["code"],
            layers=encoder.layers,
            chosen=self._chosen(encoder.layers),
            encoded=lambda items: encoded(encoder, items, VectorCache(folder=folder)),
            check_encodable=lambda items: None,  # it is open
        )

    def _chosen(self, layers: Sequence[Layer]) -> list[int]:
        """Returns the numbers of the layers that are named, of the epochs that count."""
        epochs = self.settings.epochs
        places = range(len(layers))
        if self.selections:
            places = sorted({place for one in self.selections for place in self._selected(one, layers)})
        chosen = [place for place in places if epochs is None or layers[place].epoch in (None, *epochs)]
        if not chosen:
            known = [str(layer.epoch) for layer in layers]
            raise UnknownChoice(f"epoch of {self.directory.name}", ", ".join(map(str, epochs or ())), set(known))
        return chosen

    def _selected(self, selection: str, layers: Sequence[Layer]) -> list[int]:
        """Returns the numbers of the layers that "encoding/8", "encoding" or "8" names: an epoch where no layer is."""
        names = [layer.name if layer.epoch is None else f"{layer.name}/{layer.epoch}" for layer in layers]
        described = [names, [layer.name for layer in layers], [str(layer.epoch) for layer in layers]]
        for one in described:
            if selection in one:
                return [place for place, found in enumerate(one) if found == selection]
        raise UnknownChoice(f"layer of {self.directory.name}", selection, dict.fromkeys(names))


def compared_runs(settings: SimilaritySettings) -> list[ComparedRun]:
    """Finds the runs that a user names, each once, in the order in which they are named first."""
    selections: dict[Path, list[str | None]] = {}
    for reference in settings.references:
        name, selection = split_reference(reference)
        folder = find_run(settings.workspace.work, name)
        selections.setdefault(folder.resolve(), []).append(selection)
    for folder, named in selections.items():
        if len(set(named)) < len(named) or (None in named and len(named) > 1):
            raise PolyprobeError(
                f"similarity: {folder.name} is named twice. Expected each run once, or its layers and epochs one by "
                f"one: [{folder.name}:0,{folder.name}:8]."
            )
    return [
        ComparedRun(RunDirectory(folder), [one for one in named if one is not None], settings)
        for folder, named in selections.items()
    ]


def _parts(selection: str) -> tuple[str | None, int | None]:
    """Splits what is named of a trained model into layer and epoch.

    >>> [_parts(selection) for selection in ("8", "encoding", "encoding/8")]
    [(None, 8), ('encoding', None), ('encoding', 8)]
    """
    layer, slash, epoch = selection.rpartition("/")
    if epoch.isdecimal():
        return (layer if slash else None), int(epoch)
    return selection, None


@dataclass(frozen=True, eq=False)
class EncodedLayer:
    """One layer's vectors of the items that are compared (a `Representation`)."""

    name: str
    place: LayerPlace
    """Encoder, layer and epoch, for the rows."""
    fingerprint: str
    encoded: EncodedItems
    number: int
    rows: np.ndarray
    """Of the items in the blocks, one after the other: int64 `[items]`."""

    @property
    def identity(self) -> str:
        """Which layer of which vectors this is."""
        return f"{self.place.encoder} {self.place.model or ''} {self.place.name} {self.fingerprint}"

    @property
    def n_items(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Of the vectors."""
        return self.encoded.layers[self.number].width

    def block(self, start: int, stop: int) -> np.ndarray:
        """Returns the vectors of items `start` to `stop`: float32 `[items, width]`."""
        rows = self.rows[start:stop]
        blocks = np.searchsorted(self._ends, rows, side="right")
        found = np.empty((len(rows), self.width), np.float32)
        for number in np.unique(blocks):
            matrix = self.encoded.blocks[number].vectors[self.number]
            is_here = blocks == number
            found[is_here] = matrix[rows[is_here] - (self._ends[number] - len(matrix))]
        return found

    @cached_property
    def _ends(self) -> np.ndarray:
        """The row behind the last one of each block: int64 `[blocks]`."""
        return np.cumsum([len(block.vectors[self.number]) for block in self.encoded.blocks])


def encoded_layers(encoders: Sequence[ComparedEncoder], items: Sequence[Item]) -> list[EncodedLayer]:
    """Encodes the items by every encoder, as far as the cache lacks them; returns the layers that are compared."""
    found = []
    for encoder in encoders:
        encoded = encoder.encoded(items)
        rows = encoded.taken[encoded.rows(items)]
        for number in encoder.chosen:
            layer = encoder.layers[number]
            place = LayerPlace(encoder.encoder, encoder.model, layer.name, layer.epoch)
            found.append(
                EncodedLayer(f"{encoder.run}, layer {place.name}", place, encoder.fingerprint, encoded, number, rows)
            )
    return found
