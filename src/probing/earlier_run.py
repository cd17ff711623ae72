"""An earlier run of probe.py: its tests, and the vectors that it probed, from the cache or encoded again."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder, Encoder, Layer, NamedInAFile
from polyprobe.encoders.cache.store import EncodedItems, encoded, has_all
from polyprobe.errors import PolyprobeError, UnknownChoice, briefly
from polyprobe.formats.files.file_names import file_name
from polyprobe.items import Form, Item, Sentence, TokenInContext
from polyprobe.probing.design import Design, read_design, versions_of_tests
from polyprobe.probing.door import earlier_settings
from polyprobe.probing.settings import ProbeSettings, ProbingSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.workspace import Workspace


def encoder_note(encoder: Encoder) -> dict[str, Any]:
    """Returns what run.json says of an encoder, by which its vectors are found again: the name of their folder."""
    layers = [{"name": layer.name, "width": layer.width, "epoch": layer.epoch} for layer in encoder.layers]
    return {"fingerprint": file_name(encoder.fingerprint), "layers": layers}


def kept_probes(run: RunDirectory) -> dict[Path, dict[str, Any]]:
    """Returns the row of each probe that a finished run has trained, by the file that it is kept in, if it is.

    Raises:
        DamagedRun: see `RunDirectory.rows`.
    """
    rows = [row for row in run.rows() if row["stage"] == "probing" and row.get("seed") is not None]
    trained = [row for row in rows if row["value"] is not None]
    return {run.probe(row["test"], row["layer"], row.get("epoch"), row["seed"]): row for row in trained}


def kept_probe(run: RunDirectory, test: str, layer: str, seed: int | None) -> Path:
    """Returns the file of a probe of a finished run.

    Args:
        layer: as predictions name it: "layer_2", "encoding/8".
        seed: of the probe; None for the one that does best on dev.

    Raises:
        UnknownChoice: the run has no such seed.
        PolyprobeError: it kept no probes.
    """
    rows = {path: row for path, row in kept_probes(run).items() if row["test"] == test and layer_of(row) == layer}
    found = [path for path, row in rows.items() if seed in (None, row["seed"])]
    if not found:
        raise UnknownChoice(f"seed of {run.name}", str(seed), [str(row["seed"]) for row in rows.values()])
    path = max(found, key=lambda one: rows[one].get("dev") or 0.0)
    if not path.is_file():
        raise PolyprobeError(f"{run.path} has no kept probes. Repeat its command with probe.keep=true.")
    return path


def layer_of(row: Mapping[str, Any]) -> str:
    """Returns the layer of a row, as predictions name it: "encoding/8"."""
    return "/".join(str(row[key]) for key in ("layer", "epoch") if row.get(key) is not None)


@dataclass(frozen=True, eq=False)
class EarlierRun:
    """A finished run of probe.py on tests to train probes on; the tests may be gone."""

    directory: RunDirectory
    asked: ProbeSettings
    """As it was made with, with the folders of the command at hand; names of what is built are those of conf/."""
    encoder: "_EncoderOfRun"
    """Of its vectors; opened only for items that the cache lacks."""

    def check_encodable(self, items: Iterable[Item]) -> None:
        """Opens the encoder if the cache lacks vectors of some of the items.

        Raises:
            PolyprobeError: it cannot be opened on this machine.
        """
        if not has_all(self.encoder, items, self.asked.cache):
            self.encoder.open()

    def encoded(self, items: Iterable[Item]) -> EncodedItems:
        """Returns the vectors of items, as `polyprobe.encoders.cache.store.encoded` does; what others left there stays.

        Raises:
            PolyprobeError: the cache lacks some, and the encoder cannot be opened on this machine.
        """
        return encoded(self.encoder, items, self.asked.cache)

    @cached_property
    def settings(self) -> ProbingSettings:
        """What was asked, with the suite and its tests.

        Raises:
            PolyprobeError: the suite is not what it should be, or its files are gone.
        """
        with _of_this_version(self.directory):
            return ProbingSettings.of(self.asked)

    def design(self, tests: Collection[str] | None = None) -> Design:
        """Reads tests again.

        Args:
            tests: names of those that are read; None: all of the run.

        Raises:
            PolyprobeError: a file is missing, or not what it should be, or changed since the run.
        """
        settings = self.settings
        names = [name for name in settings.tests if tests is None or name in tests]
        self.directory.check_data(versions_of_tests(settings))
        with _of_this_version(self.directory):
            return read_design(replace(settings, tests=names))


def earlier_run(directory: RunDirectory, workspace: Workspace) -> EarlierRun:
    """Reads how an earlier run was made.

    Args:
        workspace: of the command at hand: where data and caches are now.

    Raises:
        PolyprobeError: it is not a finished run of probe.py on tests to train probes on, or one of counts of words, or
            its configuration is not what it should be.
    """
    config = directory.configuration_if_any()
    if "task" in config:
        probe = f"python probe.py encoder=checkpoint encoder.run={directory.path}"
        raise PolyprobeError(f"{directory.path} is a run of train.py: probe it first, {probe}.")
    if not directory.is_finished or "probe" not in config or config.get("predictor") is not None:
        raise PolyprobeError(f"{directory.path} is not a finished run of probe.py with tests to train probes on.")
    with _of_this_version(directory):
        asked = earlier_settings(config, workspace)
    return EarlierRun(directory, asked, _EncoderOfRun(directory, asked.encoder.options))


class _EncoderOfRun(Encoder):
    """The encoder of an earlier run by what its run.json says of it; opened when something is to be encoded."""

    accepts = frozenset({Form, TokenInContext, Sentence})

    def __init__(self, directory: RunDirectory, settings: Mapping[str, Any]):
        self._run, self._settings = directory, settings
        self._opened: Encoder | None = None
        note = directory.record().get("encoder")
        if note is None:  # of an earlier version
            note = encoder_note(self.open())
        self.fingerprint: str = note["fingerprint"]
        self.layers = tuple(Layer(one["name"], one["width"], one["epoch"]) for one in note["layers"])

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        encoder = self.open()
        if file_name(encoder.fingerprint) != self.fingerprint:
            raise PolyprobeError(
                f"{self._run.name} probed vectors of another fingerprint ({self.fingerprint}) than its encoder has now "
                f"({encoder.fingerprint}): a file has changed since. {len(items)} items are not in the cache."
            )
        return encoder.encode(items)

    def open(self) -> Encoder:
        """Opens the encoder, once.

        Raises:
            PolyprobeError: it cannot be opened on this machine, or it counts words.
        """
        if self._opened is None:
            try:
                opened = make_encoder(_named_in_a_file(self._settings))
            except (PolyprobeError, OSError) as error:
                raise PolyprobeError(
                    f"{self._run.name}: vectors are not in the cache, and its encoder cannot be opened: {error}"
                ) from error
            if isinstance(opened, CountEncoder):
                raise PolyprobeError(f"{self._run.name} probed counts of words, which have no layers and no neurons.")
            self._opened = opened
        return self._opened


@contextmanager
def _of_this_version(directory: RunDirectory) -> Iterator[None]:
    """Says of which run a configuration is that another version has made, or a hand."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        found = f"{directory.config} is not a configuration of this version of probe.py ({briefly(error)})."
        raise PolyprobeError(found) from error


def _named_in_a_file(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Marks the name of a model: a file must not make this machine contact another one."""
    model = settings.get("model")
    return {**settings, "model": NamedInAFile(model)} if isinstance(model, str) else dict(settings)
