"""The work of a training run: reads its data, trains its model and scores it; the rows of the scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import torch
from pytorch_lightning.loggers import Logger
from pytorch_lightning.loggers.logger import DummyLogger

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusFiles
from polyprobe.display.shown import say
from polyprobe.encoders.inputs.trained_models import attach, open_model
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.distributed_processes import interruptible
from polyprobe.models.base.lightning_process import chosen_callbacks
from polyprobe.models.base.task_model import TaskModel
from polyprobe.models.base.torch_process import circumstances, flush_denormals, set_threads
from polyprobe.named import built
from polyprobe.resources.revisions import sources
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import with_lasting_names
from polyprobe.runs.record.provenance import digests, name_of
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
from polyprobe.training.shorter_run import take_over_shorter_run
from polyprobe.training.trainer import StepSeeds, make_trainer


def prepared_process(threads: int | None) -> None:
    """Sets what holds for all of torch in this process, before its threads start and before weights are drawn.

    Args:
        threads: of torch, by which orthogonal weights are rounded; None: as many as it chooses.
    """
    flush_denormals()
    set_threads(threads)


class TrainingRun(Work):
    """A model that is trained to the last epoch, and tested with the weights of the best one.

    Args:
        directory: of the run; nothing is written into it before `work` or `share`.
    """

    def __init__(self, settings: TrainingSettings, inputs: Inputs, directory: RunDirectory):
        self.settings, self.inputs, self.source, self.directory = settings, inputs, inputs.source, directory
        self.history = history = History(directory, settings.task.monitor, settings.trainer.early_stopping)
        own_callbacks = chosen_callbacks(settings.callbacks)  # wrong names are refused before the corpus is read
        self.probing = ProbeEachEpoch(settings, directory, history, inputs.source)
        self.datamodule = datamodule = make_datamodule(settings, inputs)
        found_in_train = known_of_train(settings, datamodule, inputs.source)
        self.model = model = make_model(settings, found_in_train, inputs.source)
        self.probing.check_layers(model)
        opened_by = {"model": settings.model.options, "inputs": found_in_train, "encoder": inputs.saved}
        kept = settings.trainer.kept_epochs
        self.checkpoints = EpochCheckpoints(directory, history, with_lasting_names(opened_by), kept)
        self.minimal_sets = ScoreMinimalSetsEachEpoch(settings.minimal_sets, directory, history)
        callbacks = [
            StepSeeds(settings.seed),
            *own_callbacks,
            history,
            self.checkpoints,
            self.probing,
            self.minimal_sets,
            *progress(history),
        ]
        self.trainer = make_trainer(settings.trainer, directory.path, callbacks, [DigestedCheckpoints()])

    def work(self, run: RunDirectory) -> Outcome:
        settings = self.settings
        if newest_checkpoint(run) is None and (line := take_over_shorter_run(settings, self.inputs.identity, run)):
            say(line)
        tags = settings.lang, settings.task.name, settings.model.name, settings.inputs.name
        is_real = not settings.trainer.is_fast_dev_run
        logger = make_logger(settings.logger, run.path, settings.kept, tags) if is_real else None
        best = self.fit_and_test(logger)
        for profile in sorted(run.path.glob("fit-profile*.txt")):
            say(f"profile   {profile}")
        self.checkpoints.finish()
        return list(self.rows(best)), self._notes()

    def fit_and_test(self, logger: Logger | None) -> TaskModel:
        """Trains from the newest checkpoint on; returns the best model. In a distributed run every process does."""
        trainer, model, datamodule, history = self.trainer, self.model, self.datamodule, self.history
        history.logger = logger
        newest = newest_checkpoint(self.directory)
        with interruptible(trainer):
            if newest is None:
                trainer.validate(model, datamodule, verbose=False)
                history.add_epoch(trainer)
                history.check_validated()
            trainer.loggers = [logger or DummyLogger()]  # one, since LearningRateMonitor needs it
            trainer.fit(model, datamodule=datamodule, ckpt_path=newest, weights_only=True)
            history.check_validated()
            for measuring in (self.probing, self.minimal_sets):  # of a run that was cut off after its last epoch
                measuring.measure_missing(trainer)
            history.publish(trainer)
            is_tried_out = self.settings.trainer.is_fast_dev_run  # each process has a folder of its own
            best = model if is_tried_out else open_model(self.directory.checkpoint(history.best_epoch), self.source)
            if datamodule.test:
                trainer.test(best, datamodule=datamodule, verbose=False)
        return best.eval()

    def share(self, run: RunDirectory) -> None:
        self.fit_and_test(None)

    def close(self, rows: Sequence[ResultRow]) -> None:
        if self.history.logger is not None:
            self.history.logger.finalize("success")

    def versions(self) -> Mapping[str, str]:
        files = self.datamodule.corpus.files
        return {**digests(files, self.settings.data.root), **digests_of_sets(self.minimal_sets.suites)}

    def circumstances(self) -> Mapping[str, Any]:
        return circumstances(self.settings.trainer.accelerator, self.trainer.num_devices * self.trainer.num_nodes)

    def start(self) -> list[str]:
        """What is counted, each in a line of its own."""
        lines = [f"{name}: {count}" for name, count in self._counts().items() if count]
        if malformed := self.datamodule.corpus.malformed:
            lines.append(f"malformed lines skipped: {len(malformed)} (listed in run.json)")
        return lines

    def rows(self, best: TaskModel) -> Iterator[ResultRow]:
        """Yields every row of the finished run: of each epoch, of the best one, of the trivial baseline."""
        yield from self._rows_of_epochs()
        yield from (*self.probing.rows, *self.minimal_sets.rows)
        data = self.datamodule
        for split, examples in data.scored_splits().items():
            yield from self._rows_of_model("test", split, best.scores(examples), self.history.best_epoch)
            baseline, scores = data.baseline_scores(examples)
            yield from self._rows(scores, encoder=baseline, stage="baseline", split=split, note=data.baseline_note)
        yield from self._rows(data.unknown_in_train(), encoder=data.baseline.name, stage="baseline", split="train")

    def _rows_of_epochs(self) -> Iterator[ResultRow]:
        task, data = self.settings.task, self.datamodule
        for epoch in self.history.rows:
            scores = [
                TaskScore(name, epoch[f"dev/{name}"], *data.scored_otherwise.get(name, (data.n_scored, task.scorer)))
                for name in task.metrics
                if f"dev/{name}" in epoch
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
        columns |= {"lang": settings.lang, "suite": settings.task.name, "corpus": self.datamodule.corpus.name}
        for score in scores:
            of_score = asdict(score)
            yield ResultRow(test=of_score.pop("part"), seed=settings.seed, **of_score, **columns)

    def _counts(self) -> dict[str, int]:
        return {**self.datamodule.counts(), **self.model.parameter_counts()}

    def _sources(self) -> dict[str, Any]:
        root = self.settings.data.root
        files = {name_of(file, root): [file] for file in self.datamodule.corpus.files}
        if self.source is None:
            return sources({}, None, files, root)
        return sources(self.source.encoder.provenance, self.source.encoder.model_name, files, root)

    def _notes(self) -> dict[str, Any]:
        return {
            "best_epoch": self.history.best_epoch,
            "corpus": self.datamodule.corpus.name,
            "counts": self._counts(),
            "left_out": list(self.datamodule.corpus.malformed),
            "sources": self._sources(),
            "devices": {key: getattr(self.settings.trainer, key) for key in ("accelerator", "devices", "strategy")},
            "threads": torch.get_num_threads(),
        }


def make_datamodule(settings: TrainingSettings, inputs: Inputs) -> TaskDataModule:
    """Makes the datamodule of a run and reads its corpus: the model needs what train has, before Lightning reads it."""
    data = settings.data
    files = CorpusFiles(
        data.corpus, data.entry, data.on_malformed, data.max_words, settings.language, settings.workspace
    )
    given = {"source": files, "inputs": inputs, "seed": settings.seed}
    datamodule = built(settings.task.datamodule, "task.datamodule", **given)
    datamodule.prepare_data()
    datamodule.setup()
    datamodule.check_examples()
    return datamodule


def known_of_train(
    settings: TrainingSettings, datamodule: TaskDataModule, source: VectorSource | None
) -> dict[str, Any]:
    """Returns what the model must know of train, with the scale of frozen vectors if its network expects one."""
    found, network = datamodule.model_inputs(), settings.model.options.get("encoder", {})
    if source is None or network.get("input_rms") is None:
        return found
    texts = [text for one in datamodule.train for text in datamodule.texts(one)]
    return {**found, "vector_rms": source.rms(texts)}


def make_model(settings: TrainingSettings, found_in_train: Mapping[str, Any], source: VectorSource | None) -> TaskModel:
    """Makes the model, and its optimiser once: a value of a wrong type is refused before the run begins."""
    try:
        model = build_model(settings.model.options, found_in_train)
        model.configure_optimizers()
    except (TypeError, ValueError) as error:
        found = f"model={settings.model.name} cannot be built: {briefly(error)}"
        raise PolyprobeError(f"{found}. Check the values of the keys that begin with model.") from error
    attach(model, source)
    return model
