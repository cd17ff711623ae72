"""Classifiers of sentence vectors by SentEval's three protocols; the fits of a task are trained together in the bank.

```
nested folds     | test |            train of the fold             |   10 folds:
                        | dev |              train                 |   10 inner folds x 4 L2; dev stops, means choose
                        |              train            | 5 % dev  |   1 fit with the chosen L2 predicts the test
folds, then test |          train of the task         |  | test |     the same with the one test: 10 folds x 4 L2, 1 fit
split            |       train       |  dev  |           | test |     4 L2; dev stops and chooses
```
The matrix of features is held once: a fit is rows of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, Literal

import numpy as np
import torch
from annotated_types import Ge, Gt, Lt
from sklearn.model_selection import StratifiedKFold
from torch import Tensor

from polyprobe.errors import PolyprobeError
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.probes.grid import GridProbe
from polyprobe.probing.suites.downstream_tasks import RELEASED, DownstreamSuite
from polyprobe.section import Expected, Number, Section
from polyprobe.seeds import derived_seed

Train = Callable[[Sequence[ProbeJob]], list[ProbeOutcome]]


class FitSettings(Section):
    """How a classifier is fitted and its L2 chosen."""

    probe: GridProbe
    """The cells of the grid, usually of L2 (weight decay) alone, and how their dev accuracies are compared."""
    folds: Annotated[int, Ge(2)]
    """Into which all examples are dealt, or the train part of a task that has a test part."""
    inner_folds: Annotated[int, Ge(2)]
    """Into which the train part of each of `folds` is dealt to choose L2; idle without nested folds."""
    dev_share: Annotated[Number, Gt(0), Lt(1), Expected("above 0 and below 1")]
    """Of the train part, drawn at random, that stops the fit with the chosen L2 (SentEval: 0.05)."""
    folds_seed: int
    """Of the dealing into folds (SentEval: 1111)."""
    seed: int
    """Of dev parts, initial weights and orders (SentEval: 1111, too)."""
    chance: Literal["of_each_fit", "of_all_fits"]
    """of_each_fit: each fold draws its own initial weights, order and dev part; the cells of a grid share them.
    of_all_fits: they are the same wherever the sizes are, as in the released toolkit, which seeds anew with the same
    number at each fit."""

    def key_of(self, fit: str) -> str:
        """Returns the key of a fit's chance; with `seed` it fixes what is drawn."""
        return fit if self.chance == "of_each_fit" else "all fits"


def fit_settings(suite: DownstreamSuite, protocol: str, seed: int) -> FitSettings:
    """Returns how the classifiers of a suite are fitted."""
    return FitSettings(
        probe=GridProbe(**suite.classifier),
        folds=suite.folds,
        inner_folds=suite.inner_folds,
        dev_share=suite.dev_share,
        folds_seed=suite.folds_seed,
        seed=seed,
        chance="of_all_fits" if protocol == RELEASED else "of_each_fit",
    )


