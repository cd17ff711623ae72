"""The stages of a design (the tests, a random encoder, a control task): vectors, probes and outcomes of each."""

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from polyprobe.display.progress import watched
from polyprobe.encoders.base.encoder import CountEncoder, Encoder, Layer
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.shared_work import sharing
from polyprobe.models.base.torch_process import circumstances, device_of, set_threads
from polyprobe.probing.bank.bank import Progress, train_bank
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.design import Design
from polyprobe.probing.item_vectors import ItemVectors
from polyprobe.probing.kept_probe import KeptProbe, digest_of_predictions, load_probe
from polyprobe.probing.settings import AskedSettings, BankSettings, ProbingSettings
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.resources.revisions import sources
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import with_lasting_names
from polyprobe.runs.record.provenance import provenance
from polyprobe.runs.study import Outcome, Work

CELLS_AT_ONCE = 20_000  # their jobs, a hundred million of which no memory holds
KEPT_AT_ONCE = (
    256  # whose parameters are in memory before they are written: of 1,024 inputs and a hidden layer of 300, 0.3 GB
)
MAIN, RANDOM_ENCODER, CONTROL = "probing", "random_encoder", "control"


class EncoderWork(Work):
    """What probing and scoring by an encoder have in common: the circumstances, and what run.json says."""

    settings: AskedSettings
    """With `root` and `on_malformed`: where files were read, and what was done with their bad lines."""
    encoder: Encoder | CountEncoder

    @property
    @abstractmethod
    def files(self) -> Mapping[str, Sequence[Path]]:
        """What each test was read from, by its name."""

    @abstractmethod
    def scored(self, run: RunDirectory) -> Outcome:
        """Does the work; returns rows and what run.json says of this kind of work alone."""

    def circumstances(self) -> Mapping[str, Any]:
        set_threads(self.settings.bank.threads)
        return circumstances(self.settings.bank.accelerator, sharing().n_processes)

    def work(self, run: RunDirectory) -> Outcome:
        settings, encoder = self.settings, self.encoder
        rows, notes = self.scored(run)
        of_all = {
            "left_out": [str(line) for line in settings.on_malformed.places],
            "threads": torch.get_num_threads(),
            "sources": sources(encoder.provenance, encoder.model_name, self.files, settings.root),
        }
        return rows, {**of_all, **notes}


@dataclass(frozen=True)
class EncodedTests:
    """Tests with one encoder's vectors of their items: what the probes of a stage are trained on."""

    stage: str
    """MAIN, RANDOM_ENCODER or CONTROL; names the probes, so that none shares its chance with another's."""
    tests: Sequence[ProbingTest]
    """As they are, or with the labels of their control tasks."""
    vectors: ItemVectors
    """Of their items; stages may share them."""


@dataclass(frozen=True)
class StageOutcomes:
    """What became of the probes of a stage."""

    layers: Sequence[Layer]
    gold: Mapping[str, np.ndarray]
    """Label ids of the test items, by the test's name: int64 `[items]`."""
    outcomes: Mapping[tuple[str, int], Sequence[ProbeOutcome]]
    """Of every seed, by the test's name and the layer's number."""


@dataclass(frozen=True)
class Cell:
    """One test, layer and seed of a stage, with its probes: one, those of a grid, or those of a code's portions."""

    stage: str
    """MAIN, RANDOM_ENCODER or CONTROL."""
    place: tuple[str, int]
    """The test's name and the layer's number, as in `StageOutcomes.outcomes`."""
    name: str
    """All that its outcome depends on, beside the probe's own settings."""
    jobs: Sequence[ProbeJob]
    """What is trained for its outcome, in the order in which the probe takes their outcomes."""

    def kept(self) -> "Cell":
        """Returns the cell with a probe that is kept, where it is the only one; of a grid dev chooses which later."""
        return replace(self, jobs=[replace(self.jobs[0], is_kept=True)]) if len(self.jobs) == 1 else self


Keep = Callable[[Sequence[tuple[Cell, ProbeOutcome]]], None]
Train = Callable[[Sequence[ProbeJob]], list[ProbeOutcome]]


