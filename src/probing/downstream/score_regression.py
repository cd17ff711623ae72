"""Relatedness of sentence pairs, predicted by a distribution over grades (Tai et al. 2015, section 4.3)."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from polyprobe.display.progress import WorkProgress, watched
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.models.layers.probe_random import ProbeRandom
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.networks import LinearNetwork
from polyprobe.probing.bank.parameter_stack import ParameterStack
from polyprobe.probing.bank.stopping import Evaluation, best_of, is_over
from polyprobe.probing.downstream.cross_validation import LabelledRows
from polyprobe.probing.downstream.task_outcomes import TaskOutcome

# As in the bank: products of fewer columns took longer. The columns that are no grade have probability 0.
COLUMNS = 16


def score_regression(
    train_part: LabelledRows,
    dev_part: LabelledRows,
    test_features: np.ndarray,
    spec: ProbeSpec,
    grades: Sequence[int],
    seed: int,
    device: torch.device,
) -> TaskOutcome:
    """Fits a linear layer with softmax to the distributions of the train scores, by squared error and Adam.

    SentEval's `RelatednessPytorch`. After every `epochs_per_evaluation` passes and after the last, Pearson's
    correlation on dev is taken; a constant prediction, which has none, counts as -1.

    Args:
        test_features: float32 `[test pairs, width]`.
        spec: a linear probe; its accuracy on dev is Pearson's correlation here, its weights those of the best dev.
        grades: the lowest and the highest, 1 to 5 for SICK, 0 to 5 for STSB. The released toolkit has 1 to 5 for both:
            of a score below 1 the share of its mass that lies there is left out.
        seed: of initial weights and orders.

    Returns:
        The means of the predicted distributions, float64 `[test pairs]`; Pearson's correlation on dev of the weights
        that predicted; and the passes over train until the end.

    Raises:
        BadValue: `spec` is none of a linear probe that stops as the toolkit does.
        PolyprobeError: a fit is not a number.
    """
    if spec.hidden_size is not None or spec.stopping != "tenacity_never_reset":
        raise BadValue("spec", spec, "a linear probe that stops by tenacity_never_reset")
    fit = _Fit(train_part, spec, grades, seed, device)
    with watched("fitting a regression", "passes", spec.max_epochs) as progress:
        evaluations, kept = _trained(fit, dev_part, spec, progress)
    predictions = fit.predicted(kept, fit.on_device(test_features))
    if not np.isfinite(predictions).all():
        raise PolyprobeError("A fit has failed: the predicted scores are not numbers. Are the features?")
    dev_pearson, passes = evaluations[best_of(evaluations)].accuracy, evaluations[-1].epoch
    return TaskOutcome(predictions, dev=dev_pearson, cell=f"passes={passes}")


def _trained(
    fit: "_Fit", dev_part: LabelledRows, spec: ProbeSpec, progress: WorkProgress
) -> tuple[list[Evaluation], tuple[Tensor, ...]]:
    """Trains until `spec` ends it; returns the evaluations on dev and the parameters of the best."""
    dev, evaluations, kept = fit.on_device(dev_part.features), [], fit.parameters()
    for passes in range(1, spec.max_epochs + 1):
        fit.train_one_pass()
        progress.advance()
        if passes % spec.epochs_per_evaluation and passes < spec.max_epochs:
            continue
        pearson = _pearson(fit.predicted(fit.parameters(), dev), dev_part.gold)
        evaluations.append(Evaluation(passes, pearson, None))
        if best_of(evaluations) == len(evaluations) - 1:
            kept = fit.parameters()
        if is_over(spec, evaluations):
            break
    return evaluations, kept


def grade_distributions(scores: np.ndarray, lowest: int, highest: int) -> np.ndarray:
    """Returns the distribution over grades whose mean is the score: float32 `[pairs, grades]`.

    A score between two grades lies on both: 3.4 is 0.6 of grade 3 and 0.4 of grade 4. Mass on a grade below the lowest
    or above the highest is left out, so that the row then sums to less than 1.

    Args:
        scores: float64 `[pairs]`.
    """
    grades = np.arange(lowest, highest + 1)
    return np.maximum(0.0, 1.0 - np.abs(scores[:, None] - grades)).astype(np.float32)


class _Fit:
    """The layer in training; gradients are written out."""

    def __init__(self, part: LabelledRows, spec: ProbeSpec, grades: Sequence[int], seed: int, device: torch.device):
        self._spec, self._random = spec, ProbeRandom(seed, "scores")
        self._device, self._features = device, torch.from_numpy(part.features).to(device)
        targets = grade_distributions(part.gold, *grades)
        self._n_grades = targets.shape[1]
        self._grades = np.arange(grades[0], grades[1] + 1)
        self._targets = torch.zeros(len(targets), max(COLUMNS, self._n_grades), device=device)
        self._targets[:, : self._n_grades] = torch.from_numpy(targets).to(device)
        self._network = LinearNetwork()
        n_columns = self._targets.shape[1]
        initial = self._network.initial(self._random, self._features.shape[1], self._n_grades, n_columns)
        self._stack = ParameterStack([initial], self._spec, torch.full((1, 1, 1), self._spec.weight_decay), device)

    def on_device(self, numbers: np.ndarray) -> Tensor:
        """Returns numbers where the layer lies."""
        return torch.from_numpy(numbers).to(self._device)

    def parameters(self) -> tuple[Tensor, ...]:
        """Returns a copy of the weights `[width, columns]` and bias `[1, columns]`."""
        return tuple(parameter.clone() for parameter in self._stack.of_family(0))

    @torch.inference_mode()
    def train_one_pass(self) -> None:
        """Sees every pair once, in a new order."""
        order = self.on_device(self._random.order(len(self._targets)))
        features, targets = self._features[order], self._targets[order]
        size = self._spec.batch_size
        for inputs, wanted in zip(features.split(size), targets.split(size), strict=True):
            errors = self._errors(inputs, wanted)
            weight_slopes, bias_slopes = (stacked[0] for stacked in self._stack.gradients)
            torch.mm(inputs.T, errors, out=weight_slopes)
            torch.sum(errors, 0, keepdim=True, out=bias_slopes)
            self._stack.step()

    def _errors(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Returns the gradient of the squared error by the scores of the grades, through the softmax."""
        probabilities = torch.softmax(self._network.scores(self._stack.of_family(0), inputs)[:, :, 0], 1)
        n_terms = len(inputs) * self._n_grades if self._spec.loss_reduction == "mean" else 1
        slopes = (probabilities - targets).mul_(2 / n_terms)
        mean_slopes = (slopes * probabilities).sum(1, keepdim=True)
        return slopes.sub_(mean_slopes).mul_(probabilities)

    @torch.inference_mode()
    def predicted(self, parameters: tuple[Tensor, ...], features: Tensor) -> np.ndarray:
        """Returns the means of the predicted distributions: float64 `[pairs]`."""
        scores = self._network.scores(parameters, features)[:, : self._n_grades, 0]
        return torch.softmax(scores.double(), 1).cpu().numpy() @ self._grades


def _pearson(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Returns Pearson's correlation; -1 where it is not defined."""
    if predicted.std() == 0 or gold.std() == 0:
        return -1.0
    return float(np.corrcoef(predicted, gold)[0, 1])
