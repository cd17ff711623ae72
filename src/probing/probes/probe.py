"""What a choice of `probe=` trains and reports."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome


class Probe(ABC):
    """What `probe=` chooses: the probes to train for one test, layer and seed, and the one outcome they amount to."""

    over_all_layers: bool = False
    """Whether a probe sees the vectors of all layers of an encoder (of an epoch) side by side."""
    scale: str = "none"
    """Of the vectors that it sees, see `ProbeSpec`."""

    @property
    @abstractmethod
    def n_probes(self) -> int:
        """How many probes are trained at most for one test, layer and seed."""

    @abstractmethod
    def jobs(self, data: ProbeData, seed: int, key: str) -> list[ProbeJob]:
        """Returns the probes to train; any of them may be trained in one bank with those of other tests.

        Args:
            data: the test and the vectors of the layer.
            seed, key: of the `ProbeJob`s.
        """

    @abstractmethod
    def outcome(self, jobs: Sequence[ProbeJob], outcomes: Sequence[ProbeOutcome]) -> ProbeOutcome:
        """Returns the outcome of the test from those of its jobs, both in the order of `jobs`."""

    def kept_job(self, jobs: Sequence[ProbeJob], outcome: ProbeOutcome) -> ProbeJob:
        """Returns the one of the jobs whose probe made the predictions of their outcome."""
        return jobs[-1]
