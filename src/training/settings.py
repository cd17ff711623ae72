"""The settings of a training run: read from the configuration and checked here, once, for all that use them.

Nothing here imports torch: what a run is called, and whether it is finished, is known without a network of weights.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.datamodules.corpora.labelled_corpora import chosen_corpus, entries_of
from src.errors import BadValue, Impossible, PolyprobeError, check_at_least, check_choice, check_flag
from src.resources.data_root import data_root
from src.runs.command.sweep_job import runs_several_processes
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.names.identity import is_ours, lasting_name
from src.runs.workspace import Workspace

LEARNED = "learned"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerSettings:
    """The section `trainer`: devices, and how long a model is trained.

    Attributes:
        accelerator, devices, strategy, precision: as Lightning's Trainer takes them.
        several_processes: whether Lightning is to start processes.
        threads: of each process; None: as many as torch chooses.
        max_epochs: at most.
        accumulate: batches to a step of the optimiser.
        early_stopping: epochs without a new best, after which training ends; None: never.
        keep: "all", "best" or a list of epochs; see `kept_epochs`.

    Raises:
        PolyprobeError: weights would be kept in half precision.
        BadValue: a value is out of its range.
    """

    accelerator: str
    devices: int | str | list[int]
    strategy: str
    precision: str | int
    several_processes: bool
    threads: int | None
    max_epochs: int
    accumulate: int
    early_stopping: int | None
    keep: str | list[int]

    @classmethod
    def of(cls, trainer: Mapping[str, Any]) -> "TrainerSettings":
        """Reads the section."""
        return cls(
            accelerator=trainer["accelerator"],
            devices=trainer["devices"],
            strategy=trainer["strategy"],
            precision=trainer["precision"],
            several_processes=runs_several_processes(trainer),
            threads=trainer["threads"],
            max_epochs=trainer["max_epochs"],
            accumulate=trainer["accumulate"],
            early_stopping=trainer["early_stopping"],
            keep=trainer["keep"],
        )

    def __post_init__(self):
        check_at_least("trainer.max_epochs", self.max_epochs, 1)
        check_at_least("trainer.accumulate", self.accumulate, 1)
        if self.early_stopping is not None:
            check_at_least("trainer.early_stopping", self.early_stopping, 1)
        self._check_keep()
        self._check_precision()

    @property
    def kept_epochs(self) -> Collection[int] | None:
        """The epochs whose checkpoints stay in addition to the best and the last; None: all."""
        if self.keep == "all":
            return None
        return () if self.keep == "best" else tuple(self.keep)

    def _check_keep(self) -> None:
        if self.keep in ("all", "best"):
            return
        is_list = isinstance(self.keep, list)
        if not is_list or not all(type(one) is int and 0 <= one <= self.max_epochs for one in self.keep):
            expected = f"all, best, or a list of epochs from 0 to {self.max_epochs} such as [0,2]"
            raise BadValue("trainer.keep", self.keep, expected)

    def _check_precision(self) -> None:
        precision = str(self.precision)
        if precision.endswith("-true") and precision.startswith(("bf16", "16", "transformer-engine")):
            raise PolyprobeError(
                f"trainer.precision={precision} keeps the weights in half precision, where small steps of an optimiser "
                "vanish. Choose bf16-mixed, or 32-true."
            )
        if precision.startswith("64"):
            raise BadValue("trainer.precision", precision, "32-true or bf16-mixed (on a GPU also 16-mixed)")


@dataclass(frozen=True, slots=True)
class DataSettings:
    """The section `data` with the one corpus that it means, and where that is read from.

    Attributes:
        corpus: its name.
        entry: what `data.corpora` says of it: a reader, files, options.
        on_malformed: "refuse", "skip", or None: leave out the places that the entry knows.
        max_words: of a sentence; None: no limit.
        upos_run: the directory of a run of task=pos whose tags are read; None: those of the treebank.
        root: the folder of its files.
        mirror: where missing files are fetched from instead of their own addresses; None for those.
    """

    corpus: str
    entry: Mapping[str, Any]
    on_malformed: str | None
    max_words: int | None
    upos_run: str | None
    root: Path
    mirror: str | None

    @classmethod
    def of(cls, data: Mapping[str, Any], root: Path, mirror: str | None) -> "DataSettings":
        """Reads the section of a configuration that has one corpus, see `with_one_corpus`."""
        ((name, entry),) = data["corpora"].items()
        limits = data["on_malformed"], data.get("max_words")
        return cls(name, entry, *limits, data.get("upos_run") or None, root, mirror)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """The section `task`, with `monitor` and `model_class`.

    Attributes:
        name: as it is typed after `task=`.
        metrics: of dev, measured after every epoch.
        scorer: the official scorer that they count as.
        datamodule: the class of its datamodule and the options of that.
        monitor: the metric by which the best epoch is known, such as "dev/las".
        model_classes: the names of the classes of its models.

    Raises:
        BadValue: the task names no class of models.
        UnknownChoice: `monitor` is none of the metrics.
    """

    name: str
    metrics: tuple[str, ...]
    scorer: str
    datamodule: Mapping[str, Any]
    monitor: str
    model_classes: tuple[str, ...]

    @classmethod
    def of(cls, task: Mapping[str, Any], monitor: str, model_class: str | Sequence[str] | None) -> "TaskSettings":
        """Reads the section `task`, the metric `monitor` and what `model_class` names: one class or several."""
        classes = (model_class,) if isinstance(model_class, str) else tuple(model_class or ())
        return cls(task["name"], tuple(task["metrics"]), task["scorer"], task["datamodule"], monitor, classes)

    def __post_init__(self):
        if not self.model_classes:
            expected = "the class of the task's models, such as Tagger, in its file of conf/task"
            raise BadValue("model_class", None, expected)
        monitors = [f"dev/{metric}" for metric in self.metrics]
        check_choice("monitor", self.monitor, monitors)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The section `model`.

    Attributes:
        name: as it is typed after `model=`.
        options: the class of the model and its options.
    """

    name: str
    options: Mapping[str, Any]

    @property
    def class_path(self) -> str:
        """The class, as `_target_` names it."""
        return str(self.options["_target_"])


