"""`probe.engine=lightning`: each probe is trained by a Lightning Trainer of its own, with callbacks, loggers, profiler.

On a CPU a probe comes out as in the bank, bit for bit. The bank is the engine for many probes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger, Logger

from polyprobe.datamodules.probe import ProbeDataModule
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.models.base.distributed_processes import interruptible
from polyprobe.models.base.lightning_process import chosen_callbacks, make_profiler, trainer_on
from polyprobe.models.mlp_probe import MLPProbe
from polyprobe.probing.bank.bank import Progress
from polyprobe.probing.bank.family import ProbeInTraining
from polyprobe.probing.bank.jobs import ProbeJob, ProbeOutcome
from polyprobe.probing.settings import EngineSettings
from polyprobe.runs.names.foreign_names import LOGGER, known


@dataclass(frozen=True)
class LightningEngine:
    """Trains each probe by a Trainer of its own, in one thread."""

    settings: EngineSettings
    accelerator: str
    folder: Path | None
    """Of metrics.csv and other loggers, one below it for each probe; None: there are none."""

    def train(self, jobs: Sequence[ProbeJob], progress: Progress) -> list[ProbeOutcome]:
        """Returns outcome i for job i.

        Args:
            progress: called after each probe with the epochs that are over and those due at most.
        """
        outcomes, done, due = [], 0, sum(job.spec.max_epochs for job in jobs)
        n_threads = torch.get_num_threads()
        torch.set_num_threads(1)  # as the bank trains it
        try:
            for job in jobs:
                outcomes.append(self._trained(job))
                done += job.spec.max_epochs
                progress(done, due)
        finally:
            torch.set_num_threads(n_threads)
        return outcomes

    def _trained(self, job: ProbeJob) -> ProbeOutcome:
        job = replace(job, data=job.data.measured())
        datamodule, probe = datamodule_of(job), ProbeInTraining(job, 0, 0)
        module = MLPProbe(datamodule.input_width, datamodule.n_labels, job.spec, job.seed, job.key)
        trainer = self._trainer(job, StopsAsInBank(probe))
        with interruptible(trainer):
            trainer.fit(module, datamodule)
        if not probe.train_losses:
            raise PolyprobeError(f"{job.key}: no epoch ended with dev scored. Expected a Trainer that validates.")
        if probe.failed is not None:
            return probe.failure()
        with torch.no_grad():
            module.weights_in_one.copy_(probe.kept_parameters[0])
        with interruptible(trainer):
            trainer.test(module, datamodule, verbose=False)
        layers = [layer.detach().squeeze(0) for layer in module.layers()] if job.is_kept else ()
        return probe.outcome(module.predictions, module.losses, layers, job.data.scaling)

    def _trainer(self, job: ProbeJob, stopping: pl.Callback) -> pl.Trainer:
        settings = self.settings
        callbacks = [stopping, *chosen_callbacks(settings.callbacks)]
        arguments = {"num_sanity_val_steps": 0, **settings.arguments}
        arguments.setdefault("enable_progress_bar", any(isinstance(one, pl.callbacks.ProgressBar) for one in callbacks))
        arguments.setdefault("enable_checkpointing", any(isinstance(one, ModelCheckpoint) for one in callbacks))
        if self.folder is not None:
            folder = self.folder / file_name(f"{job.key}-s{job.seed}".replace("/", "-"))
            arguments |= {"default_root_dir": folder, "logger": self._loggers(folder)}
            if "profiler" in arguments:
                arguments["profiler"] = make_profiler(arguments["profiler"], folder)
        machine = {"accelerator": self.accelerator}
        if self.accelerator != "cpu" and torch.cuda.is_available():
            machine["devices"] = [torch.cuda.current_device()]
        return trainer_on(machine, max_epochs=job.spec.max_epochs, callbacks=callbacks, **arguments)

    def _loggers(self, folder: Path) -> list[Logger]:
        folder.mkdir(parents=True, exist_ok=True)
        loggers = [CSVLogger(folder, name="", version="")]
        if self.settings.logger is not None:
            options = dict(self.settings.logger)
            make = known(LOGGER, options.pop("_target_", None), "logger.lightning._target_")
            loggers.append(make(folder, **options))
        return loggers


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
