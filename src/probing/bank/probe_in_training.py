"""What the bank remembers of one probe while it trains."""

import numpy as np
import torch
from torch import Tensor

from src.probing.bank.jobs import ProbeJob, ProbeOutcome
from src.probing.bank.randomness import ProbeRandom
from src.probing.bank.stopping import Evaluation, best_of, is_over, lowest_of


class ProbeInTraining:
    """Losses, scores on dev and the weights to keep of one probe.

    Attributes:
        order: of the examples in this epoch.
        train_losses: of each epoch.
        kept_parameters, kept_predictions: of the epoch that counts so far; predictions on dev.
        failed: why training cannot go on, or None.
    """

    def __init__(self, job: ProbeJob):
        self.job, self.random = job, ProbeRandom(job.seed, job.key)
        self.order = np.empty(0, dtype=np.int64)
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

    def outcome(self, test_predictions: Tensor, test_losses: Tensor) -> ProbeOutcome:
        """Returns the outcome of a probe that has ended."""
        best = max(evaluation.accuracy for evaluation in self._evaluations)
        return ProbeOutcome(
            epochs=len(self.train_losses),
            best_epoch=self._kept_epoch,
            dev_accuracy=best if self.job.spec.kept_weights == "last" else self._kept_accuracy,
            train_losses=tuple(self.train_losses),
            dev_predictions=self.kept_predictions.cpu().numpy(),
            test_predictions=test_predictions.cpu().numpy(),
            test_losses=test_losses.cpu().numpy(),
        )

    def failure(self) -> ProbeOutcome:
        """Returns the outcome of a probe that has failed."""
        reason = f"{self.job.key}: {self.failed}"
        return ProbeOutcome(len(self.train_losses), 0, float("nan"), tuple(self.train_losses), failed=reason)
