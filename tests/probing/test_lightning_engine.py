"""Each probe by a Lightning Trainer: the bank's numbers, with callbacks and files of Lightning."""

from pathlib import Path

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.probing.bank.jobs import ProbeJob
from polyprobe.probing.lightning_engine import LightningEngine
from polyprobe.probing.settings import EngineSettings
from tests.probing.probe_examples import assert_same, random_data, spec_with, trained

LINEAR = {"hidden_size": None, "dropout": 0.0}
SENTEVAL = {"activation": "sigmoid", "dropout_place": "before_activation", "gradient_clamp": None, "batch_size": 64}
RUSENTEVAL = {"stopping": "first_rise_of_dev_loss", "kept_weights": "last", "dropout_place": "before_activation"}
BITS = {"stopping": "patience_of_dev_loss", "kept_weights": "lowest_dev_loss"}


def by_lightning(jobs, folder=None, **settings):
    engine = LightningEngine(EngineSettings(engine="lightning", **settings), "cpu", folder)
    return engine.train(jobs, lambda done, due: None)


@pytest.fixture(autouse=True)
def flushed_denormals():
    torch.set_flush_denormal(True)
    yield
    torch.set_flush_denormal(False)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"hidden_size": 300, "dropout": 0.2, "weight_decay": 0.01},
        {"dropout": 0.0, "batch_size": 10, "epochs_per_evaluation": 2, "max_epochs": 5},
        {"loss_weights": "inverse_frequency", "scale": "standard", "order": "file"},
        {**BITS, "gradient_clamp": 0.001, "patience": 1, "max_epochs": 12},
        {**SENTEVAL, "dropout": 0.1, "stopping": "tenacity_never_reset"},
        {**RUSENTEVAL, "activation": "tanh", "max_epochs": 12},
        {"activation": "sigmoid", "loss_reduction": "sum"},
        LINEAR,
        {**LINEAR, "batch_size": 10, "weight_decay": 0.1},
        {**LINEAR, **BITS, "loss_weights": "inverse_frequency", "max_epochs": 12},
    ],
    ids=str,
)
@pytest.mark.parametrize(("n_labels", "n_train", "parts"), [(2, 41, 1), (3, 533, 2), (17, 16, 1)])
def test_a_probe_is_the_same_bit_for_bit_by_lightning_and_in_the_bank(changes, n_labels, n_train, parts):
    data = random_data(4, width=33, n_train=n_train, n_labels=n_labels, parts=parts)
    jobs = [ProbeJob(data, spec_with(**changes), seed, "Case/encoding", is_kept=True) for seed in (1, 2)]
    for one, other in zip(by_lightning(jobs), trained(jobs), strict=True):
        assert_same(one, other)
        for weights, of_bank in zip(one.parameters, other.parameters, strict=True):
            np.testing.assert_array_equal(weights, of_bank)


def test_probes_stop_early_after_different_epochs():
    jobs = [ProbeJob(random_data(n), spec_with(max_epochs=12, patience=1), n, "stop") for n in range(4)]
    epochs = [one.epochs for one in by_lightning(jobs)]
    assert epochs == [one.epochs for one in trained(jobs)]
    assert len({*epochs}) > 1
    assert max(epochs) < 12


def test_a_probe_whose_loss_is_not_a_number_fails_as_in_the_bank():
    data = random_data(2)
    data.vectors[int(data.train_rows[0, 0])] = float("nan")
    (outcome,) = by_lightning([ProbeJob(data, spec_with(), 1, "Case/encoding/8")])
    assert outcome.failed == "Case/encoding/8: the loss is not a number in epoch 1"


class Counter(pl.Callback):
    n_batches = 0

    def on_train_batch_end(self, *_):
        Counter.n_batches += 1


def test_callbacks_profiler_and_metrics_are_those_of_lightning(tmp_path):
    job = ProbeJob(random_data(1), spec_with(max_epochs=2), 3, "Case/encoding")
    before = Counter.n_batches
    callbacks = {"counter": {"_target_": f"{__name__}.Counter"}}
    by_lightning([job], tmp_path, callbacks=callbacks, arguments={"profiler": "simple"})
    assert Counter.n_batches - before == 2 * 3  # 40 examples in batches of 16
    folder = tmp_path / "Case-encoding-s3"
    assert (folder / "metrics.csv").read_text().startswith("dev/accuracy,dev/loss,epoch,step")
    assert (folder / "fit-profile.txt").is_file()


def test_a_trainer_that_never_validates_is_refused():
    job = ProbeJob(random_data(1), spec_with(), 3, "Case/encoding")
    with pytest.raises(PolyprobeError, match="no epoch ended with dev scored"):
        by_lightning([job], arguments={"limit_val_batches": 0})


def test_the_example_of_the_library_trains_a_probe_on_own_vectors(tmp_path, monkeypatch):
    page = Path(__file__).parents[2].joinpath("docs/library.md").read_text()
    section = page.partition("## As a Lightning module")[2]
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(section.partition("```python\n")[2].partition("```")[0], names)
    assert names["probe"].predictions.shape == (100,)
    assert [tuple(layer.shape) for layer in names["probe"].layers()] == [(100, 64), (1, 64), (64, 5), (1, 5)]