def stratified_folds(
    label_ids: np.ndarray, n_folds: int, seed: int, of_what: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Deals the examples as scikit-learn's StratifiedKFold with shuffling does, which SentEval uses.

    Args:
        label_ids: int64 `[examples]`.
        of_what: what is dealt, for the message ("all examples").

    Returns:
        For each fold the rows outside of it and those inside, both rising: int64 `[examples]`.
    """
    labels, counts = np.unique(label_ids, return_counts=True)
    rarest = counts.argmin()
    if counts[rarest] < n_folds:
        raise PolyprobeError(
            f"Label {labels[rarest]} has {counts[rarest]} of {len(label_ids)} examples in {of_what}, but there are "
            f"{n_folds} folds. Expected at least one of each label in each fold: use fewer folds."
        )
    dealing = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(dealing.split(np.zeros(len(label_ids)), label_ids))


def dev_drawn(rows: np.ndarray, share: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draws a part of the rows, at least one, whatever their labels; returns the others and the drawn ones."""
    n_dev = max(1, int(share * len(rows)))
    shuffled = random.permutation(rows)
    return shuffled[n_dev:], shuffled[:n_dev]


@dataclass(frozen=True, eq=False)
class FitOutcome:
    """A fit with a chosen L2: one for each fold, or for the test part of the protocols that have one."""

    predictions: np.ndarray
    """int64 `[test examples]`, or those of the fold."""
    chosen_l2: float
    """The L2 that dev chose."""
    dev_accuracy: float
    """With it, 0 to 1; the mean over (inner) folds where there are some."""
    rows: np.ndarray
    """Of all examples, those that are predicted: int64."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Examples: features float32 `[examples, width]`, and label ids int64 or gold scores float64 `[examples]`."""

    features: np.ndarray
    gold: np.ndarray


def nested_cross_validation(
    features: np.ndarray, label_ids: np.ndarray, settings: FitSettings, train: Train
) -> list[FitOutcome]:
    """Predicts each example by a classifier that was fitted, and its L2 chosen, without the example's fold.

    SentEval's `InnerKFoldClassifier`: with 10 folds and 4 values of L2 410 fits, of which 400 and 10 are trained
    together.

    Args:
        features: float32 `[examples, width]`.
        label_ids: int64 `[examples]`, from 0.
        train: trains probes in the bank (`train_bank`), with whatever device and bar.

    Returns:
        The fit of each fold; each example is in one.
    """
    examples = _examples(LabelledRows(features, label_ids))
    folds = stratified_folds(label_ids, settings.folds, settings.folds_seed, "all examples")
    parts = [(f"fold {number}", *rows) for number, rows in enumerate(folds, 1)]
    return _fit_with_chosen_l2(examples, parts, settings.inner_folds, settings, train)


def k_fold_then_test(
    train_part: LabelledRows, test_features: np.ndarray, settings: FitSettings, train: Train
) -> FitOutcome:
    """Chooses L2 by folds of the train part, fits with it anew, a random share as dev, and predicts the test part.

    SentEval's `KFoldClassifier`: with 10 folds and 4 values of L2 41 fits.

    Args:
        test_features: float32 `[test examples, width]`.
        settings: `folds` are those of the train part.
        train: see `nested_cross_validation`.
    """
    # The bank wants labels of the test examples, too: only its test losses would depend on them.
    examples = _examples(train_part, LabelledRows(test_features, np.zeros(len(test_features), np.int64)))
    known, predicted = np.split(np.arange(len(examples.labels)), [len(train_part.gold)])
    (fit,) = _fit_with_chosen_l2(examples, [("the task", known, predicted)], settings.folds, settings, train)
    return fit


def split_then_test(
    train_part: LabelledRows, dev_part: LabelledRows, test_features: np.ndarray, settings: FitSettings, train: Train
) -> FitOutcome:
    """Chooses L2 by the dev part, which also stops every fit, and predicts the test part by the fit of that L2.

    SentEval's `SplitClassifier`, which trains the chosen fit once more, from the same seed: it comes out the same.

    Args:
        test_features: float32 `[test examples, width]`.
        train: see `nested_cross_validation`.
    """
    examples = _examples(train_part, dev_part, LabelledRows(test_features, np.zeros(len(test_features), np.int64)))
    ends = np.cumsum([len(train_part.gold), len(dev_part.gold)])
    known, dev, predicted = np.split(np.arange(len(examples.labels)), ends)
    data = _probe_data(examples, known, dev, predicted)
    jobs = settings.probe.jobs(data, settings.seed, settings.key_of("split"))
    outcomes = _trained(jobs, train)
    best = settings.probe.best([outcome.dev_accuracy for outcome in outcomes])
    chosen = outcomes[best]
    return FitOutcome(chosen.test_predictions, jobs[best].spec.weight_decay, chosen.dev_accuracy, predicted)


@dataclass(frozen=True, eq=False)
class _Examples:
    """Vectors float32 `[examples, width]` and labels int64 `[examples]` of which every fit has some rows."""

    vectors: Tensor
    labels: Tensor
    n_labels: int


_Part = tuple[str, np.ndarray, np.ndarray]
"""A name, and rows: those that are known, and those to be predicted by a fit of them, int64."""


def _fit_with_chosen_l2(
    examples: _Examples, parts: Sequence[_Part], n_folds: int, settings: FitSettings, train: Train
) -> list[FitOutcome]:
    """Chooses L2 for each part by folds of its known rows, all in one bank, then fits all parts in another."""
    choosing: list[ProbeJob] = []
    for name, known, _ in parts:
        folds = stratified_folds(
            examples.labels.numpy()[known], n_folds, settings.folds_seed, f"the train part of {name}"
        )
        for number, (outside, inside) in enumerate(folds, 1):  # a grid for each fold, which is its dev part
            data = _probe_data(examples, known[outside], known[inside], known[inside])
            choosing += settings.probe.jobs(data, settings.seed, settings.key_of(f"{name}, inner fold {number}"))
    dev_accuracies = np.array([outcome.dev_accuracy for outcome in _trained(choosing, train)])
    # [parts, cells]; fsum: the mean of the same accuracies is the same number in any order.
    by_fold = dev_accuracies.reshape(len(parts), n_folds, settings.probe.n_probes)
    means = [[fsum(of_cell) / n_folds for of_cell in of_part.T] for of_part in by_fold]
    cells = [settings.probe.best(of_part) for of_part in means]
    final = []
    for (name, known, predicted), cell in zip(parts, cells, strict=True):
        key = settings.key_of(name)
        random = np.random.default_rng(derived_seed(settings.seed, "dev share", key))
        data = _probe_data(examples, *dev_drawn(known, settings.dev_share, random), predicted)
        final.append(ProbeJob(data, settings.probe.specs[cell], settings.seed, key))
    return [
        FitOutcome(outcome.test_predictions, settings.probe.specs[cell].weight_decay, of_part[cell], predicted)
        for (*_, predicted), outcome, cell, of_part in zip(parts, _trained(final, train), cells, means, strict=True)
    ]


def _examples(*parts: LabelledRows) -> _Examples:
    features = np.concatenate([part.features for part in parts]) if len(parts) > 1 else parts[0].features
    label_ids = np.concatenate([part.gold for part in parts])
    assert len(features) == len(label_ids), f"{len(features)} rows of features, {len(label_ids)} labels"
    if not np.isfinite(features).all():
        row = int(np.flatnonzero(~np.isfinite(features).all(1))[0])
        raise PolyprobeError(f"The vector of example {row + 1} of {len(features)} has a value that is not finite.")
    return _Examples(torch.from_numpy(features), torch.from_numpy(label_ids), int(label_ids.max()) + 1)


def _probe_data(examples: _Examples, train: np.ndarray, dev: np.ndarray, test: np.ndarray) -> ProbeData:
    rows = [torch.from_numpy(part) for part in (train, dev, test)]
    labels = (examples.labels[part] for part in rows)
    return ProbeData(examples.vectors, *(part[:, None] for part in rows), *labels, examples.n_labels)


def _trained(jobs: Sequence[ProbeJob], train: Train) -> list[ProbeOutcome]:
    """Trains the fits; one that fails ends all, for the mean over folds would be of fewer."""
    outcomes = train(jobs)
    for outcome in outcomes:
        if outcome.failed is not None:
            raise PolyprobeError(f"A fit has failed: {outcome.failed}.")
    return outcomes
