"""What a user sees of a training run: a bar on a terminal, a line per epoch elsewhere."""

import sys
import time

import pytorch_lightning as pl
from pytorch_lightning.callbacks import RichProgressBar

from polyprobe.display.shown import is_quiet, say


def progress(monitor: str) -> pl.Callback:
    """Returns a progress bar where someone is looking, else a line for every epoch."""
    return RichProgressBar() if sys.stdout.isatty() and not is_quiet() else EpochLines(monitor)


class EpochLines(pl.Callback):
    """Prints one line for every epoch: loss, the monitored metric, beside BLEU (0 at first) the perplexity, seconds.

    Args:
        monitor: the metric to print.
    """

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
