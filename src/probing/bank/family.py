"""What takes one place in a stack: a probe, or linear probes side by side that see the same examples.

Beside it: what is remembered of a probe while it trains.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from polyprobe.models.layers.probe_loss import label_weights
from polyprobe.models.layers.probe_random import ProbeRandom
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.bank.scaling import Scaling
from polyprobe.probing.bank.stopping import Evaluation, best_of, is_over, lowest_of


class ProbeInTraining:
    """Losses, scores on dev and the weights to keep of one probe.

    Attributes:
        train_losses: of each epoch.
        kept_parameters, kept_predictions: of the epoch that counts so far; predictions on dev.
        failed: why training cannot go on, or None.
    """

    def __init__(self, job: ProbeJob, number: int, position: int):
        self.job, self.number, self.position = job, number, position
        self.train_losses: list[float] = []
        self.kept_parameters: tuple[Tensor, ...] = ()
        self.failed: str | None = None
        self._evaluations: list[Evaluation] = []
        self._kept_epoch, self._kept_accuracy = 0, -1.0
        self.kept_predictions = torch.empty(0, dtype=torch.int64)

    @property
    def is_due(self) -> bool:
        """True where dev is to be scored after this epoch."""
        epochs = len(self.train_losses)
        return epochs % self.job.spec.epochs_per_evaluation == 0 or epochs == self.job.spec.max_epochs

    @property
    def goes_on(self) -> bool:
        if self.failed is not None or len(self.train_losses) >= self.job.spec.max_epochs:
            return False
        return not self._evaluations or not is_over(self.job.spec, self._evaluations)

    def take(
        self, dev_predictions: Tensor, dev_labels: Tensor, dev_loss: float | None, parameters: tuple[Tensor, ...]
    ) -> None:
        """Takes the scores on dev after an epoch; keeps its parameters if they are the ones that count."""
        accuracy = (dev_predictions == dev_labels).double().mean().item()
        self._evaluations.append(Evaluation(len(self.train_losses), accuracy, dev_loss))
        if self._counts_so_far():
            self._kept_epoch, self.kept_predictions = len(self.train_losses), dev_predictions
            self._kept_accuracy = accuracy
            self.kept_parameters = parameters

    def _counts_so_far(self) -> bool:
        last = len(self._evaluations) - 1
        match self.job.spec.kept_weights:
            case "best_dev":
                return best_of(self._evaluations) == last
            case "lowest_dev_loss":
                return lowest_of(self._evaluations) == last
            case "last" | "last_as_it_is":
                return True
            case _:
                raise AssertionError(self.job.spec.kept_weights)

    def outcome(
        self, test_predictions: Tensor, test_losses: Tensor, layers: Sequence[Tensor], scaling: Scaling | None
    ) -> ProbeOutcome:
        """Returns the outcome of a probe that has ended.

        Args:
            layers: its parameters, if it is kept.
            scaling: of `ProbeData`.
        """
        best = max(evaluation.accuracy for evaluation in self._evaluations)
        return ProbeOutcome(
            epochs=len(self.train_losses),
            best_epoch=self._kept_epoch,
            dev_accuracy=best if self.job.spec.kept_weights == "last" else self._kept_accuracy,
            train_losses=tuple(self.train_losses),
            dev_predictions=self.kept_predictions.cpu().numpy(),
            test_predictions=test_predictions.cpu().numpy(),
            test_losses=test_losses.cpu().numpy(),
            # Copies: a view would hold the weights of the whole family.
            parameters=tuple(layer.cpu().numpy().copy() for layer in layers),
            scale=None if scaling is None else scaling.in_a_row,
            scaling=scaling if layers and self.job.is_standardised else None,
        )

    def failure(self) -> ProbeOutcome:
        """Returns the outcome of a probe that has failed."""
        reason = f"{self.job.key}: {self.failed}"
        return ProbeOutcome(len(self.train_losses), 0, float("nan"), tuple(self.train_losses), failed=reason)


class Family:
    """Probes of one data, seed and key, which differ in what pulls at their weights (weight decay, elastic net) alone.

    They have the same initial weights and see the same order of examples.

    Args:
        data: of all of them, already on the device, and standardised where their spec says so.

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
        self.label_weights: Tensor = label_weights(data.train_labels, data.n_labels, self.spec.loss_weights)
        self.running = [
            ProbeInTraining(job, number, position)
            for number, (position, job) in enumerate(zip(positions, jobs, strict=True))
        ]

    def start_epoch(self) -> None:
        """Draws the order of the examples, where they are shuffled."""
        n_train = self.data.n_train
        self.order = np.arange(n_train) if self.spec.order == "file" else self.random.order(n_train)

    @property
    def epochs_left(self) -> int:
        """Epochs that the members still in training may take at most, added up."""
        return sum(member.job.spec.max_epochs - len(member.train_losses) for member in self.running)

    def ended(self) -> list[ProbeInTraining]:
        """Takes the members out of training that do not go on, and returns them."""
        over = [member for member in self.running if not member.goes_on]
        self.running = [member for member in self.running if member.goes_on]
        return over


def family_key(position: int, job: ProbeJob) -> tuple:
    """Returns what the members of a family have in common; a probe with a hidden layer has a family of its own."""
    return (position,) if job.spec.hidden_size is not None else kin_key(job)


def kin_key(job: ProbeJob) -> tuple:
    """Returns what probes have in common that see the same examples in the same order."""
    return id(job.data), job.seed, job.key
