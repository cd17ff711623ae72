"""One training run from its configuration to its rows: `python train.py`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.rank_zero import rank_zero_only

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.word_inputs import Inputs
from src.datamodules.corpora.labelled_corpora import Corpus, read_corpus
from src.display.shown import say
from src.encoders.inputs.frozen_inputs import attach, open_model
from src.errors import BadValue, UnknownChoice, check_at_least
from src.metrics.task_score import TaskScore
from src.models.base.checkpoint_file import build_model
from src.models.base.distributed_processes import work_is_done
from src.models.base.lightning_process import circumstances, flush_denormals, or_interrupt, set_threads
from src.named import built
from src.resources.data_root import data_root
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.names.lasting_names import with_lasting_names
from src.runs.names.options_in_words import options_in_words
from src.runs.record.provenance import digests, report_line_ends
from src.runs.results import ResultRow
from src.runs.workspace import Workspace
from src.training.callbacks.checkpoints import (
    DigestedCheckpoints,
    EpochCheckpoints,
    epochs_to_keep,
    newest_checkpoint,
)
from src.training.callbacks.history import History
from src.training.callbacks.probe_each_epoch import ProbeEachEpoch
from src.training.callbacks.progress_bar import progress
from src.training.callbacks.score_minimal_sets_each_epoch import ScoreMinimalSetsEachEpoch, digests_of_sets, parted
from src.training.callbacks.step_seeds import StepSeeds
from src.training.chosen_inputs import chosen_inputs
from src.training.model_choice import check_model
from src.training.predicted_upos import tagger_digest, with_predicted_upos
from src.training.run_name import run_name, with_one_corpus
from src.training.trainer import make_logger, make_trainer


def train(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says, or goes on where an earlier start of the same run was cut off.

    Args:
        config: the resolved configuration of conf/train.yaml, as plain values.

    Returns:
        The directory of the finished run; None in processes of a distributed run that only help.

    Raises:
        PolyprobeError: the data, the configuration or the run directory is not what it should be.
    """
    flush_denormals()
    set_threads(config["trainer"]["threads"])  # before weights are drawn: orthogonal ones are rounded by thread count
    check_model(config)
    root = data_root(config["lang"], Workspace.of(config["paths"]))
    config = with_one_corpus(config, root)
    inputs = chosen_inputs(config)
    directory = run_directory(config, inputs)
    if rank_zero_only.rank != 0:
        TrainingRun(config, inputs, directory, root).fit(None)
        work_is_done()
        return None
    return run_once(
        directory,
        config,
        data=lambda: {**directory.data_now(root), **digests_of_sets(config)},
        prepare=lambda: TrainingRun(config, inputs, directory, root).complete,
    )


def run_directory(config: Mapping[str, Any], inputs: Inputs) -> RunDirectory:
    """Returns the directory of the run that a configuration names, whether it is there or not.

    Raises:
        PolyprobeError: `data.upos_run` is not finished, or its checkpoint is damaged.
    """
    data = dict(config["data"])
    if data.get("upos_run"):
        data["upos_run"] = tagger_digest(data["upos_run"])  # the same tagger from another path is the same run
    name = run_name({**config, "data": data, "encoder": inputs.identity}, config["choices"]["encoder"])
    return RunDirectory(Workspace.of(config["paths"]).runs("train") / name)


