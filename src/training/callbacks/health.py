"""What looks as if a network did not learn: said in a line at the end of an epoch, and nothing where all is well.

Looked at: the loss over the second half of the epoch, as it is logged, against that of the prior of labels; in the last
batch of the epoch the tanh units of classifiers of pairs and the gates of convolutions that are saturated (LSTMs
compute theirs inside one node of the graph, unseen here); the norm of all gradients together, before it is clipped.
"""

from collections.abc import Iterator
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from polyprobe.display.shown import say
from polyprobe.models.base.task_model import TaskModel

SATURATED_AT = 2.65
"""tanh is 0.99 there, and its slope a fiftieth of that at 0; the logistic function has the same at twice as much."""

MOST_SATURATED = 0.5
MOST_CLIPPED = 10.0  # times the norm to which gradients are clipped


class TrainingHealth(pl.Callback):
    """Measures what is cheap, and says what is alarming.

    Args:
        prior_loss: see `TaskDataModule.prior_loss`.
    """

    def __init__(self, prior_loss: float | None):
        self.prior_loss = prior_loss
        self._hooks: list[RemovableHandle] = []
        self._saturated: dict[str, Tensor] = {}
        self._first_half = torch.zeros(2)

    def on_train_batch_start(self, trainer: pl.Trainer, module: TaskModel, batch: Any, batch_index: int) -> None:
        if batch_index == trainer.num_training_batches // 2:
            self._first_half = _summed_losses(module)
        if trainer.is_last_batch:
            parts = ((name, part) for name, part in module.named_modules() if isinstance(part, nn.Tanh | nn.GLU))
            self._hooks = [part.register_forward_hook(self._look_at(name)) for name, part in parts]

    def on_train_batch_end(self, trainer: pl.Trainer, module: TaskModel, *_: Any) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def on_train_epoch_end(self, trainer: pl.Trainer, module: TaskModel) -> None:
        complaints = list(self._complaints(module))
        if complaints and trainer.is_global_zero:
            say(f"epoch {trainer.current_epoch + 1:2d}  warning: {'; '.join(complaints)}.")

    def _complaints(self, module: TaskModel) -> Iterator[str]:
        losses, n_items = (_summed_losses(module) - self._first_half).tolist()
        loss = losses / max(n_items, 1)
        if self.prior_loss is not None and loss > self.prior_loss:
            prior = f"that of the prior of labels, {self.prior_loss:.4f}"
            yield f"the loss of its second half, {loss:.4f}, is above {prior}"
        for name, share in self._saturated.items():
            if share > MOST_SATURATED:
                yield f"{float(share):.0%} of the units of {name} are saturated (inputs too large)"
        norm = float(torch.stack(module.gradient_norms).median()) if module.gradient_norms else 0.0
        if module.clip_norm is not None and norm > MOST_CLIPPED * module.clip_norm:
            yield f"the norm of gradients is {norm:.3g} (median), clipped to {module.clip_norm:g}"

    def _look_at(self, name: str) -> Any:
        @torch.no_grad()
        def look(part: nn.Module, inputs: tuple[Tensor], output: Tensor) -> None:
            numbers = inputs[0].chunk(2, part.dim)[1] / 2 if isinstance(part, nn.GLU) else inputs[0]
            self._saturated[name] = (numbers.abs() > SATURATED_AT).float().mean()

        return look


def _summed_losses(module: TaskModel) -> Tensor:
    """Returns the sum of losses of the epoch so far, and of what they are divided by: `[2]`."""
    return torch.stack([module.train_loss.mean_value, module.train_loss.weight])
