"""The probe as one would train it without a bank: by a Lightning Trainer, and in a tight torch loop.

Both do what the bank does: the same network, optimiser and stopping rule, dev accuracy as often, the best epoch's
weights on test. They know the rules that LINSPECTOR and SentEval need, no weights or sums in the loss.
"""

import copy
from dataclasses import dataclass

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from polyprobe.probing.bank.stopping import Evaluation, best_of, is_over


@dataclass(frozen=True, slots=True)
class Trained:
    """Epochs that a probe took, and its accuracy on test."""

    epochs: int
    accuracy: float


class Splits:
    """The vectors of each split, gathered once: `[examples, input width]`, and labels `[examples]`."""

    def __init__(self, data: ProbeData):
        self.train, self.dev, self.test = (
            (data.vectors[getattr(data, f"{split}_rows")].flatten(1), getattr(data, f"{split}_labels"))
            for split in ("train", "dev", "test")
        )


def network_of(input_width: int, n_labels: int, spec: ProbeSpec) -> nn.Sequential:
    """Builds the probe of torch's modules."""
    if spec.hidden_size is None:
        return nn.Sequential(nn.Linear(input_width, n_labels))
    between = [{"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh}[spec.activation](), nn.Dropout(spec.dropout)]
    if spec.dropout_place == "before_activation":
        between.reverse()
    return nn.Sequential(nn.Linear(input_width, spec.hidden_size), *between, nn.Linear(spec.hidden_size, n_labels))


class LightningProbe(pl.LightningModule):
    """The probe as a plain LightningModule."""

    def __init__(self, input_width: int, n_labels: int, spec: ProbeSpec):
        super().__init__()
        self.spec, self.evaluations, self.best_weights = spec, [], {}
        self.network = network_of(input_width, n_labels, spec)

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
        vectors, labels = batch
        return F.cross_entropy(self.network(vectors), labels)

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
        vectors, labels = batch
        self.log("accuracy", (self.network(vectors).argmax(1) == labels).float().mean())

    def on_validation_epoch_end(self) -> None:
        accuracy = self.trainer.callback_metrics["accuracy"].item()
        self.evaluations.append(Evaluation(self.current_epoch + 1, accuracy, None))
        if best_of(self.evaluations) == len(self.evaluations) - 1:
            self.best_weights = copy.deepcopy(self.network.state_dict())
        self.trainer.should_stop = is_over(self.spec, self.evaluations)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return _adam(self.parameters(), self.spec)


def train_by_lightning(job: ProbeJob) -> Trained:
    """Trains one probe with a Trainer that has no logger, bar or checkpoints."""
    torch.manual_seed(job.seed)
    spec, splits = job.spec, Splits(job.data)
    probe = LightningProbe(job.data.input_width, job.data.n_labels, spec)
    trainer = pl.Trainer(
        accelerator="cpu",
        max_epochs=spec.max_epochs,
        check_val_every_n_epoch=spec.epochs_per_evaluation,
        gradient_clip_val=spec.gradient_clamp,
        gradient_clip_algorithm="value",
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    train = DataLoader(TensorDataset(*splits.train), spec.batch_size, shuffle=True)
    trainer.fit(probe, train, DataLoader(TensorDataset(*splits.dev), len(splits.dev[1])))
    probe.network.load_state_dict(probe.best_weights)
    probe.eval()
    with torch.no_grad():
        accuracy = _accuracy(probe.network(splits.test[0]), splits.test[1])
    return Trained(probe.evaluations[-1].epoch, accuracy)


class TightProbe:
    """Parameters and forward pass of the probe as bare tensors."""

    def __init__(self, input_width: int, n_labels: int, spec: ProbeSpec):
        self.parameters = [parameter.detach() for parameter in network_of(input_width, n_labels, spec).parameters()]
        self._activation = {"relu": F.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}[spec.activation]
        self._dropout, self._drops_first = spec.dropout, spec.dropout_place == "before_activation"
        for parameter in self.parameters:
            parameter.requires_grad_()

    def scores(self, vectors: Tensor, is_training: bool) -> Tensor:
        if len(self.parameters) == 2:
            return F.linear(vectors, *self.parameters)
        hidden_weights, hidden_bias, weights, bias = self.parameters
        hidden = F.linear(vectors, hidden_weights, hidden_bias)
        drops = is_training and self._dropout > 0
        if drops and self._drops_first:
            hidden = F.dropout(hidden, self._dropout)
        hidden = self._activation(hidden)
        if drops and not self._drops_first:
            hidden = F.dropout(hidden, self._dropout)
        return F.linear(hidden, weights, bias)


def train_by_tight_loop(job: ProbeJob) -> Trained:
    """Trains one probe with autograd and fused Adam, rows gathered once per epoch, nothing else in the loop."""
    torch.manual_seed(job.seed)
    spec, splits = job.spec, Splits(job.data)
    probe = TightProbe(job.data.input_width, job.data.n_labels, spec)
    optimizer, evaluations, test_accuracy = _adam(probe.parameters, spec), [], float("nan")
    for epoch in range(1, spec.max_epochs + 1):
        _tight_epoch(probe, optimizer, *splits.train, spec)
        if epoch % spec.epochs_per_evaluation and epoch < spec.max_epochs:
            continue
        with torch.no_grad():
            accuracy = _accuracy(probe.scores(splits.dev[0], False), splits.dev[1])
            evaluations.append(Evaluation(epoch, accuracy, None))
            if best_of(evaluations) == len(evaluations) - 1:
                test_accuracy = _accuracy(probe.scores(splits.test[0], False), splits.test[1])
        if is_over(spec, evaluations):
            break
    return Trained(epoch, test_accuracy)


def _tight_epoch(
    probe: TightProbe, optimizer: torch.optim.Optimizer, vectors: Tensor, labels: Tensor, spec: ProbeSpec
) -> None:
    order = torch.randperm(len(labels))
    vectors, labels = vectors[order], labels[order]
    for start in range(0, len(labels), spec.batch_size):
        scores = probe.scores(vectors[start : start + spec.batch_size], True)
        loss = F.cross_entropy(scores, labels[start : start + spec.batch_size])
        optimizer.zero_grad()
        loss.backward()
        if spec.gradient_clamp is not None:
            for parameter in probe.parameters:
                parameter.grad.clamp_(-spec.gradient_clamp, spec.gradient_clamp)
        optimizer.step()


def _adam(parameters, spec: ProbeSpec) -> torch.optim.Adam:
    return torch.optim.Adam(
        parameters, spec.learning_rate, spec.adam_betas, spec.adam_epsilon, spec.weight_decay, fused=True
    )


def _accuracy(scores: Tensor, labels: Tensor) -> float:
    return (scores.argmax(1) == labels).double().mean().item()
