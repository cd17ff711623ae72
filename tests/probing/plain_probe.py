"""A probe as torch would train it, alone: modules, autograd, torch's Adam, counters in a loop."""

from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor, nn

from polyprobe.models.layers.probe_random import ProbeRandom, kept_share
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.chunk import gathered_examples
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob

ACTIVATIONS = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh}


class GivenDropout(nn.Module):
    """Dropout with masks that were drawn elsewhere."""

    def __init__(self, share: float):
        super().__init__()
        self.share, self.kept = share, None

    def forward(self, hidden):
        return hidden if self.kept is None else hidden * self.kept / self.share


@dataclass
class PlainOutcome:
    """What a plain training gives; lists have an element per epoch or per evaluation."""

    train_losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    kept_epoch: int = 0
    test_losses: Tensor | None = None


def plain_module(data: ProbeData, spec: ProbeSpec, random: ProbeRandom) -> nn.Sequential:
    """The network with the initial weights that the bank draws."""
    sizes = [data.input_width, *([spec.hidden_size] if spec.hidden_size else []), data.n_labels]
    linear = []
    for n_inputs, n_outputs in pairwise(sizes):
        linear.append(nn.Linear(n_inputs, n_outputs))
        linear[-1].weight.data = torch.from_numpy(random.uniform((n_inputs, n_outputs), n_inputs**-0.5)).T.contiguous()
        linear[-1].bias.data = torch.from_numpy(random.uniform((n_outputs,), n_inputs**-0.5))
    if spec.hidden_size is None:
        return nn.Sequential(*linear)
    between = [ACTIVATIONS[spec.activation](), GivenDropout(kept_share(spec.dropout))]
    if spec.dropout_place == "before_activation":
        between.reverse()
    return nn.Sequential(linear[0], *between, linear[1])


def set_dropout(module: nn.Sequential, kept: Tensor | None) -> None:
    for layer in module:
        if isinstance(layer, GivenDropout):
            layer.kept = kept


class PlainProbe:
    """One probe in training; order and masks are those that the bank draws."""

    def __init__(self, job: ProbeJob):
        self.data, self.spec = job.data, job.spec
        self.random = ProbeRandom(job.seed, job.key)
        self.module = plain_module(job.data, job.spec, self.random)
        self.adam = torch.optim.Adam(
            self.module.parameters(),
            job.spec.learning_rate,
            job.spec.adam_betas,
            job.spec.adam_epsilon,
            weight_decay=job.spec.weight_decay,
        )
        self.loss = nn.CrossEntropyLoss(plain_weights(job.data, job.spec), reduction=job.spec.loss_reduction)
        self.inputs = job.data.vectors[job.data.train_rows].flatten(1)

    def epoch(self) -> float:
        """Trains an epoch; returns the mean unweighted loss."""
        order, total = torch.arange(self.data.n_train), 0.0
        if self.spec.order == "shuffled":
            order = torch.from_numpy(self.random.order(self.data.n_train))
        for rows in order.split(gathered_examples(self.spec.batch_size)):
            kept = self._kept(len(rows))
            for batch, mask in zip(rows.split(self.spec.batch_size), kept, strict=True):
                set_dropout(self.module, mask)
                total += self._step(batch)
        set_dropout(self.module, None)
        return total / self.data.n_train

    def _kept(self, n_rows: int) -> list[Tensor | None]:
        if not self.spec.dropout:
            return [None] * -(-n_rows // self.spec.batch_size)
        drawn = torch.from_numpy(self.random.kept(n_rows * self.spec.hidden_size, self.spec.dropout).copy())
        return list(drawn.view(n_rows, -1).float().split(self.spec.batch_size))

    def _step(self, batch: Tensor) -> float:
        scores, labels = self.module(self.inputs[batch]), self.data.train_labels[batch]
        self.adam.zero_grad()
        (self.loss(scores, labels) + plain_penalty(self.module, self.spec)).backward()
        if self.spec.gradient_clamp is not None:
            nn.utils.clip_grad_value_(self.module.parameters(), self.spec.gradient_clamp)
        self.adam.step()
        return nn.functional.cross_entropy(scores, labels, reduction="sum").item()

    @torch.no_grad()
    def dev(self) -> tuple[float, float]:
        """Returns accuracy, and the loss as RuSentEval has it: mean of the batches' means."""
        scores, labels = self.module(self.data.vectors[self.data.dev_rows].flatten(1)), self.data.dev_labels
        loss = nn.CrossEntropyLoss(self.loss.weight)
        size = self.spec.dev_batch_size
        means = [loss(part, gold).item() for part, gold in zip(scores.split(size), labels.split(size), strict=True)]
        return (scores.argmax(1) == labels).double().mean().item(), sum(means) / len(means)

    @torch.no_grad()
    def losses_on_test(self) -> Tensor:
        scores = self.module(self.data.vectors[self.data.test_rows].flatten(1))
        return nn.functional.cross_entropy(scores, self.data.test_labels, reduction="none")


def plain_penalty(module: nn.Sequential, spec: ProbeSpec) -> Tensor | float:
    """The elastic net as its formula stands, of a linear probe."""
    net = spec.elastic_net
    if net is None:
        return 0.0
    weights = module[0].weight
    squares = weights.square().sum()
    return net.l1 * weights.abs().sum() + net.l2 * (squares if net.penalty == "squared" else squares.sqrt())


def plain_weights(data: ProbeData, spec: ProbeSpec) -> Tensor | None:
    """What scikit-learn calls balanced, from the labels of train."""
    if spec.loss_weights == "none":
        return None
    counts = torch.bincount(data.train_labels, minlength=data.n_labels).float()
    return data.n_train / (data.n_labels * counts)


def plain_training(job: ProbeJob) -> PlainOutcome:
    """Trains one probe by the stopping rule of its spec, with a counter as the released codes have it."""
    probe, spec, outcome = PlainProbe(job), job.spec, PlainOutcome()
    best_accuracy, lowest_loss, n_without_gain, n_without_fall = -1.0, 1e9, 0, 0
    while len(outcome.train_losses) < spec.max_epochs:
        outcome.train_losses.append(probe.epoch())
        n_epochs = len(outcome.train_losses)
        if n_epochs % spec.epochs_per_evaluation and n_epochs < spec.max_epochs:
            continue
        accuracy, loss = probe.dev()
        outcome.accuracies.append(accuracy)
        gains, falls = accuracy > best_accuracy, loss < lowest_loss
        has_risen = not round(loss, 3) < round(lowest_loss, 3)
        if {"best_dev": gains, "lowest_dev_loss": falls}.get(spec.kept_weights, True):
            outcome.kept_epoch, outcome.test_losses = n_epochs, probe.losses_on_test()
        n_without_fall = 0 if falls else n_without_fall + 1
        resets = gains and spec.stopping == "patience"
        n_without_gain = 0 if resets else n_without_gain + (not gains)
        best_accuracy, lowest_loss = max(accuracy, best_accuracy), min(loss, lowest_loss)
        is_over = {
            "patience": n_without_gain >= spec.patience,
            "tenacity_never_reset": n_without_gain > spec.patience,
            "patience_of_dev_loss": n_without_fall >= spec.patience,
            "first_rise_of_dev_loss": has_risen,
            "none": False,
        }
        if is_over[spec.stopping]:
            break
    return outcome
