"""A probing study: tests x layers x seeds, of an encoder and of what stands beside it."""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch

from src.encoders.base.encoder import Layer
from src.encoders.cache.store import EncodedItems
from src.items import Item
from src.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.probes.probe import Probe
from src.probing.suites.tests import Examples, ProbingTest

MAIN, RANDOM_ENCODER, CONTROL = "probing", "random_encoder", "control"


@dataclass(frozen=True)
class Study:
    """The tests to ask of an encoder's layers, with several seeds each.

    Attributes:
        lang: code of the language, for the rows.
        suite, encoder, probe_name: names, for the rows.
        probe: what is trained for each test, layer and seed.
        tests: the tests.
        seeds: each test and layer is probed once for each.
        model, options: of the encoder, for the rows, see `ResultRow`.
    """

    lang: str
    suite: str
    encoder: str
    probe_name: str
    probe: Probe
    tests: Sequence[ProbingTest]
    seeds: Sequence[int]
    model: str | None = None
    options: str | None = None

    def items(self) -> Iterator[Item]:
        """Yields every item of every test, as often as the tests have it."""
        for test in self.tests:
            for split in (test.train, test.dev, test.test):
                for items in split.items:
                    yield from items


@dataclass(frozen=True)
class Question:
    """Tests asked of one encoder's vectors.

    Attributes:
        stage: MAIN, RANDOM_ENCODER or CONTROL; names the probes, so that none shares its chance with another's.
        tests: as they are, or with the labels of their control tasks.
        vectors: of their items.
        source: what the vectors are of: it names outcomes that are kept.
    """

    stage: str
    tests: Sequence[ProbingTest]
    vectors: EncodedItems
    source: str


@dataclass(frozen=True)
class Answers:
    """What became of a question.

    Attributes:
        layers: of the encoder that was asked.
        gold: label ids of the test items, by the test's name: int64 `[items]`.
        outcomes: of every seed, by the test's name and the layer's number.
    """

    layers: Sequence[Layer]
    gold: Mapping[str, np.ndarray]
    outcomes: Mapping[tuple[str, int], Sequence[ProbeOutcome]]


@dataclass(frozen=True)
class Cell:
    """One test, layer and seed of a question, with the probes that answer it: one, a grid's, or a code's portions.

    Attributes:
        name: all that its outcome depends on, beside the probe's own settings.
    """

    stage: str
    place: tuple[str, int]
    name: str
    jobs: Sequence[ProbeJob]


def answer(
    study: Study,
    questions: Sequence[Question],
    train: Callable[[list[ProbeJob]], list[ProbeOutcome]],
    kept: KeptOutcomes,
) -> dict[str, Answers]:
    """Trains the probes of all questions together, but those whose outcome an earlier run has kept.

    Args:
        train: trains jobs and gives their outcomes, outcome i for job i.
        kept: where outcomes are found and kept.

    Returns:
        The answers by stage.
    """
    matrices = {id(question.vectors): _matrices(question.vectors) for question in questions}  # shared, not copied
    cells = [cell for question in questions for cell in _cells(study, question, matrices[id(question.vectors)])]
    outcomes = {cell.name: kept.read(cell.name) for cell in cells}
    new = [cell for cell in cells if outcomes[cell.name] is None]
    trained = iter(train(list(chain.from_iterable(cell.jobs for cell in new))))
    for cell in new:
        outcomes[cell.name] = study.probe.outcome(cell.jobs, [next(trained) for _ in cell.jobs])
        kept.write(cell.name, outcomes[cell.name])
    found: dict[str, dict[tuple[str, int], list[ProbeOutcome]]] = {question.stage: {} for question in questions}
    for cell in cells:
        found[cell.stage].setdefault(cell.place, []).append(outcomes[cell.name])
    return {it.stage: Answers(it.vectors.layers, gold_of(it.tests), found[it.stage]) for it in questions}


def gold_of(tests: Sequence[ProbingTest]) -> dict[str, np.ndarray]:
    """Returns the label ids of each test's test items, by its name."""
    return {test.name: np.array(test.test.label_ids) for test in tests}


def layer_name(layer: Layer) -> str:
    """Returns "encoding", or "encoding/8" for the layer of a checkpoint."""
    return layer.name if layer.epoch is None else f"{layer.name}/{layer.epoch}"


def _matrices(vectors: EncodedItems) -> list[torch.Tensor]:
    return [_read_only_tensor(vectors.matrix(number)) for number in range(len(vectors.layers))]


def _cells(study: Study, question: Question, matrices: Sequence[torch.Tensor]) -> Iterator[Cell]:
    """Yields a cell for every test, layer and seed, in this order."""
    vectors = question.vectors
    prefix = "" if question.stage == MAIN else f"{question.stage}/"
    for test in question.tests:
        for number, data in enumerate(_datas(test, vectors, matrices)):
            key = f"{prefix}{test.name}/{layer_name(vectors.layers[number])}"
            for seed in study.seeds:
                name = f"{question.source} {_content(test)} {key} {seed}"
                yield Cell(question.stage, (test.name, number), name, study.probe.jobs(data, seed, key))


def _content(test: ProbingTest) -> str:
    """Names items and labels of a test: its files, and what became of them (lines left out, control labels)."""
    digest = hashlib.sha256(test.version.encode())
    for split in (test.train, test.dev, test.test):
        digest.update(np.array([split.lines, split.label_ids]).tobytes())
    return digest.hexdigest()


def _datas(test: ProbingTest, vectors: EncodedItems, matrices: Sequence[torch.Tensor]) -> Iterator[ProbeData]:
    splits = {"train": test.train, "dev": test.dev, "test": test.test}
    rows = {f"{name}_rows": _rows(vectors, split) for name, split in splits.items()}
    labels = {f"{name}_labels": torch.tensor(split.label_ids) for name, split in splits.items()}
    for matrix in matrices:
        yield ProbeData(vectors=matrix, **rows, **labels, n_labels=len(test.labels))


def _read_only_tensor(matrix: np.ndarray) -> torch.Tensor:
    """Shares the memory of a mapped file; nobody writes to features, so torch's warning is beside the point."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(matrix)


def _rows(vectors: EncodedItems, examples: Examples) -> torch.Tensor:
    flat = vectors.rows(item for items in examples.items for item in items)
    return torch.from_numpy(flat.reshape(len(examples.items), -1))
