"""Run directories: the only code that knows file names inside a run."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from polyprobe.display.shown import say
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.files.atomic import DEAD_AFTER_SECONDS, NoRoom, remove_left_overs, write_text
from polyprobe.formats.files.digest import write_sealed
from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.record.configuration_file import read_configuration
from polyprobe.runs.record.held_folder import HeldFolder
from polyprobe.runs.record.provenance import (
    changed,
    digests,
    new_start,
    note_on,
    now,
    of_files,
    with_note,
)
from polyprobe.runs.record.run_record import (
    CONFIG,
    FINISHED,
    MAKE_ANEW,
    METRICS,
    MISSING_WORDS,
    NAME,
    RESULTS,
    RUNNING,
    SHOWN_LATER,
    DamagedRun,
    check_file,
    check_finished,
    read_run_record,
)
from polyprobe.runs.results import ResultRow, read_rows, with_sources, write_rows

CHECKPOINT = ".ckpt"


class Place:
    """A file of a run, by its name; of a run its path, whether it is there or not."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, run: "RunDirectory", kind: type) -> Path:
        return run.path / self.name


class Folder(Place):
    """A folder of a run; `check_folders` looks at each."""


class RunDirectory:
    """The outcome of one command: configuration, provenance, checkpoints, rows, pictures.

    Attributes:
        path: the folder; its last part is `name`.
        name: what the command does in words, its seed, and the identity of its configuration.
    """

    epochs = Folder("epochs")
    """The folder of checkpoints, one for each epoch: `00.ckpt` before training, `07.ckpt` after 7 epochs."""
    resume = Folder("resume")
    """The folder that only resuming needs: states of optimisers after the newest two epochs."""
    best = Place("best")
    """The link to the checkpoint of the best epoch."""
    last = Place("last")
    """The link to the checkpoint of the last epoch."""
    pictures = Folder("pictures")
    predictions = Folder("predictions")
    """Of a probing run a file for each test, with every item (`polyprobe.runs.array_records`)."""
    predicted_scores = Folder("predicted_scores")
    """The folder of scores that were predicted for pairs: a file for each task (`polyprobe.runs.array_records`)."""
    set_scores = Folder("set_scores")
    """The folder of scores of minimal sets: a file for each construction (`polyprobe.runs.array_records`)."""
    neurons = Folder("neurons")
    """The folder of weights of probes over all neurons: a file for each test (`polyprobe.runs.array_records`)."""
    probes = Folder("probes")
    """The folder of kept probes: a file for each test, layer and seed (`polyprobe.probing.kept_probe`)."""
    labelled = Folder("labelled")
    """The folder of texts that kept probes have labelled, by their whole paths (`polyprobe.probing.apply`)."""
    errors = Folder("errors")
    """The folder of lists of errors and of confusion, two files for each test."""
    vectors = Folder("vectors")
    """The folder of word vectors that the run trained."""
    sets = Folder("sets")
    """The folder of minimal sets that the run generated, a file for each construction."""
    missing_words = Place(MISSING_WORDS)
    """The words of generated sets that a vocabulary lacks."""
    labels = Place("labels.csv")
    """The F1 of every label, test and layer."""
    results = Place(RESULTS)
    metrics = Place(METRICS)
    """The metrics after each epoch of training, as CSV."""
    config = Place(CONFIG)
    provenance = Place(NAME)
    """run.json: the record of the run, see `record`."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self.name = self.path.name
        self.lock = HeldFolder(self.path)

    def checkpoint(self, epoch: int) -> Path:
        """Returns the file of an epoch."""
        return self.epochs / f"{epoch:02d}{CHECKPOINT}"

    def checkpoints(self) -> dict[int, Path]:
        """Returns the checkpoint file of each epoch that is there, in the order of their names."""
        files = sorted(self.epochs.glob(f"*{CHECKPOINT}"))
        return {int(file.stem): file for file in files if file.stem.isdecimal()}

    def probe(self, test: str, layer: str, epoch: int | None, seed: int) -> Path:
        """Returns the file of a kept probe."""
        of_layer = layer if epoch is None else f"{layer}-{epoch}"
        return self.probes / f"{file_name(f'{test}-{of_layer}-s{seed}')}.safetensors"

    def open(self, config_text: str, patience: float = 0) -> None:
        """Makes the folder if it is new, takes its lock, and writes the configuration; a finished run keeps its own.

        Args:
            patience: seconds to wait for another process that holds the lock.

        Raises:
            RunIsBusy: another process still holds the lock.
            DamagedRun: run.json differs from what was written, or see `check_folders`.
            PolyprobeError: the folder cannot be written.
        """
        self.record()
        self.check_folders()
        try:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self.lock.take(patience)
            if not (self.is_finished and self._is_as_written(self.config)):
                write_text(self.config, config_text)
        except NoRoom:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise PolyprobeError(
                f"{self.path} cannot be written ({error.strerror}). Set paths.work to another folder."
            ) from error
        self._clear_left_overs()

    @contextmanager
    def opened(self, config_text: str, patience: float = 0) -> Iterator[None]:
        """Opens the directory for a block of work, and closes it.

        Args:
            config_text, patience: see `open`.
        """
        self.open(config_text, patience)
        try:
            yield
        finally:
            self.close()

    def check_folders(self) -> None:
        """Checks that the folders of the run lie in it; the run itself may be reached through a link."""
        for path in chain.from_iterable(_linked_folders(self.path / name) for name in FOLDERS):
            advice = "Expected a folder of the run itself. Remove the link, or put the folder in its place."
            raise DamagedRun(path, f"it is a symbolic link to {os.readlink(path)}", advice)

    def close(self) -> None:
        """Releases the lock."""
        self.lock.release()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock of an existing run.

        Raises:
            RunIsBusy: another process holds it.
            DamagedRun: see `check_folders`.
        """
        self.check_folders()
        self.lock.take()
        try:
            yield
        finally:
            self.close()

    def record(self) -> dict[str, Any]:
        """Returns the content of run.json; an empty dictionary for a new run.

        Raises:
            DamagedRun: see `read_run_record`.
        """
        return read_run_record(self.path)

    @property
    def is_finished(self) -> bool:
        """Whether all rows are written; a run without its results.jsonl is not finished: its command makes it again."""
        return self.record().get("status") == FINISHED and self.results.is_file()

    def begin(self, data: Mapping[str, str], **circumstances: Any) -> bool:
        """Notes a start in run.json: time, versions, machine, data digests. Says whether an earlier one is resumed.

        Prints in a line in what the versions or the circumstances differ from those of the start before.

        Args:
            data: the digest of every data file.
            circumstances: known to the command alone: `threads`, `devices`, `accelerator`.

        Raises:
            PolyprobeError: the data are not those of the earlier start.
        """
        return self._begun(data, circumstances, self.record().get("starts", []))

    def begin_anew(self, data: Mapping[str, str], **circumstances: Any) -> bool:
        """As `begin`, of a run without any work of earlier starts: they are forgotten."""
        return self._begun(data, circumstances, [])

    def data_now(self, root: Path) -> dict[str, str]:
        """Digests the data files of the run's first start as they are now."""
        return digests([root / name for name in of_files(self.record().get("data", {}))], root)

    def check_data(self, data: Mapping[str, str]) -> None:
        """Compares the digests of the data with those of the run's first start.

        Raises:
            PolyprobeError: they differ, with the names of the files.
        """
        if names := changed(self.record().get("data", {}), data):
            raise PolyprobeError(
                f"{', '.join(names)} changed since {self.path} was started. Put them back, or remove the folder."
            )

    def finish(self, rows: Iterable[ResultRow], notes: Mapping[str, Any]) -> None:
        """Writes the rows, then marks the run as finished: a finished run has all its rows.

        run.json keeps the digests of all files from which numbers are shown. If the run was resumed under other
        versions or circumstances, every row says so in its note.

        Raises:
            PolyprobeError: the folder was removed meanwhile.
        """
        rows = list(rows)  # some are computed when they are requested
        if not (record := self.record()):
            raise PolyprobeError(f"{self.path} was removed during the run: it cannot be finished. Repeat the command.")
        if "sources" in notes:  # those of a training are of its corpus, not of the tests that it scores at each epoch
            read, data, is_training = notes["sources"], record.get("data", {}), "corpus" in notes
            rows = [row if is_training and not row.corpus else with_sources(row, read, data) for row in rows]
        note = note_on(record.get("starts", []))
        write_rows(self.results, self.name, (with_note(row, note) for row in rows))
        files = digests(sorted(path for one in SHOWN_LATER for path in self.path.glob(one)), self.path)
        write_sealed(self.provenance, {**record, "status": FINISHED, "end": now(), **notes, "files": files})

    def say_finished(self, data: Mapping[str, str]) -> None:
        """Reports that the run is finished, after a check of all files behind its numbers.

        Args:
            data: the digests of the data as they are now.
        """
        record = self.record()
        for name in record.get("files", {}):
            check_file(self.path / name, self.path, record)
        self.check_data(data)
        say(f"{self.path} is finished; its results:")

    def checked(self, path: Path) -> Path:
        """Compares a file of the run with its digest in run.json, and returns its path.

        Raises:
            DamagedRun: see `check_file`.
        """
        check_file(path, self.path, self.record())
        return path

    def arrays(self, folder: Path) -> list[Path]:
        """Returns the files of arrays in a folder such as `set_scores`, sorted by name, each as it was written.

        Raises:
            DamagedRun: see `check_file` and `check_folders`; or one that run.json names is absent.
        """
        self.check_folders()
        record = self.record()
        named = {self.path / name for name in record.get("files", {}) if (self.path / name).parent == folder}
        paths = sorted({*folder.glob("*.npz"), *named})
        for path in paths:
            check_file(path, self.path, record)
        return paths

    def rows(self) -> list[dict[str, Any]]:
        """Reads the rows of a finished run, after a check of its results.jsonl and config.yaml.

        Raises:
            FileNotFoundError: there are none: the run is not finished.
            DamagedRun: a file is damaged, or run.json does not vouch for the rows; or see `check_folders`.
        """
        self.check_folders()
        if self.results.exists():
            record = self.record()
            check_finished(self.path, record)
            for path in (self.config, self.results):
                check_file(path, self.path, record)
        try:
            return read_rows(self.results)
        except MalformedLine as error:
            raise DamagedRun(self.results, f"line {error.line}: {error.found}", MAKE_ANEW) from error

    def configuration_if_any(self) -> dict[str, Any]:
        """As `configuration`; an empty dictionary where there is none."""
        return self.configuration() if self.config.is_file() else {}

    def configuration(self) -> dict[str, Any]:
        """Reads config.yaml: plain values.

        Raises:
            FileNotFoundError: there is none.
            PolyprobeError: it is not a YAML mapping in UTF-8, or differs from its digest in run.json.
        """
        if self.config.is_file():
            self.checked(self.config)
        return read_configuration(self.config)

    def _begun(
        self, data: Mapping[str, str], circumstances: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
    ) -> bool:
        if is_resumed := bool(self.record()):
            self.check_data(data)
        starts = [*earlier, new_start(circumstances)]
        if line := note_on(starts[-2:]):
            say(line)
        versions = {key: value for key, value in starts[-1].items() if key != "time"}
        record = {**versions, "name": self.name, "status": RUNNING, "starts": starts, "data": dict(data)}
        write_sealed(self.provenance, record)
        return is_resumed

    def _is_as_written(self, path: Path) -> bool:
        try:
            self.checked(path)
        except DamagedRun:
            return False
        return path.is_file()

    def _clear_left_overs(self) -> None:
        """Removes what killed processes left; others may be reporting a finished run, for which they hold no lock."""
        if self.lock.is_held_alone:
            remove_left_overs(self.path, "**/.*.tmp", DEAD_AFTER_SECONDS if self.is_finished else 0)


def _linked_folders(folder: Path) -> Iterator[Path]:
    """Yields a folder if it is a symbolic link, to anything, or the folders below it that are."""
    if folder.is_symlink():
        yield folder
        return
    for above, names, _ in os.walk(folder):
        yield from (path for path in (Path(above, name) for name in names) if path.is_symlink())


FOLDERS = tuple(place.name for place in vars(RunDirectory).values() if isinstance(place, Folder))
