"""The cross-entropy of probes: what an example counts in the loss of its mini-batch, and the loss on dev."""

import torch
from torch import Tensor


def label_weights(train_labels: Tensor, n_labels: int, loss_weights: str) -> Tensor:
    """Returns what an example of each label weighs, before the mean over a batch: float32 `[labels]`.

    By inverse frequency: train examples / (labels in train x examples of the label), as scikit-learn's "balanced"; a
    label that train lacks weighs nothing.

    Args:
        loss_weights: of `ProbeSpec`.
    """
    if loss_weights == "none":
        return torch.ones(n_labels, device=train_labels.device)
    counts = torch.bincount(train_labels, minlength=n_labels)
    weights = len(train_labels) / (int((counts > 0).sum()) * counts.clamp(min=1))
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


def cross_entropies(scores: Tensor, labels: Tensor) -> Tensor:
    """Returns the cross-entropy of every example in nats: float64 `[examples]`, of scores `[examples, labels]`."""
    return -torch.log_softmax(scores.double(), 1).gather(1, labels[:, None])[:, 0]


def mean_losses(gold_probabilities: Tensor) -> list[float]:
    """Returns the mean cross-entropy of each member, in nats, of `[examples, members]`."""
    smallest = torch.finfo(gold_probabilities.dtype).tiny
    return (-gold_probabilities.clamp(min=smallest).log().mean(0)).tolist()
