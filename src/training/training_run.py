"""The work of a training run: reads its data, trains its model and scores it; the rows of the scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.loggers import Logger

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusFiles, CorpusSource
from polyprobe.encoders.inputs.trained_models import attach, open_model
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.distributed_processes import or_interrupt
from polyprobe.models.base.lightning_process import circumstances, flush_denormals, set_threads
from polyprobe.models.base.task_model import TaskModel
from polyprobe.named import built
from polyprobe.resources.revisions import sources
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import with_lasting_names
from polyprobe.runs.record.provenance import digests, name_of, report_line_ends
from polyprobe.runs.results import ResultRow
from polyprobe.runs.study import Outcome, Work
from polyprobe.training.callbacks.checkpoints import (
    DigestedCheckpoints,
    EpochCheckpoints,
    newest_checkpoint,
)
from polyprobe.training.callbacks.each_epoch import ProbeEachEpoch, ScoreMinimalSetsEachEpoch, digests_of_sets
from polyprobe.training.callbacks.history import History
from polyprobe.training.callbacks.progress import progress
from polyprobe.training.loggers import make_logger
from polyprobe.training.settings import TrainingSettings
from polyprobe.training.trainer import StepSeeds, make_trainer


def prepared_process(threads: int | None) -> None:
    """Sets what holds for all of torch in this process, before its threads start and before weights are drawn.

    Args:
        threads: of torch, by which orthogonal weights are rounded; None: as many as it chooses.
    """
    flush_denormals()
    set_threads(threads)


def source_of_run(settings: TrainingSettings) -> CorpusSource:
    """Returns where the corpus of a run comes from."""
    data, workspace = settings.data, settings.workspace
    return CorpusFiles(data.corpus, data.entry, data.on_malformed, data.max_words, settings.language, workspace)


class TrainingRun(Work):
    """The parts of one training run: corpus, datamodule, model, what is measured after each epoch, checkpoints.

    Args:
        directory: of the run; nothing is written into it before `work` or `fit`.
    """

    def __init__(self, settings: TrainingSettings, inputs: Inputs, directory: RunDirectory):
        self.settings, self.source, self.directory = settings, inputs.source, directory
        self.datamodule = self._datamodule(inputs)
        self.corpus = self.datamodule.corpus
        found_in_train = self._found_in_train()
        self.model = self._model(found_in_train)
        attach(self.model, self.source)
        self.history = History(directory, settings.task.monitor, settings.trainer.early_stopping)
        self.probing, self.minimal_sets = self._measured_each_epoch()
        opened_by = {"model": settings.model.options, "inputs": found_in_train, "encoder": inputs.saved}
        self.checkpoints = self._checkpoints(opened_by)
        self.trainer = self._trainer()
        self._logger: Logger | None = None

    def versions(self) -> Mapping[str, str]:
        return {**digests(self.corpus.files, self.settings.data.root), **digests_of_sets(self.minimal_sets.suites)}

    def circumstances(self) -> Mapping[str, Any]:
        return circumstances(self.settings.trainer.accelerator, self.trainer.num_devices * self.trainer.num_nodes)

    def start(self) -> list[str]:
        """What is counted, each in a line of its own."""
        lines = [f"{name}: {count}" for name, count in self._counts().items() if count]
        if self.corpus.malformed:
            lines.append(f"malformed lines skipped: {len(self.corpus.malformed)} (listed in run.json)")
        return lines

    def work(self, run: RunDirectory) -> Outcome:
        """Trains to the last epoch and scores the best one."""
        files = [*self.corpus.files, *self.probing.files, *self.minimal_sets.files]
        line_ends = report_line_ends(files, self.settings.data.root)
        settings = self.settings
        tags = settings.lang, settings.task.name, settings.model.name, settings.inputs.name
        self._logger = make_logger(settings.logger, run.path, settings.kept, tags)
        self.fit(self._logger)
        self.checkpoints.finish()
        return list(self.rows()), {**self._notes(), "line_ends": line_ends}

    def share(self, run: RunDirectory) -> None:
        self.fit(None)

    def close(self, rows: Sequence[ResultRow]) -> None:
        if self._logger is not None:
            self._logger.finalize("success")

    def fit(self, logger: Logger | None) -> None:
        """Trains from the newest checkpoint on; in a distributed run every process calls this."""
        self.history.logger = logger
        newest = newest_checkpoint(self.directory)
        if newest is None:
            or_interrupt(self.trainer, self.trainer.validate, self.model, self.datamodule, verbose=False)
            self.history.add_epoch(self.trainer)
        options = {"datamodule": self.datamodule, "ckpt_path": newest, "weights_only": True}
        or_interrupt(self.trainer, self.trainer.fit, self.model, **options)
        # A run that was cut off after its last epoch has nothing left to fit.
        for measuring in (self.probing, self.minimal_sets):
            measuring.measure_missing(self.trainer)
        self.history.publish(self.trainer)

    def rows(self) -> Iterator[ResultRow]:
        """Yields every row of the finished run: of each epoch, of the best one, of the trivial baseline."""
        yield from self._rows_of_epochs()
        yield from (*self.probing.rows, *self.minimal_sets.rows)
        best, data = self.history.best_epoch, self.datamodule
        model = open_model(self.directory.checkpoint(best), self.source)
        for split, examples in data.scored_splits().items():
            yield from self._rows_of_model("test", split, model.scores(examples), best)
            baseline, scores = data.baseline_scores(examples)
            yield from self._rows(scores, encoder=baseline, stage="baseline", split=split, note=data.baseline_note)
        yield from self._rows(data.unknown_in_train(), encoder=data.baseline.name, stage="baseline", split="train")

    def _rows_of_epochs(self) -> Iterator[ResultRow]:
        task, data = self.settings.task, self.datamodule
        for epoch in self.history.rows:
            scores = [
                TaskScore(name, epoch[f"dev/{name}"], *data.scored_otherwise.get(name, (data.n_scored, task.scorer)))
                for name in task.metrics
            ]
            yield from self._rows_of_model("training", "dev", scores, int(epoch["epoch"]))

    def _rows_of_model(self, stage: str, split: str, scores: Sequence[TaskScore], epoch: int) -> Iterator[ResultRow]:
        read = {"encoder": self.settings.inputs.name}
        if self.source is not None:  # frozen vectors
            name = self.source.encoder.model_name
            read |= {"model": name, "options": self.settings.inputs.choice.in_words(name is not None)}
        return self._rows(scores, stage=stage, split=split, epoch=epoch, note=self.datamodule.note, **read)

    def _rows(self, scores: Sequence[TaskScore], **columns: str | int | None) -> Iterator[ResultRow]:
        settings = self.settings
        columns |= {"lang": settings.lang, "suite": settings.task.name, "corpus": self.corpus.name}
        for score in scores:
            of_score = asdict(score)
            yield ResultRow(test=of_score.pop("part"), seed=settings.seed, **of_score, **columns)

    def _found_in_train(self) -> dict[str, Any]:
        """Returns what the model must know of train, with the scale of frozen vectors if its network expects one."""
        found, network = self.datamodule.model_inputs(), self.settings.model.options.get("encoder", {})
        if self.source is None or network.get("input_rms") is None:
            return found
        texts = [text for one in self.datamodule.train for text in self.datamodule.texts(one)]
        return {**found, "vector_rms": self.source.rms(texts)}

    def _model(self, found_in_train: Mapping[str, Any]) -> TaskModel:
        """Builds the model, and its optimiser once: a value of a wrong type is refused before the run begins."""
        try:
            model = build_model(self.settings.model.options, found_in_train)
            model.configure_optimizers()
        except (TypeError, ValueError) as error:
            found = f"model={self.settings.model.name} cannot be built: {briefly(error)}"
            raise PolyprobeError(f"{found}. Check the values of the keys that begin with model.") from error
        return model

    def _measured_each_epoch(self) -> tuple[ProbeEachEpoch, ScoreMinimalSetsEachEpoch]:
        settings, history = self.settings, self.history
        probing = ProbeEachEpoch(settings, self.directory, history, self.model, self.source)
        return probing, ScoreMinimalSetsEachEpoch(settings.minimal_sets, self.directory, history)

    def _checkpoints(self, opened_by: Mapping[str, Any]) -> EpochCheckpoints:
        kept = self.settings.trainer.kept_epochs
        return EpochCheckpoints(self.directory, self.history, with_lasting_names(opened_by), kept)

    def _trainer(self) -> pl.Trainer:
        settings = self.settings
        measured = (self.history, self.checkpoints, self.probing, self.minimal_sets)
        callbacks = [StepSeeds(settings.seed), *measured, *progress(self.history)]
        return make_trainer(settings.trainer, self.directory.path, callbacks, [DigestedCheckpoints()])

    def _datamodule(self, inputs: Inputs) -> TaskDataModule:
        given = {"source": source_of_run(self.settings), "inputs": inputs, "seed": self.settings.seed}
        datamodule = built(self.settings.task.datamodule, "task.datamodule", **given)
        datamodule.prepare_data()  # the model needs what train has: both are done before Lightning would call them
        datamodule.setup()
        datamodule.check_examples()
        return datamodule

    def _counts(self) -> dict[str, int]:
        return {**self.datamodule.counts(), **self.model.parameter_counts()}

    def _sources(self) -> dict[str, Any]:
        root = self.settings.data.root
        files = {name_of(file, root): [file] for file in self.corpus.files}
        if self.source is None:
            return sources({}, None, files, root)
        return sources(self.source.encoder.provenance, self.source.encoder.model_name, files, root)

    def _notes(self) -> dict[str, Any]:
        return {
            "best_epoch": self.history.best_epoch,
            "corpus": self.corpus.name,
            "counts": self._counts(),
            "left_out": list(self.corpus.malformed),
            "sources": self._sources(),
            "devices": {key: getattr(self.settings.trainer, key) for key in ("accelerator", "devices", "strategy")},
            "threads": torch.get_num_threads(),
        }
