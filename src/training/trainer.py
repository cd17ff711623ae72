"""The Lightning Trainer of a training run: quiet where users need no word, each step seeded, a line for each epoch.

Where a network looks as if it did not learn, that is said at the end of an epoch (`TrainingHealth`).
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ProgressBar, RichProgressBar
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from polyprobe.display.shown import is_quiet, say
from polyprobe.errors import PolyprobeError
from polyprobe.models.base.distributed_processes import watch_each_other
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.models.base.task_model import TaskModel
from polyprobe.seeds import derived_seed
from polyprobe.training.settings import TrainerSettings


def make_trainer(
    settings: TrainerSettings, folder: Path, callbacks: Sequence[pl.Callback], plugins: Sequence[Any] = ()
) -> pl.Trainer:
    """Makes the Trainer that the settings say.

    Sharding of batches is ours (`use_distributed_sampler=False`): Lightning's sampler repeats examples to fill the last
    batch, which would be counted twice.
    """
    environment = own_environment(settings.num_nodes) if settings.several_processes else []
    if settings.several_processes:
        watch_each_other()
    machine = {key: getattr(settings, key) for key in ("accelerator", "devices", "strategy", "precision")}
    trainer = trainer_on(
        machine,
        max_epochs=settings.max_epochs,
        accumulate_grad_batches=settings.accumulate,
        default_root_dir=folder,
        callbacks=list(callbacks),
        plugins=[*plugins, *environment],
        num_nodes=settings.num_nodes,
        use_distributed_sampler=False,
        num_sanity_val_steps=0,
        inference_mode=False,  # counts made in inference mode cannot be added to outside of it
        enable_progress_bar=any(isinstance(one, ProgressBar) for one in callbacks),
    )
    _check_not_replaced(str(settings.precision), trainer)
    # Its handler of SIGTERM first sends to all ranks, and waits for them: the process ends by its own handler alone.
    trainer._signal_connector.register_signal_handlers = lambda: None
    return trainer


def _check_not_replaced(precision: str, trainer: pl.Trainer) -> None:
    """Refuses float16 on a CPU, in whose place Lightning takes bfloat16."""
    if precision.startswith("16") and trainer.precision == "bf16-mixed":
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")


class StepSeeds(pl.Callback):
    """Seeds torch before every training batch from (seed, step, rank, accumulated piece).

    So a resumed run draws what it would have drawn, and dropout needs no saved generator state.
    """

    def __init__(self, seed: int):
        self.seed = seed

    def on_train_batch_start(
        self, trainer: pl.Trainer, module: pl.LightningModule, batch: Any, batch_index: int
    ) -> None:
        piece = batch_index % trainer.accumulate_grad_batches
        names = ("step", trainer.global_step, trainer.global_rank, *([piece] if piece else []))
        seed = derived_seed(self.seed, *names)
        if module.device.type == "cpu":  # else torch notes the seed and a traceback for GPUs: half a millisecond
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)


def progress(monitor: str) -> pl.Callback:
    """Returns a progress bar where someone is looking, else a line for every epoch."""
    return RichProgressBar() if sys.stdout.isatty() and not is_quiet() else EpochLines(monitor)


class EpochLines(pl.Callback):
    """Prints one line for every epoch: loss, the monitored metric, beside BLEU (0 at first) the perplexity, seconds."""

    def __init__(self, monitor: str):
        self.monitor = monitor
        self._start = 0.0

    def on_train_epoch_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._start = time.perf_counter()

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        metrics = trainer.callback_metrics
        seconds = time.perf_counter() - self._start
        names = ["train/loss", self.monitor, *(["dev/perplexity"] if self.monitor == "dev/bleu" else [])]
        numbers = [f"{name} {float(metrics[name]):.4f}" for name in names if name in metrics]
        say(f"epoch {trainer.current_epoch + 1:2d}  {'  '.join(numbers)}  {seconds:.1f} s")


SATURATED_AT = 2.65
"""tanh is 0.99 there, and its slope a fiftieth of that at 0; the logistic function has the same at twice as much."""

MOST_SATURATED = 0.5
MOST_CLIPPED = 10.0  # times the norm to which gradients are clipped


class TrainingHealth(pl.Callback):
    """Measures what is cheap, and says what is alarming: what looks as if a network did not learn.

    Nothing is said where all is well. Looked at: the loss over the second half of the epoch, as it is logged, against
    that of the prior of labels; in the last batch of the epoch the tanh units of classifiers of pairs and the gates of
    convolutions that are saturated (LSTMs compute theirs inside one node of the graph, unseen here); the norm of all
    gradients together, before it is clipped.

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
