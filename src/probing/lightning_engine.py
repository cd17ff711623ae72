"""`probe.engine=lightning`: each probe is trained by a Lightning Trainer of its own, with callbacks, loggers, profiler.

On a CPU a probe comes out as in the bank, bit for bit. The bank is the engine for many probes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytorch_lightning as pl
import torch

from polyprobe.datamodules.probe import ProbeDataModule
from polyprobe.errors import PolyprobeError
from polyprobe.models.base.distributed_processes import interruptible
from polyprobe.models.mlp_probe import MLPProbe
from polyprobe.probing.bank.bank import Progress
from polyprobe.probing.bank.family import ProbeInTraining
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.bank.scaling import Scaling

MakeTrainer = Callable[[ProbeJob, list[pl.Callback]], pl.Trainer]


def train_by_lightning(jobs: Sequence[ProbeJob], make_trainer: MakeTrainer, progress: Progress) -> list[ProbeOutcome]:
    """Trains each probe by a Trainer of its own, in one thread; returns outcome i for job i.

    Args:
        make_trainer: returns the Trainer of a probe, with the given callbacks among its own.
        progress: called after each probe with the epochs that are over and those due at most.
    """
    outcomes, done, due = [], 0, sum(job.spec.max_epochs for job in jobs)
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as the bank trains it
    try:
        for job in jobs:
            outcomes.append(_trained(job, make_trainer))
            done += job.spec.max_epochs
            progress(done, due)
    finally:
        torch.set_num_threads(n_threads)
    return outcomes


def datamodule_of(job: ProbeJob) -> ProbeDataModule:
    """Returns the data of a job, standardised where its probe asks for that."""
    data = job.data.standardised() if job.is_standardised else job.data
    splits = [
        (data.vectors[rows].flatten(1), labels)
        for rows, labels in (
            (data.train_rows, data.train_labels),
            (data.dev_rows, data.dev_labels),
            (data.test_rows, data.test_labels),
        )
    ]
    return ProbeDataModule(*splits, data.n_labels, job.spec, job.seed, job.key)


def _trained(job: ProbeJob, make_trainer: MakeTrainer) -> ProbeOutcome:
    if job.data.is_sparse:
        raise PolyprobeError(f"{job.key}: probe.engine=lightning takes vectors, got sparse counts. Use engine=bank.")
    job = replace(job, data=_measured(job.data))
    datamodule, probe = datamodule_of(job), ProbeInTraining(job, 0, 0)
    module = MLPProbe(datamodule.input_width, datamodule.n_labels, job.spec, job.seed, job.key)
    trainer = make_trainer(job, [StopsAsInBank(probe)])
    with interruptible(trainer):
        trainer.fit(module, datamodule)
    if probe.failed is not None:
        return probe.failure()
    with torch.no_grad():
        module.weights_in_one.copy_(probe.kept_parameters[0])
    with interruptible(trainer):
        trainer.test(module, datamodule, verbose=False)
    layers = [layer.detach().squeeze(0) for layer in module.layers()] if job.is_kept else ()
    return probe.outcome(module.predictions, module.losses, layers, job.data.scaling)


def _measured(data: ProbeData) -> ProbeData:
    rows = data.train_rows if data.scale_rows is None else data.scale_rows
    return replace(data, scaling=Scaling.of(data.vectors, rows))


class StopsAsInBank(pl.Callback):
    """Ends the training of a probe by the rule of its spec, and keeps the weights that count."""

    def __init__(self, probe: ProbeInTraining):
        self.probe = probe

    def on_validation_end(self, trainer: pl.Trainer, module: MLPProbe) -> None:
        if trainer.sanity_checking:
            return
        probe, weights = self.probe, module.weights_in_one.detach()
        probe.train_losses.append(module.mean_train_loss())
        if not bool(torch.isfinite(weights).all()):
            probe.failed = f"the loss is not a number in epoch {len(probe.train_losses)}"
        elif probe.is_due:
            probe.take(module.predictions, probe.job.data.dev_labels, module.loss, (weights.clone(),))
        if not probe.goes_on:
            trainer.should_stop = True
