"""Learning rate rules that look at dev scores."""

import math
from typing import ClassVar

from polyprobe.section import AboveZero, Count, checked


class _Rule:
    """What all rules keep in checkpoints."""

    kept: ClassVar[tuple[str, ...]]
    """Names of the attributes that a checkpoint must hold."""

    def state_dict(self) -> dict[str, float]:
        """Returns what a checkpoint must hold."""
        return {name: getattr(self, name) for name in self.kept}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Goes on from a checkpoint."""
        for name in self.kept:
            setattr(self, name, state[name])


class HalvedAfterSmallGains(_Rule):
    """Lowers the learning rate when dev scores stop rising (released code of LINSPECTOR's role labeller).

    From `first_epoch` on, every epoch whose score rose by less than `smallest_gain` over the epoch before costs one
    unit of patience; at zero the rate falls and patience is full again. A large gain does not restore patience.

    Args:
        smallest_gain: in units of the score (a fraction).
        patience: small gains until the rate falls.
        first_epoch: the first epoch, counted from 1, that can cost patience.
        factor: what the rate is multiplied by.
    """

    kept = ("epoch", "patience", "previous")

    @checked("model.rate_decay")
    def __init__(self, smallest_gain: float, patience: Count, first_epoch: int, factor: AboveZero):
        self.smallest_gain, self.full_patience = smallest_gain, patience
        self.first_epoch, self.factor = first_epoch, factor
        self.epoch, self.patience, self.previous = 0, patience, 0.0

    def factor_after(self, score: float) -> float:
        """Takes the dev score of the next epoch; returns what to multiply the rate by: `factor` or 1."""
        self.epoch += 1
        gain, self.previous = score - self.previous, score
        if self.epoch >= self.first_epoch and gain < self.smallest_gain:
            self.patience -= 1
        if self.patience:
            return 1.0
        self.patience = self.full_patience
        return self.factor


class LoweredWithoutNewBest(_Rule):
    """Lowers the learning rate after every epoch whose dev score is not a new best (LINSPECTOR's ESIM: patience 0).

    Args:
        factor: what the rate is multiplied by.
    """

    kept = ("best",)

    @checked("model.rate_decay")
    def __init__(self, factor: AboveZero):
        self.factor, self.best = factor, -math.inf

    def factor_after(self, score: float) -> float:
        """Takes the dev score of the next epoch; returns what to multiply the rate by: `factor` or 1."""
        if score <= self.best:
            return self.factor
        self.best = score
        return 1.0


class ShrunkEachEpoch(LoweredWithoutNewBest):
    """Lowers the learning rate after every epoch, and more where the dev score is no new best (InferSent's training).

    Args:
        factor: what the rate is multiplied by after every epoch.
        without_new_best: what it is multiplied by as well, where the score is no new best.
    """

    @checked("model.rate_decay")
    def __init__(self, factor: AboveZero, without_new_best: float):
        super().__init__(without_new_best)
        self.each_epoch = factor

    def factor_after(self, score: float) -> float:
        """Takes the dev score of the next epoch; returns what to multiply the rate by."""
        return self.each_epoch * super().factor_after(score)


class LoweredWithoutGain(_Rule):
    """Lowers the learning rate after every epoch whose dev score is not above that of the epoch before.

    The language models of Mueller et al. (2020); their released code requires a new best: `LoweredWithoutNewBest`.

    Args:
        factor: what the rate is multiplied by.
    """

    kept = ("previous",)

    @checked("model.rate_decay")
    def __init__(self, factor: AboveZero):
        self.factor, self.previous = factor, -math.inf

    def factor_after(self, score: float) -> float:
        """Takes the dev score of the next epoch; returns what to multiply the rate by: `factor` or 1."""
        gain, self.previous = score - self.previous, score
        return 1.0 if gain > 0 else self.factor
