"""What takes one place in a stack: a probe, or linear probes side by side that see the same examples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from src.probing.bank.jobs import ProbeData, ProbeJob
from src.probing.bank.losses import label_weights
from src.probing.bank.probe_in_training import ProbeInTraining
from src.probing.bank.randomness import ProbeRandom


@dataclass(frozen=True, slots=True)
class Member:
    """A probe of a family."""

    number: int
    """Its place in the family."""
    position: int
    """Of its job in the bank."""
    probe: ProbeInTraining
    """What is remembered of it."""


class Family:
    """Probes of one data, seed and key, which differ in what pulls at their weights (weight decay, elastic net) alone.

    They have the same initial weights and see the same order of examples.

    Args:
        positions: of the jobs in the bank.
        data: of all of them, already on the device.

    Attributes:
        spec: of the first member.
        kin: what families have in common that see the same examples in the same order.
        specs: of all members, those that have ended too.
        running: the members still in training.
        random: the chance of all of them.
        order: of the examples in this epoch.
        label_weights: what an example of each label weighs.
    """

    def __init__(self, positions: Sequence[int], jobs: Sequence[ProbeJob], data: ProbeData):
        self.data, self.spec, self.kin = data, jobs[0].spec, kin_key(jobs[0])
        self.random = ProbeRandom(jobs[0].seed, jobs[0].key)
        self.order = np.empty(0, dtype=np.int64)
        self.specs = [job.spec for job in jobs]
        self.dropout = jobs[0].spec.dropout
        self.label_weights: Tensor = label_weights(data, self.spec)
        self.running = [
            Member(number, position, ProbeInTraining(job))
            for number, (position, job) in enumerate(zip(positions, jobs, strict=True))
        ]

    def start_epoch(self) -> None:
        """Draws the order of the examples, where they are shuffled."""
        n_train = self.data.n_train
        self.order = np.arange(n_train) if self.spec.order == "file" else self.random.order(n_train)

    @property
    def epochs_left(self) -> int:
        """Epochs that the members still in training may take at most, added up."""
        return sum(member.probe.job.spec.max_epochs - len(member.probe.train_losses) for member in self.running)

    def ended(self) -> list[Member]:
        """Takes the members out of training that do not go on, and returns them."""
        over = [member for member in self.running if not member.probe.goes_on]
        self.running = [member for member in self.running if member.probe.goes_on]
        return over


def family_key(position: int, job: ProbeJob) -> tuple:
    """Returns what the members of a family have in common; a probe with a hidden layer has a family of its own."""
    return (position,) if job.spec.hidden_size is not None else kin_key(job)


def kin_key(job: ProbeJob) -> tuple:
    """Returns what probes have in common that see the same examples in the same order."""
    return id(job.data), job.seed, job.key