@dataclass(frozen=True, slots=True)
class InputSettings:
    """The section `encoder`: what a model reads words with; and how vectors are kept, the section `cache`.

    Attributes:
        name: as it is typed after `encoder=`; "learned": with the model.
        options: the class of the encoder, or of what learns, and its options.
        tune: whether an offset is learned for each word of train.
        number: the type of the numbers of kept vectors.
        max_gb: of all kept vectors; None: no limit.

    Raises:
        BadValue: `encoder.tune` is neither true nor false, or true where there is nothing to tune.
    """

    name: str
    options: Mapping[str, Any]
    tune: bool
    number: str
    max_gb: float | None

    @classmethod
    def of(cls, name: str, encoder: Mapping[str, Any], cache: Mapping[str, Any]) -> "InputSettings":
        """Reads the sections `encoder` and `cache`; `name` is the choice of the former."""
        options = {key: value for key, value in encoder.items() if key != "tune"}
        return cls(name, options, encoder["tune"], cache["number"], cache["max_gb"])

    def __post_init__(self):
        check_flag("encoder.tune", self.tune)
        if self.is_learned and self.tune:
            raise BadValue("encoder.tune", self.tune, "false with encoder=learned")

    @property
    def is_learned(self) -> bool:
        return self.name == LEARNED

    @property
    def learned_identity(self) -> dict[str, Any]:
        """All in learned inputs that can change a number, as `Inputs.identity` of what these options build."""
        return {key: value for key, value in self.options.items() if key != "_target_"}