def probe_outcomes(
    design: Design,
    stages: Sequence[EncodedTests],
    train: Train,
    kept: KeptOutcomes,
    keep: Keep | None = None,
) -> dict[str, StageOutcomes]:
    """Trains the probes of all stages together, but those whose outcome an earlier run has kept.

    Args:
        train: trains jobs; returns outcome i for job i.
        keep: keeps the probes of cells of the tests themselves; None: none are.

    Returns:
        The outcomes by stage.
    """
    cells = (cell for one in stages for cell in _cells(design, one))
    found: dict[str, dict[tuple[str, int], list[ProbeOutcome]]] = {one.stage: {} for one in stages}
    while block := list(islice(cells, CELLS_AT_ONCE if keep is None else KEPT_AT_ONCE)):
        if keep is not None:
            block = [cell.kept() if cell.stage == MAIN else cell for cell in block]
        outcomes = _outcomes_of(block, design, train, kept, keep)
        for cell in block:
            found[cell.stage].setdefault(cell.place, []).append(
                replace(outcomes[cell.name], parameters=(), scaling=None)
            )
    return {one.stage: StageOutcomes(one.vectors.layers, gold_of(one.tests), found[one.stage]) for one in stages}


def engine_of(settings: ProbingSettings, run: RunDirectory | None) -> Train:
    """Returns what trains jobs: the bank, or a Lightning Trainer for each probe.

    Args:
        run: into whose folder the loggers of Lightning write; None: there are none.
    """
    bank = settings.bank
    if settings.engine.engine == "bank":
        return partial(train_jobs, bank)
    from polyprobe.probing.lightning_engine import LightningEngine  # Lightning

    return partial(_watched, LightningEngine(settings.engine, bank.accelerator, run and run.path / "lightning").train)


def train_jobs(bank: BankSettings, jobs: Sequence[ProbeJob]) -> list[ProbeOutcome]:
    """Trains a block of jobs in the bank; returns outcome i for job i."""
    device = device_of(bank.accelerator)
    return _watched(lambda jobs, progress: train_bank(jobs, bank.chunk_size, device, progress), jobs)


def _watched(
    train: Callable[[Sequence[ProbeJob], Progress], list[ProbeOutcome]], jobs: Sequence[ProbeJob]
) -> list[ProbeOutcome]:
    with watched(f"training {len(jobs)} probes", "epochs", sum(job.spec.max_epochs for job in jobs)) as progress:
        return train(jobs, progress.reach)


def _outcomes_of(
    cells: Sequence[Cell],
    design: Design,
    train: Train,
    kept: KeptOutcomes,
    keep: Keep | None,
) -> dict[str, ProbeOutcome]:
    """Returns the outcome of each cell, by its name: those that were kept, the others trained.

    A probe is kept before its outcome: of an outcome that another process has made, the probe is there.
    """
    by_name, found_kept = {cell.name: cell for cell in cells}, []

    def made(names: list[str]) -> list[ProbeOutcome]:
        new = [by_name[name] for name in names]
        trained = iter(train(list(chain.from_iterable(cell.jobs for cell in new))))
        of_jobs = [[next(trained) for _ in cell.jobs] for cell in new]
        outcomes = [
            design.probe_of(cell.place[0]).outcome(cell.jobs, one) for cell, one in zip(new, of_jobs, strict=True)
        ]
        if keep is not None:
            keep([(cell, one) for cell, one in zip(new, outcomes, strict=True) if cell.stage == MAIN])
        return outcomes

    outcomes = kept.read_or_make(by_name, made, found_kept.extend)
    if keep is not None and not sharing().rank:
        keep([(by_name[name], outcomes[name]) for name in found_kept if by_name[name].stage == MAIN])
    return outcomes


def gold_of(tests: Sequence[ProbingTest]) -> dict[str, np.ndarray]:
    """Returns the label ids of each test's test items, by its name."""
    return {test.name: np.array(test.test.label_ids) for test in tests}


def layer_and_epoch(layer: Layer) -> str:
    """Returns "encoding", or "encoding/8" for the layer of a checkpoint."""
    return layer.name if layer.epoch is None else f"{layer.name}/{layer.epoch}"