class TrainingRun:
    """The parts of one training run: corpus, datamodule, model, history, checkpoints."""

    def __init__(self, config: Mapping[str, Any], inputs: Inputs, directory: RunDirectory, root: Path):
        check_at_least("seed", config["seed"], 0)
        if not isinstance(config["probe_each_epoch"], list):
            raise BadValue("probe_each_epoch", config["probe_each_epoch"], "a list such as [Case,Person]")
        check_at_least("trainer.max_epochs", config["trainer"]["max_epochs"], 1)
        check_at_least("trainer.accumulate", config["trainer"]["accumulate"], 1)
        if config["trainer"]["early_stopping"] is not None:
            check_at_least("trainer.early_stopping", config["trainer"]["early_stopping"], 1)
        monitors = [f"dev/{metric}" for metric in config["task"]["metrics"]]
        if config["monitor"] not in monitors:
            raise UnknownChoice("monitor", config["monitor"], monitors)
        self.config, self.directory, self.root = config, directory, root
        self.encoder = config["choices"]["encoder"]
        self.corpus = self._read_corpus()
        self.datamodule = self._datamodule(inputs)
        self.splits = self._splits()
        self.inputs = self.datamodule.model_inputs()
        self.model = build_model(config["model"], self.inputs)
        self.source = inputs.source
        self.vectors = _vectors(config, inputs)
        self.saved = with_lasting_names({"model": config["model"], "inputs": self.inputs, "encoder": inputs.saved})
        attach(self.model, self.source)
        self.history = History(directory, config["monitor"], config["trainer"]["early_stopping"])
        tests, suites = parted(config["probe_each_epoch"])
        self.probing = ProbeEachEpoch(config, tests, directory, self.history, self.model, self.source)
        self.minimal_sets = ScoreMinimalSetsEachEpoch(config, suites, directory, self.history)
        kept = epochs_to_keep(config["trainer"]["keep"], config["trainer"]["max_epochs"])
        self.checkpoints = EpochCheckpoints(directory, self.history, self.saved, kept)
        self.trainer = self._trainer()

    def complete(self) -> None:
        """Trains to the last epoch, scores the best one, and marks the run as finished."""
        data = {**digests(self.corpus.files, self.root), **self.minimal_sets.digests()}
        here = circumstances(self.config["trainer"]["accelerator"], self.trainer.num_devices * self.trainer.num_nodes)
        self._report_start(self.directory.begin(data, **here))
        files = [*self.corpus.files, *self.probing.files, *self.minimal_sets.files]
        line_ends = report_line_ends(files, self.root)
        config = self.config
        logger = make_logger(config["logger"], self.directory.path, config)
        self.fit(logger)
        self.checkpoints.finish()
        self.directory.finish(self.rows(), {**self._notes(), "line_ends": line_ends})
        if logger is not None:
            logger.experiment.finish()

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
        """Yields every row of the finished run."""
        yield from self._epoch_rows()
        yield from (*self.probing.rows, *self.minimal_sets.rows)
        best = self.history.best_epoch
        model = open_model(self.directory.checkpoint(best), self.source)
        for split, examples in self.splits.items():
            yield from self._score_rows("test", self.encoder, split, model.scores(examples), best)
            baseline, scores = self.datamodule.baseline_scores(examples)
            rows = self._score_rows("baseline", baseline, split, scores, None)
            yield from (replace(row, note=self.datamodule.baseline_note) for row in rows)

    def _read_corpus(self) -> Corpus:
        data, workspace = self.config["data"], Workspace.of(self.config["paths"])
        ((name, settings),) = data["corpora"].items()
        corpus = read_corpus(name, settings, data["on_malformed"], self.root, workspace.mirror, data["max_words"])
        if data.get("upos_run"):
            return with_predicted_upos(corpus, data["upos_run"], workspace.encodings)
        return corpus

    def _trainer(self) -> pl.Trainer:
        config = self.config
        callbacks = [
            StepSeeds(config["seed"]),
            self.history,
            self.checkpoints,
            self.probing,
            self.minimal_sets,
            progress(config["monitor"]),
        ]
        options = {
            "max_epochs": config["trainer"]["max_epochs"],
            "accumulate_grad_batches": config["trainer"]["accumulate"],
            "plugins": [DigestedCheckpoints()],
        }
        return make_trainer(config["trainer"], self.directory.path, callbacks, **options)

    def _datamodule(self, inputs: Inputs) -> SharedOutDataModule:
        build = built({**self.config["task"]["datamodule"], "_partial_": True}, "task.datamodule")
        splits = {"train": self.corpus.train, "dev": self.corpus.dev, "test": self.corpus.test}
        datamodule = build(**splits, inputs=inputs, seed=self.config["seed"])
        datamodule.check_examples()
        return datamodule

    def _report_start(self, is_resumed: bool) -> None:
        say(f"{'resuming' if is_resumed else 'starting'} {self.directory.path}")
        for name, count in self.datamodule.counts().items():
            if count:
                say(f"  {name}: {count}")
        if self.corpus.malformed:
            say(f"  places of the corpus left out: {len(self.corpus.malformed)} (listed in run.json)")

    def _notes(self) -> dict[str, Any]:
        return {
            "best_epoch": self.history.best_epoch,
            "corpus": self.corpus.name,
            "counts": self.datamodule.counts(),
            "left_out": list(self.corpus.malformed),
            "devices": {key: self.config["trainer"][key] for key in ("accelerator", "devices", "strategy")},
            "threads": torch.get_num_threads(),
        }

    def _splits(self) -> Mapping[str, Sequence[Any]]:
        splits = {"dev": self.corpus.dev, "test": self.corpus.test, **self.corpus.beside}
        return {name: self.datamodule.kept(examples) for name, examples in splits.items()}

    def _epoch_rows(self) -> Iterator[ResultRow]:
        for row in self.history.rows:
            for metric in self.config["task"]["metrics"]:
                score = TaskScore(metric, row[f"dev/{metric}"], self.datamodule.n_scored, self.config["task"]["scorer"])
                yield from self._score_rows("training", self.encoder, "dev", [score], int(row["epoch"]))

    def _score_rows(
        self, stage: str, encoder: str, split: str, scores: Sequence[TaskScore], epoch: int | None
    ) -> Iterator[ResultRow]:
        for score in scores:
            yield ResultRow(
                stage=stage,
                lang=self.config["lang"]["code"],
                suite=self.config["task"]["name"],
                test=score.part,
                corpus=self.corpus.name,
                split=split,
                encoder=encoder,
                epoch=epoch,
                seed=self.config["seed"],
                metric=score.metric,
                scorer=score.scorer,
                value=score.value,
                precision=score.precision,
                recall=score.recall,
                interval_low=score.interval_low,
                interval_high=score.interval_high,
                n=score.n,
                note=self.datamodule.note,
                **(self.vectors if encoder == self.encoder else {}),
            )


def _vectors(config: Mapping[str, Any], inputs: Inputs) -> dict[str, str | None]:
    """Returns the columns that say what frozen vectors a model reads; none where it learns its own."""
    if inputs.source is None:
        return {}
    name = inputs.source.encoder.model_name
    return {"model": name, "options": options_in_words(config, "encoder", name is not None)}
