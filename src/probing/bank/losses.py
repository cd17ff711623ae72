"""How much an example counts in the loss of its mini-batch."""

import torch
from torch import Tensor

from src.probing.bank.jobs import ProbeData
from src.probing.bank.probe_spec import ProbeSpec


def label_weights(data: ProbeData, spec: ProbeSpec) -> Tensor:
    """Returns what an example of each label weighs, before the mean over a batch: float32 `[labels]`.

    By inverse frequency: train examples / (labels in train x examples of the label), as scikit-learn's "balanced"; a
    label that train lacks weighs nothing.
    """
    if spec.loss_weights == "none":
        return torch.ones(data.n_labels, device=data.train_labels.device)
    counts = torch.bincount(data.train_labels, minlength=data.n_labels)
    weights = data.n_train / (int((counts > 0).sum()) * counts.clamp(min=1))
    return torch.where(counts > 0, weights, 0.0)


def divide_by_batch(weights: Tensor, batch_size: int) -> None:
    """Divides the weights of each mini-batch by their sum, in place: `[examples]`, whole mini-batches."""
    batches = weights.view(-1, batch_size)
    batches.div_(batches.sum(1, keepdim=True))


def mean_of_batch_means(losses: Tensor, weights: Tensor, batch_size: int) -> float:
    """Returns the mean over batches of the weighted mean loss of a batch, as RuSentEval's released code scores dev.

    Args:
        losses, weights: float64 `[examples]`.
    """
    batches = zip(losses.split(batch_size), weights.split(batch_size), strict=True)
    return torch.stack([(loss * weight).sum() / weight.sum() for loss, weight in batches]).mean().item()
