"""New probes on some columns of what a run's probes saw: accuracy by number of neurons, retrained."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby

import numpy as np
import torch
from torch.nn import functional as F

from src.analysis.neurons.ablations import AblationPoint, KeptOrder, point_of
from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.row_names import RETRAINED
from src.probing.bank.bank import ROUNDS_EVERYWHERE_THE_SAME
from src.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from src.probing.bank.outcome_cache import KeptOutcomes
from src.probing.bank.probe_spec import ProbeSpec
from src.probing.baselines.control import control_test
from src.splits import SPLITS


@dataclass(frozen=True, eq=False)
class KeptNeurons:
    """The neurons that new probes of a test see, one probe for each seed of the run.

    Attributes:
        probed: the test, with its own labels or those of its control task.
        order: of its neurons.
        n_neurons: how many of `order` are kept.
        task: "test" or "control", whose labels they are.
        spec: how the run's own probe of the first seed was trained: all keep its penalty, learning rate and epochs.
    """

    probed: ProbedTest
    order: KeptOrder
    n_neurons: int
    task: str
    spec: ProbeSpec

    @property
    def columns(self) -> np.ndarray:
        """The kept neurons, rising: int64 `[kept]`."""
        return np.sort(self.order.order[: self.n_neurons])

    @property
    def key(self) -> str:
        """Names the probes, as those of a stage of probing are named."""
        epoch = "" if self.probed.epoch is None else f"/{self.probed.epoch}"
        return f"neurons/{self.task}/{self.probed.test.name}{epoch}"

    @property
    def width(self) -> int:
        """How many columns a probe has: those that are kept, and columns of zeros where these are few."""
        return max(self.n_neurons, ROUNDS_EVERYWHERE_THE_SAME)

    def jobs(self) -> list[ProbeJob]:
        """Returns a job for each seed; they share a copy of the kept columns of the test's items.

        Few columns get others of zeros beside them, which no score depends on: only from a width of 16 are probes
        trained side by side. The first weights are then drawn as those of 16 columns. Those of the columns of zeros
        have no slope but the penalty's, which takes them to 0. With penalty=squared nothing else is changed by them.
        With penalty=released they count in the norm until then, so that l2 pulls less at the kept weights meanwhile.
        """
        data = self._data()
        return [ProbeJob(data, self.spec, seed, self.key) for seed in self.probed.seeds]

    def names(self, source: str) -> list[str]:
        """Returns for each seed all that its outcome depends on, beside the settings of the run's probe.

        Args:
            source: what the vectors are of.
        """
        labels = [tensor.numpy() for tensor in self.probed.label_ids.values()]
        content = _digest([np.array(list(self.probed.test.version.encode()), np.int64), *labels])
        spec = " ".join(f"{name}={value}" for name, value in asdict(self.spec).items())
        about = f"{source} {content} {self.key} {_digest([self.columns])} {spec}"
        return [f"{about} {seed}" for seed in self.probed.seeds]

    def _data(self) -> ProbeData:
        taken, places = torch.unique(torch.cat([self.probed.rows[split] for split in SPLITS]), return_inverse=True)
        lengths = [len(self.probed.rows[split]) for split in SPLITS]
        rows = zip(SPLITS, places.split(lengths), strict=True)
        vectors = self.probed.vectors[taken[:, None], torch.from_numpy(self.columns)].float()
        return ProbeData(
            vectors=F.pad(vectors, (0, self.width - self.n_neurons)),
            **{f"{split}_rows": of_split[:, None] for split, of_split in rows},
            **{f"{split}_labels": self.probed.label_ids[split] for split in SPLITS},
            n_labels=len(self.probed.test.labels),
        )


def with_control_labels(probed: ProbedTest, seed: int) -> ProbedTest:
    """Returns a test with the labels of its control task, and the probes that learnt those.

    Args:
        probed: a test with a control task.
        seed: the first of the run, by which it drew the labels.
    """
    assert probed.control_weights is not None
    assert probed.control_biases is not None
    test = control_test(probed.test, seed)
    label_ids = {split: torch.tensor(getattr(test, split).label_ids) for split in SPLITS}
    weights, biases = probed.control_weights, probed.control_biases
    return replace(probed, test=test, label_ids=label_ids, weights=weights, biases=biases)


def retrained_points(
    wanted: Sequence[KeptNeurons],
    source: str,
    train: Callable[[list[ProbeJob]], list[ProbeOutcome]],
    kept: KeptOutcomes,
) -> list[AblationPoint]:
    """Trains a probe of each choice of neurons and seed, all of one width together, and scores it.

    Only probes of one width can be trained side by side, so nothing is lost by one bank after another; what is trained
    is kept after each, and no more of the columns is in memory than it sees.

    Args:
        wanted: which neurons of which tests; those that keep the same ones share a probe.
        source: what the vectors are of: it names outcomes that are kept.
        train: trains jobs; returns their outcomes, outcome i for job i.
        kept: where outcomes are found and kept.

    Returns:
        Point i for choice i; NaN where all probes failed.
    """
    outcomes: dict[str, ProbeOutcome] = {}
    for _, of_width in groupby(sorted(wanted, key=_width), key=_width):
        outcomes |= _outcomes(list(of_width), source, train, kept)
    return [_point(one, [outcomes[name] for name in one.names(source)]) for one in wanted]


def _width(one: KeptNeurons) -> int:
    return one.width


def _outcomes(
    wanted: Sequence[KeptNeurons],
    source: str,
    train: Callable[[list[ProbeJob]], list[ProbeOutcome]],
    kept: KeptOutcomes,
) -> dict[str, ProbeOutcome]:
    outcomes = {name: kept.read(name) for one in wanted for name in one.names(source)}
    new = dict(_missing_jobs(wanted, source, outcomes))
    for name, outcome in zip(new, train(list(new.values())), strict=True):
        kept.write(name, outcome)
        outcomes[name] = outcome
    return outcomes


def _missing_jobs(
    wanted: Sequence[KeptNeurons], source: str, outcomes: Mapping[str, ProbeOutcome | None]
) -> Iterator[tuple[str, ProbeJob]]:
    for one in {one.names(source)[0]: one for one in wanted}.values():
        names = one.names(source)
        if any(outcomes[name] is None for name in names):
            yield from ((name, job) for name, job in zip(names, one.jobs(), strict=True) if outcomes[name] is None)


def _point(one: KeptNeurons, outcomes: Sequence[ProbeOutcome]) -> AblationPoint:
    gold = {split: one.probed.label_ids[split].numpy() for split in ("dev", "test")}
    said = [{"dev": of.dev_predictions, "test": of.test_predictions} for of in outcomes if of.failed is None]
    correct = [{split: of_seed[split] == gold[split] for split in gold} for of_seed in said]
    return point_of(one.probed, one.order, RETRAINED, one.n_neurons, correct)


def _digest(arrays: Sequence[np.ndarray]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(len(array)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
