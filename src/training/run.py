"""What train.py does: from its configuration to a finished run.

What a run is called, and what an earlier command found, is known without torch; only the work itself imports it.
"""

import atexit
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.labelled_corpora import file_names
from polyprobe.encoders.base.build import make_encoder, needs_torch
from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.encoders.inputs.vector_source import FrozenInputs, VectorSource
from polyprobe.errors import Impossible
from polyprobe.named import built
from polyprobe.resources.download import check_known
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.runs.names.identity import lasting_name
from polyprobe.runs.study import Study, done
from polyprobe.runs.trainer_settings import ARGUMENTS_WITHOUT_NUMBERS, counted_callbacks
from polyprobe.training.door import language_model_settings, sentence_encoder_settings, training_settings
from polyprobe.training.settings import InputSettings, TaskSettings, TrainingSettings

if TYPE_CHECKING:
    from polyprobe.training.training_run import TrainingRun


class TrainingStudy(Study):
    """A model that is trained, or goes on where an earlier start of the same run was cut off."""

    command, shares_work = "train", True

    def __init__(self, settings: TrainingSettings):
        self.settings, self.config, self.workspace = settings, settings.kept, settings.workspace
        check_model(settings.task, settings.model)
        if settings.trainer.arguments:
            # Lightning takes seconds that other finished runs do not pay.
            from polyprobe.models.base.lightning_process import check_arguments

            check_arguments(settings.trainer.arguments)
        # Frozen ones are known by their vectors.
        self._inputs = None if settings.inputs.is_learned else _inputs(settings)

    @property
    def name(self) -> str:
        learned, given = self.settings.inputs.learned_identity, self._inputs
        return self.settings.identity.name(encoder=learned if given is None else given.identity)

    @cached_property
    def run(self) -> RunDirectory:
        """The directory of the run; with fast_dev_run one that goes when the process ends."""
        if not self.settings.trainer.is_fast_dev_run:
            return RunDirectory(self.workspace.runs(self.command) / self.name)
        folder = mkdtemp(prefix="fast_dev_run-")
        atexit.register(rmtree, folder, ignore_errors=True)
        return RunDirectory(Path(folder) / self.name)

    @property
    def unused_when_finished(self) -> list[str]:
        settings = self.settings
        counted = counted_callbacks(settings.callbacks)
        watching = [name for name, one in settings.callbacks.items() if one is not None and name not in counted]
        logger = [] if settings.logger.is_metrics_file else [f"logger={self.config['choices']['logger']}"]
        passed = [f"trainer.{name}" for name in settings.trainer.arguments if name in ARGUMENTS_WITHOUT_NUMBERS]
        return [*logger, *passed, *(f"callbacks.{name}" for name in watching)]

    def versions(self) -> Mapping[str, str]:
        of_files = self.run.data_now(self.settings.data.root)
        if self.settings.minimal_sets is None:
            return of_files
        from polyprobe.training.callbacks.each_epoch import digests_of_sets, read_suites

        return {**of_files, **digests_of_sets(read_suites(self.settings.minimal_sets))}

    def prepare(self) -> "TrainingRun":
        data = self.settings.data
        for file in file_names(data.corpus, data.entry):
            check_known(data.root, file)  # before torch, whose import takes seconds
        from polyprobe.training.training_run import TrainingRun, prepared_process

        prepared_process(self.settings.trainer.threads)
        return TrainingRun(self.settings, self._inputs or _inputs(self.settings), self.run)


def train(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says, or continues where an earlier start of the same run was cut off.

    Args:
        config: the resolved configuration of conf/train.yaml, as plain values.

    Returns:
        The directory of the finished run; None in processes of a distributed run that only help.

    Raises:
        PolyprobeError: the data, the configuration or the run directory is not what it should be.
    """
    return done(TrainingStudy(training_settings(config)))


def train_language_model(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says; `data.languages` joins the texts of several languages. See `train`."""
    return done(TrainingStudy(language_model_settings(config)))


def train_sentence_encoder(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says, see `train`; the objective and the corpus must fit."""
    return done(TrainingStudy(sentence_encoder_settings(config)))


def _inputs(settings: TrainingSettings) -> Inputs:
    """Builds what words are read with; torch, where an encoder needs it, is set up before that computes."""
    if needs_torch(settings.inputs.options):
        from polyprobe.training.training_run import prepared_process

        prepared_process(settings.trainer.threads)
    return chosen_inputs(settings.inputs)


def check_model(task: TaskSettings, model: Choice) -> None:
    """Checks that the model is of a class that the task names."""
    if lasting_name(model.class_path) not in task.model_classes:
        classes = {one: str(choice_settings("model", one).get("_target_")) for one in choice_files("model")}
        known = ", ".join(one for one, name in classes.items() if lasting_name(name) in task.model_classes)
        raise Impossible(f"model={model.name} is not a model of task={task.name}. Known: {known}.")


TRANSFORMER = "TransformerEncoder"
SENTENCES_ALONE = "UntrainedEncoder"  # by its name: its module, with torch, is loaded where it is chosen


def chosen_inputs(settings: InputSettings) -> Inputs:
    """Builds what `encoder` says."""
    if settings.is_learned:
        return built(settings.options, "encoder")
    options = dict(settings.options)
    if "level" in options and lasting_name(str(options["_target_"])) == TRANSFORMER:
        options["level"] = "token"  # that of the suite is about the items of probes
    encoder = make_encoder(options)
    if type(encoder).__name__ == SENTENCES_ALONE:
        raise Impossible(
            f"encoder={settings.name} has vectors of sentences. The inputs of a task are vectors of words."
        )
    if isinstance(encoder, CountEncoder):
        raise Impossible(f"encoder={settings.name} counts and has no vectors of words.")
    if options.get("layers", ()) is None and len(encoder.layers) > 1:
        options["layers"] = [encoder.top]
        encoder = make_encoder(options)
    source = VectorSource(encoder, settings.cache)
    return FrozenInputs(options, source, settings.tune)