def _cells(design: Design, encoded: EncodedTests) -> Iterator[Cell]:
    """Yields a cell for every test, layer and seed, in this order."""
    vectors = encoded.vectors
    prefix = "" if encoded.stage == MAIN else f"{encoded.stage}/"
    for test in encoded.tests:
        probe = design.probe_of(test.name)
        for number, data in enumerate(_data_by_layer(test, vectors)):
            key = f"{prefix}{test.name}/{layer_and_epoch(vectors.layers[number])}"
            for seed in design.seeds:
                name = f"{vectors.source} {_content(test)} {key} {seed}"
                yield Cell(encoded.stage, (test.name, number), name, probe.jobs(data, seed, key))


def _content(test: ProbingTest) -> str:
    """Names items and labels of a test: its files, and what became of them (lines left out, control labels)."""
    digest = hashlib.sha256(test.version.encode())
    for split in (test.train, test.dev, test.test):
        digest.update(np.array([split.lines, split.label_ids]).tobytes())
    return digest.hexdigest()


def _data_by_layer(test: ProbingTest, vectors: ItemVectors) -> Iterator[ProbeData]:
    splits = {"train": test.train, "dev": test.dev, "test": test.test}
    rows = {f"{name}_rows": vectors.rows(split) for name, split in splits.items()}
    labels = {f"{name}_labels": torch.tensor(split.label_ids) for name, split in splits.items()}
    for matrix in vectors.matrices:
        yield ProbeData(vectors=matrix, **rows, **labels, n_labels=len(test.labels))


@dataclass(frozen=True)
class ProbeKeeper:
    """Writes the probes of a run."""

    settings: ProbingSettings
    design: Design
    encoder: Encoder
    run: RunDirectory
    train: Train

    def keep(self, outcomes: Sequence[tuple[Cell, ProbeOutcome]]) -> None:
        """Writes the probes of cells, but those that are there; those without parameters are trained again.

        Such are the cell of a grid that dev has chosen, and one whose outcome an earlier run has kept: in any company
        it comes out as it was.
        """
        good = [(cell, one) for cell, one in outcomes if one.failed is None]
        self._write([(cell.place, cell.jobs[0], one) for cell, one in good if one.parameters])
        absent = [(cell, one) for cell, one in good if not (one.parameters or self._is_there(cell, one))]
        jobs = [
            replace(self.design.probe_of(cell.place[0]).kept_job(cell.jobs, one), is_kept=True) for cell, one in absent
        ]
        again = self.train(jobs)
        self._write([(cell.place, job, one) for (cell, _), job, one in zip(absent, jobs, again, strict=True)])

    def _write(self, probes: Sequence[tuple[tuple[str, int], ProbeJob, ProbeOutcome]]) -> None:
        for place, job, outcome in probes:
            self._probe(place, job, outcome).write(self._path(place, job))

    def _path(self, place: tuple[str, int], job: ProbeJob) -> Path:
        layer = self.encoder.layers[place[1]]
        return self.run.probe(place[0], layer.name, layer.epoch, job.seed)

    def _is_there(self, cell: Cell, outcome: ProbeOutcome) -> bool:
        try:
            return load_probe(self._path(cell.place, cell.jobs[0])).predictions == digest_of_predictions(
                outcome.test_predictions
            )
        except PolyprobeError:
            return False

    def _probe(self, place: tuple[str, int], job: ProbeJob, outcome: ProbeOutcome) -> KeptProbe:
        asked, name, layer = self.settings.asked, place[0], self.encoder.layers[place[1]]
        return KeptProbe(
            test=name,
            suite=self.design.suite,
            lang=self.design.lang,
            labels=next(test.labels for test in self.design.tests if test.name == name),
            layer=layer.name,
            epoch=layer.epoch,
            seed=job.seed,
            parts=job.data.train_rows.shape[1],
            encoder={"choice": asked.encoder.name, "options": with_lasting_names(asked.encoder.options)},
            fingerprint=self.encoder.fingerprint,
            number=asked.cache.number,
            spec=job.spec,
            dev_accuracy=outcome.dev_accuracy,
            predictions=digest_of_predictions(outcome.test_predictions),
            versions={"polyprobe": provenance()["polyprobe"]["version"], "torch": torch.__version__},
            parameters=outcome.parameters,
            scaling=outcome.scaling,
        )
