"""What a user reads while a model trains, by a clock of our own."""

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Checkpoint
from torch.utils.data import DataLoader
from torchmetrics import MeanMetric

from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.history import History
from polyprobe.training.callbacks.progress import EpochLines, RunProgressBar


class Clock:
    """Goes on by as many seconds at each step of training."""

    def __init__(self, seconds):
        self.now, self.seconds = 100.0, seconds

    def __call__(self):
        return self.now


class Ticking(pl.Callback):
    def __init__(self, clock):
        self.clock = clock

    def on_train_batch_start(self, *_):
        self.clock.now += self.clock.seconds


class Model(pl.LightningModule):
    """Has a loss of 1, 2, 3, 4 in each epoch."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self.train_loss = MeanMetric()

    def on_train_epoch_start(self):
        self.train_loss.reset()

    def training_step(self, batch, batch_index):
        loss = self.weight * 0 + batch_index + 1
        self.train_loss.update(loss.detach())
        return loss

    def validation_step(self, batch, batch_index):
        pass

    def on_validation_epoch_end(self):
        self.log("train/loss", self.train_loss.compute())
        self.log("dev/accuracy", 0.25)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def fit(tmp_path, clock, callbacks, n_epochs=2):
    options = {"logger": False, "enable_progress_bar": any(isinstance(one, RunProgressBar) for one in callbacks)}
    data = DataLoader(torch.zeros(4, 1))
    trainer = pl.Trainer(
        max_epochs=n_epochs, accelerator="cpu", enable_model_summary=False, num_sanity_val_steps=0,
        default_root_dir=tmp_path, callbacks=[Ticking(clock), *callbacks], **options,
    )  # fmt: skip
    trainer.fit(Model(), data, data)
    return trainer


def history(tmp_path):
    made = History(RunDirectory(tmp_path), "dev/accuracy", patience=None)
    made.rows = [{"epoch": 0.0}]
    return made


def test_a_long_epoch_has_a_line_a_minute_with_the_loss_so_far_and_the_time_left(tmp_path, capsys):
    clock, of_run = Clock(40), history(tmp_path)
    fit(tmp_path, clock, [of_run, EpochLines(of_run, clock=clock)])
    assert capsys.readouterr().out.splitlines() == [
        "epoch  1  train/loss 1.5000  batch 2 of 4  left: 0:01:20 of the epoch, 0:04:00 of the run",
        "epoch  1  train/loss 2.5000  batch 4 of 4  left: 0:00:00 of the epoch, 0:02:40 of the run",
        "epoch  1  train/loss 2.5000  dev/accuracy 0.2500  160.0 s",
        "epoch  2  train/loss 1.5000  batch 2 of 4  left: 0:01:20 of the epoch, 0:01:20 of the run",
        "epoch  2  train/loss 2.5000  batch 4 of 4  left: 0:00:00 of the epoch, 0:00:00 of the run",
        "epoch  2  train/loss 2.5000  dev/accuracy 0.2500  160.0 s",
    ]


@pytest.mark.parametrize(
    ("tests", "shown"),
    [
        ({"probe/l1/Case": 0.5, "clams/en/mean": 0.75}, "probe/l1/Case 0.5000  clams/en/mean 0.7500"),
        ({f"probe/l1/{number}": number / 2 for number in range(13)}, "probe/l1/mean 3.0000"),
    ],
)
def test_the_scores_of_tests_stand_in_the_line_of_their_epoch_of_many_the_mean(tests, shown, tmp_path, capsys):
    clock, of_run = Clock(1), history(tmp_path)
    of_run.rows[0] |= tests
    measuring = Checkpoint()
    measuring.on_train_epoch_end = lambda *_: of_run.rows[-1].update(tests)
    fit(tmp_path, clock, [of_run, measuring, EpochLines(of_run, clock=clock)], n_epochs=1)
    assert capsys.readouterr().out.splitlines() == [
        f"epoch  0  {shown}",
        f"epoch  1  train/loss 2.5000  dev/accuracy 0.2500  {shown}  4.0 s",
    ]


def test_the_bar_has_the_time_left_of_the_run(tmp_path):
    clock = Clock(30)
    bar, found = RunProgressBar(clock), []
    shown = bar.get_metrics
    bar.get_metrics = lambda *given: found.append(shown(*given)) or found[-1]
    fit(tmp_path, clock, [bar])
    left = [one["left of the run"] for one in found]
    assert list(dict.fromkeys(left)) == [f"0:0{seconds // 60}:{seconds % 60:02d}" for seconds in range(210, -1, -30)]