@dataclass(frozen=True, slots=True)
class LoggerSettings:
    """The section `logger`.

    Attributes:
        wandb: "online", "offline", or None: no W&B.
        project: of W&B.

    Raises:
        PolyprobeError: `logger.wandb` is something else.
    """

    wandb: str | None
    project: str | None

    @classmethod
    def of(cls, logger: Mapping[str, Any]) -> "LoggerSettings":
        """Reads the section."""
        return cls(logger["wandb"], logger.get("project"))

    def __post_init__(self):
        if self.wandb not in (None, "online", "offline"):
            raise PolyprobeError(f'logger.wandb must be online, offline or null, is "{self.wandb}".')


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """All settings of a training run of a downstream task.

    Attributes:
        config: the configuration itself, plain values, with its one corpus: what a run is known by, its config.yaml,
            what a dashboard shows, and what probing inside the run reads. All else is in the other attributes.
        seed: of weights, order and dropout.
        lang: the code of the language; of several in one model, their codes joined by "+".
        model: the network, its optimiser and its learning rate rule.
        probe_each_epoch: probing tests and suites of minimal sets that are run after every epoch.
        task: what is learned, and by which metric the best epoch is known.
        data: the corpus.
        inputs: what the model reads of words: learned embeddings, or the vectors of an encoder.
        trainer: devices, and how long the model is trained.
        logger: whether W&B is told.
        workspace: the folders of data, runs and caches.

    Raises:
        BadValue: a value is out of its range.
    """

    config: Mapping[str, Any]
    seed: int
    lang: str
    model: ModelSettings
    probe_each_epoch: list[str]
    task: TaskSettings
    data: DataSettings
    inputs: InputSettings
    trainer: TrainerSettings
    logger: LoggerSettings
    workspace: Workspace

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "TrainingSettings":
        """Reads the resolved configuration of conf/train.yaml, plain values, of any task that has a datamodule.

        The files of a generated language are made, since the corpus is one of those whose files are there.

        Raises:
            PolyprobeError: a value is out of its range, the language has no such corpus, or no choice has that name.
        """
        workspace = Workspace.of(config["paths"])
        parts = {
            "task": TaskSettings.of(config["task"], config["monitor"], config.get("model_class")),
            "inputs": InputSettings.of(config["choices"]["encoder"], config["encoder"], config["cache"]),
            "trainer": TrainerSettings.of(config["trainer"]),
            "logger": LoggerSettings.of(config["logger"]),
        }
        root = data_root(config["lang"], workspace)
        config = with_one_corpus(config, root)
        return cls(
            config=config,
            seed=config["seed"],
            lang=config["lang"]["code"],
            model=ModelSettings(config["choices"]["model"], config["model"]),
            probe_each_epoch=config["probe_each_epoch"],
            data=DataSettings.of(config["data"], root, workspace.mirror),
            workspace=workspace,
            **parts,
        )

    def __post_init__(self):
        check_at_least("seed", self.seed, 0)
        if not isinstance(self.probe_each_epoch, list):
            raise BadValue("probe_each_epoch", self.probe_each_epoch, "a list such as [Case,Person]")


def with_one_corpus(config: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Returns the configuration with the corpus that it means, and no other, under `data`."""
    data = config["data"]
    if not data["corpora"]:
        task, lang = config["task"]["name"], config["lang"]["code"]
        known = ", ".join(languages_of(task))
        raise Impossible(f"task={task} has no corpus for lang={lang}. Languages that have one: {known}.")
    if data["corpus"] is None:
        raise Impossible(_without_corpus(config["task"]["name"], config["lang"]["code"], data["corpora"]))
    name = chosen_corpus(data, root)
    check_reader_of_task(config["task"]["name"], data["corpora"][name]["reader"])
    if name != data["corpus"]:
        log.warning("The files of %s are not in %s; taking %s instead.", data["corpus"], root, name)
    return {**config, "data": {**data, "corpus": name, "corpora": {name: data["corpora"][name]}}}


def _without_corpus(task: str, lang: str, corpora: Mapping[str, Any]) -> str:
    """Says that no corpus is named, as where a study takes that of its paper, and which languages have such a one."""
    known = [code for code in languages_of(task) if choice_settings("task_lang", f"{task}_{code}").get("paper_corpus")]
    papers = f"one of a paper, which task={task} has for lang={', '.join(known)}" if known else "a corpus"
    return f"No corpus is named for task={task} lang={lang}. Expected {papers}, or data.corpus={', '.join(corpora)}."


def check_reader_of_task(task: str, reader: str) -> None:
    """Checks that a reader of ours, not one of a user's own, yields what the task reads.

    Raises:
        PolyprobeError: it is one of other tasks.
    """
    known, name = _readers_of(task), lasting_name(reader)
    if name in known or not is_ours(reader):
        return
    others = " or ".join(f"task={one}" for one in choice_files("task") if name in _readers_of(one)) or "another task"
    expected = f"Expected {', '.join(sorted(known))}, or a function of your own, such as mine.read"
    raise PolyprobeError(f"task={task}: reader {name} is for {others}. {expected}.")


def _readers_of(task: str) -> set[str]:
    """Returns the readers of ours that a corpus of the task in conf/ has."""
    tasks = (task, "lm") if task == "word_vectors" else (task,)  # any text will do for vectors
    files = [f"{one}_{code}" for one in tasks for code in languages_of(one)]
    corpora = (choice_settings("task_lang", file).get("data", {}).get("corpora", {}) for file in files)
    entries = [entry for one in corpora for entry in one.values()]
    return {lasting_name(one["reader"]) for entry in entries for one in entries_of(entry)}


def languages_of(task: str) -> list[str]:
    """Returns the codes of the languages for which conf/task_lang has a corpus of the task."""
    names = choice_files("task_lang")
    return [name.removeprefix(f"{task}_") for name in names if name.startswith(f"{task}_")]
