"""The settings of a training run: read from the configuration and checked here, once, for all that use them.

Nothing here imports torch: what a run is called, and whether it is finished, is known without a network of weights.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from src.datamodules.corpora.labelled_corpora import chosen_corpus, entries_of
from src.errors import BadValue, Impossible, PolyprobeError, check_at_least, check_choice, check_flag
from src.resources.data_root import data_root
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.names.identity import is_ours, lasting_name
from src.runs.trainer_settings import TrainerSettings
from src.runs.workspace import Workspace
from src.section import Expected, Section

LEARNED = "learned"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DataSettings:
    """The section `data` with the one corpus that it means, and where that is read from."""

    corpus: str
    """Its name."""
    entry: Mapping[str, Any]
    """What `data.corpora` says of it: a reader, files, options."""
    on_malformed: str | None
    """refuse, skip, or None: leave out the places that the entry knows."""
    max_words: int | None
    """Of a sentence; None: no limit."""
    upos_run: str | None
    """The directory of a run of task=pos whose tags are read; None: those of the treebank."""
    root: Path
    """The folder of its files."""
    mirror: str | None
    """Where missing files are fetched from instead of their own addresses; None for those."""

    @classmethod
    def of(cls, data: Mapping[str, Any], root: Path, mirror: str | None) -> "DataSettings":
        """Reads the section of a configuration that has one corpus, see `with_one_corpus`."""
        ((name, entry),) = data["corpora"].items()
        limits = data["on_malformed"], data.get("max_words")
        return cls(name, entry, *limits, data.get("upos_run") or None, root, mirror)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """The section `task`, with `monitor` and `model_class`.

    Raises:
        BadValue: the task names no class of models.
        UnknownChoice: `monitor` is none of the metrics.
    """

    name: str
    """As it is typed after `task=`."""
    metrics: tuple[str, ...]
    """Of dev, measured after every epoch."""
    scorer: str
    """The official scorer that they count as."""
    datamodule: Mapping[str, Any]
    """The class of its datamodule and the options of that."""
    monitor: str
    """The metric by which the best epoch is known, such as "dev/las"."""
    model_classes: tuple[str, ...]
    """The names of the classes of its models."""

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
    """The section `model`."""

    name: str
    """As it is typed after `model=`."""
    options: Mapping[str, Any]
    """The class of the model and its options."""

    @property
    def class_path(self) -> str:
        """The class, as `_target_` names it."""
        return str(self.options["_target_"])


@dataclass(frozen=True, slots=True)
class InputSettings:
    """The section `encoder`: what a model reads words with; and how vectors are kept, the section `cache`.

    Raises:
        BadValue: `encoder.tune` is neither true nor false, or true where there is nothing to tune.
    """

    name: str
    """As it is typed after `encoder=`; "learned": with the model."""
    options: Mapping[str, Any]
    """The class of the encoder, or of what learns, and its options."""
    tune: bool
    """Whether an offset is learned for each word of train."""
    number: str
    """The type of the numbers of kept vectors."""
    max_gb: float | None
    """Of all kept vectors; None: no limit."""

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


class LoggerSettings(Section, key="logger"):
    """The section `logger`."""

    wandb: Annotated[Literal["online", "offline"], Expected("online, offline or null")] | None
    """null: no W&B."""
    project: str | None = None
    """Of W&B."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """All settings of a training run of a downstream task.

    Raises:
        BadValue: a value is out of its range.
    """

    config: Mapping[str, Any]
    """The configuration itself, plain values, with its one corpus: what a run is known by, its config.yaml, what a
    dashboard shows, and what probing inside the run reads. All else is in the other attributes."""
    seed: int
    """Of weights, order and dropout."""
    lang: str
    """The code of the language; of several in one model, their codes joined by "+"."""
    model: ModelSettings
    """The network, its optimiser and its learning rate rule."""
    probe_each_epoch: list[str]
    """Probing tests and suites of minimal sets that are run after every epoch."""
    task: TaskSettings
    """What is learned, and by which metric the best epoch is known."""
    data: DataSettings
    """The corpus."""
    inputs: InputSettings
    """What the model reads of words: learned embeddings, or the vectors of an encoder."""
    trainer: TrainerSettings
    """Devices, and how long the model is trained."""
    logger: LoggerSettings
    """Whether W&B is told."""
    workspace: Workspace
    """The folders of data, runs and caches."""

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
