"""What a run's history writes and sends: every metric of an epoch once, whenever it is known."""

from types import SimpleNamespace

import pytest

from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.history import History


class Received:
    """Stands for a dashboard: keeps what it is sent."""

    def __init__(self):
        self.sent = []

    def log_metrics(self, metrics, step):
        self.sent.append((step, metrics))


def trained(step=0, **metrics):
    return SimpleNamespace(is_global_zero=True, callback_metrics=metrics, global_step=step)


@pytest.fixture
def history(tmp_path):
    made = History(RunDirectory(tmp_path), "dev/accuracy", patience=None)
    made.logger = Received()
    return made


def test_metrics_that_follow_after_an_epoch_are_sent_and_written(history, tmp_path):
    epoch = trained(**{"dev/accuracy": 0.5})
    history.add_epoch(epoch)
    history.add_metrics(epoch, 0, {"clams/en/vp_coord": 0.75})
    history.add_epoch(trained(step=50, **{"dev/accuracy": 0.5}))
    assert history.logger.sent == [
        (0, {"epoch": 0.0, "dev/accuracy": 0.5}),
        (0, {"epoch": 0.0, "clams/en/vp_coord": 0.75}),
        (50, {"epoch": 1.0, "dev/accuracy": 0.5}),
    ]
    assert (tmp_path / "metrics.csv").read_text(encoding="utf-8") == (
        "epoch,dev/accuracy,clams/en/vp_coord\n0,0.5,0.75\n1,0.5,\n"
    )


def test_a_resumed_run_sends_every_epoch_again_and_nothing_twice(history):
    history.load_state_dict({"rows": [{"epoch": epoch, "dev/accuracy": 0.5} for epoch in (0.0, 1.0, 2.0)]})
    history.add_metrics(trained(step=100), 2, {"clams/en/vp_coord": 0.75})
    assert history.logger.sent == [
        (0, {"epoch": 0.0, "dev/accuracy": 0.5}),
        (50, {"epoch": 1.0, "dev/accuracy": 0.5}),
        (100, {"epoch": 2.0, "dev/accuracy": 0.5, "clams/en/vp_coord": 0.75}),
    ]


@pytest.mark.parametrize(("n_accumulated", "logged"), [(1, [(2, 2.0), (4, 4.0)]), (2, [(2, 8.0)])])
def test_the_loss_of_a_batch_is_sent_every_so_many_steps(n_accumulated, logged, history):
    for batch in range(4):
        step = (batch + 1) // n_accumulated
        trainer = SimpleNamespace(global_step=step, log_every_n_steps=2, accumulate_grad_batches=n_accumulated)
        history.on_train_batch_end(trainer, None, {"loss": (batch + 1.0)}, None, batch)
    assert history.logger.sent == [(step, {"train/loss_step": loss}) for step, loss in logged]


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        ([{"dev/bleu": 0.0, "dev/perplexity": value} for value in (90.0, 40.0, 50.0)], 1),
        ([{"dev/bleu": bleu, "dev/perplexity": 9.0} for bleu in (0.0, 0.1, 0.1)], 1),
        ([{"dev/bleu": bleu, "dev/perplexity": nats} for bleu, nats in ((0.2, 9.0), (0.1, 1.0))], 0),
        ([{"dev/bleu": bleu} for bleu in (0.1, 0.3, 0.3)], 1),
    ],
)
def test_the_best_epoch_is_the_first_highest_and_of_equals_the_least_perplexed(rows, best, tmp_path):
    history = History(RunDirectory(tmp_path), "dev/bleu", patience=None)
    history.load_state_dict({"rows": rows})
    assert history.best_epoch == best
