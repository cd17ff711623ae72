"""The probe of LINSPECTOR (Şahin et al. 2020, section 4.3) as a LightningModule: one hidden layer, or none."""

from itertools import pairwise
from typing import NamedTuple

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.layers.probe_arithmetic import activated, cross_entropy, padded_columns, whole_batch
from polyprobe.models.layers.probe_loss import cross_entropies, divide_by_batch, mean_of_batch_means
from polyprobe.models.layers.probe_random import ProbeRandom, gathered_examples, kept_share
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import columns_of

UNIT = 64  # of the length of all parameters together: Adam's vectorised steps then round all of them alike


class ProbeBatch(NamedTuple):
    """Examples of one split."""

    vectors: Tensor
    """float32 `[examples, width]`."""
    labels: Tensor
    """int64 `[examples]`."""
    weights: Tensor
    """What each counts in the loss before its mean is taken: float32 `[examples]`."""


class MLPProbe(pl.LightningModule):
    """Linear, activation, dropout, Linear (or one Linear alone), trained with cross-entropy and Adam.

    On a CPU it comes out bit for bit as a probe of the bank does, when one thread trains it on a `ProbeDataModule` of
    the same seed and key (see `probe_arithmetic`).

    Args:
        input_width: numbers of a vector.
        n_labels: distinct labels.
        spec: of everything else; an elastic net is for the bank alone.
        seed, key: of initial weights and dropout; see `ProbeRandom`.

    Attributes:
        weights_in_one: all weights and biases; `layers` has each in its shape.
        predictions: of the last pass over dev or test, int64 `[examples]`.
        losses: likewise, cross-entropy in nats, float64 `[examples]`.
    """

    def __init__(self, input_width: int, n_labels: int, spec: ProbeSpec, seed: int = 1, key: str = "probe"):
        super().__init__()
        assert spec.elastic_net is None
        self.spec, self.n_labels, self.columns = spec, n_labels, columns_of(n_labels, spec)
        self.random = ProbeRandom(seed, key)
        widths = pairwise([input_width, *([spec.hidden_size] if spec.hidden_size else []), n_labels])
        self.shapes = [shape for inputs, outputs in widths for shape in ((inputs, outputs), (1, outputs))]
        bounds = [shapes[0] ** -0.5 for shapes in self.shapes[::2] for _ in range(2)]
        drawn = [self.random.uniform(*one) for one in zip(self.shapes, bounds, strict=True)]
        flat = torch.cat([torch.from_numpy(one).flatten() for one in drawn])
        self.weights_in_one = nn.Parameter(F.pad(flat, (0, -len(flat) % UNIT)))
        self._kept = torch.empty(0)
        self._train_losses: list[Tensor] = []
        self._scored: list[tuple[Tensor, ProbeBatch]] = []

    def layers(self) -> list[Tensor]:
        """Returns views of the weights `[inputs, outputs]` and biases `[1, outputs]` of each layer, the first first."""
        sizes = [torch.Size(shape).numel() for shape in self.shapes]
        pieces = self.weights_in_one[: sum(sizes)].split(sizes)
        return [piece.view(shape) for piece, shape in zip(pieces, self.shapes, strict=True)]

    def forward(self, vectors: Tensor) -> Tensor:
        """Scores the labels without dropout: `[examples, labels]`."""
        return self._scores(vectors)[:, : self.n_labels]

    def on_train_epoch_start(self) -> None:
        self._train_losses.clear()

    def training_step(self, batch: ProbeBatch, batch_idx: int) -> Tensor:
        n_examples = len(batch.labels)
        vectors, labels, weights = (whole_batch(one, self.spec.batch_size) for one in batch)
        if self.spec.loss_reduction == "mean":
            divide_by_batch(weights, self.spec.batch_size)
        scores = self._scores_in_training(vectors, self._dropout_mask(batch_idx, n_examples))
        losses = cross_entropy(scores, labels, self.columns)
        self._train_losses.append(losses.detach()[:n_examples])
        loss = (losses * weights).sum()
        self.log("train/loss", loss, on_step=False, on_epoch=True, batch_size=n_examples)
        return loss

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Clamps the gradient, then adds weight decay, as torch.optim.Adam would."""
        gradient = self.weights_in_one.grad
        if self.spec.gradient_clamp is not None:
            gradient.clamp_(-self.spec.gradient_clamp, self.spec.gradient_clamp)
        if self.spec.weight_decay:
            gradient.add_(self.weights_in_one.detach() * self.spec.weight_decay)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        spec = self.spec
        return torch.optim.Adam(
            [self.weights_in_one], spec.learning_rate, spec.adam_betas, spec.adam_epsilon, fused=True
        )

    def validation_step(self, batch: ProbeBatch, batch_idx: int) -> None:
        self._scored.append((self._scores(batch.vectors), batch))

    def on_validation_epoch_end(self) -> None:
        self._log_scores("dev")

    test_step = validation_step

    def on_test_epoch_end(self) -> None:
        self._log_scores("test")

    def mean_train_loss(self) -> float:
        """Returns the mean cross-entropy of the epoch that has ended, dropout included, in nats, without weights."""
        # With as many columns as the bank has: how a mean rounds depends on the shape.
        return torch.cat(self._train_losses)[:, None].expand(-1, self.columns.n_members).contiguous().mean(0)[0].item()

    def _log_scores(self, split: str) -> None:
        scores = torch.cat([scores for scores, _ in self._scored])
        labels, weights = (torch.cat([getattr(batch, of) for _, batch in self._scored]) for of in ("labels", "weights"))
        self._scored.clear()
        self.predictions, self.losses = scores.argmax(1), cross_entropies(scores, labels)
        self.loss = mean_of_batch_means(self.losses, weights.double(), self.spec.dev_batch_size)
        self.log(f"{split}/accuracy", (self.predictions == labels).double().mean(), prog_bar=True)
        self.log(f"{split}/loss", self.loss)

    def _scores(self, vectors: Tensor) -> Tensor:
        """Scores the labels without dropout, those that pad them included: `[examples, labels]`."""
        *hidden, weights, bias = self.layers()
        weights, bias = padded_columns(weights, bias, self.columns)
        if hidden:
            vectors = activated(torch.addmm(hidden[1], vectors, hidden[0]), self.spec.activation)
        columns, n_members = self.columns, self.columns.n_members
        return torch.addmm(bias, vectors, weights)[:, : columns.n_labels * n_members : n_members]

    def _scores_in_training(self, vectors: Tensor, kept: Tensor | None) -> Tensor:
        """Scores a mini-batch, in products of a stack of one: `[1, examples, columns]`."""
        *hidden, weights, bias = self.layers()
        weights, bias = (one[None] for one in padded_columns(weights, bias, self.columns))
        if not hidden:
            return torch.baddbmm(bias, vectors[None], weights)
        sums, scale = torch.baddbmm(hidden[1][None], vectors[None], hidden[0][None]), 1 / kept_share(self.spec.dropout)
        if self.spec.dropout_place == "before_activation":
            sums = sums if kept is None else sums * (kept * scale)
            return torch.baddbmm(bias, activated(sums, self.spec.activation), weights)
        outputs = activated(sums, self.spec.activation)
        if kept is None:
            return torch.bmm(outputs, weights) + bias
        return torch.bmm(outputs * kept, weights) * scale + bias

    def _dropout_mask(self, batch_idx: int, n_examples: int) -> Tensor | None:
        """Draws which hidden components of a mini-batch are kept: float32 `[batch size, hidden]`."""
        spec = self.spec
        if not spec.dropout:
            return None
        block, start = gathered_examples(spec.batch_size), batch_idx * spec.batch_size
        if start % block == 0:
            n_drawn = min(block, len(self.trainer.train_dataloader.dataset) - start)
            drawn = self.random.kept(n_drawn * spec.hidden_size, spec.dropout)
            self._kept = torch.from_numpy(drawn).view(n_drawn, -1)
        place = start % block
        kept = self._kept[place : place + n_examples].to(self.device, torch.float32)
        return whole_batch(kept, spec.batch_size)
