"""The settings of a training run: sections of train.py's configuration, checked once, for all that use them.

Nothing here imports torch: what a run is called, and whether it is finished, is known without a network of weights.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import BadValue, MissingExtra, PolyprobeError, check_choice
from polyprobe.formats.reading.case import case_rule
from polyprobe.probing.settings import ProbeSettings
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.identity import RunIdentity
from polyprobe.runs.trainer_settings import TrainerSettings
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Expected, Key, Section, Seed

LEARNED = "learned"
_IDENTITY = "WANDB_IDENTITY_TOKEN_FILE"  # in place of a key
SUITES = ("clams", "blimp")
"""Of minimal sets, which a language model can be scored on after every epoch."""


class DataSettings(Section, key="data"):
    """The one corpus that is read, and where from."""

    corpus: str
    """Name of a corpus in conf/corpora/<lang>.yaml; null: the default named there."""
    entry: Mapping[str, Any]
    """What `data.corpora` says of it: a reader, files, options."""
    on_malformed: str | None
    """Malformed lines: null: skip those known for this corpus, stop at any other; refuse: stop at the first; skip:
    skip and list them.
    """
    max_words: Annotated[Any, Expected("an integer of at least 1 or null")]
    """Maximum number of words per sentence; longer ones count as malformed (data.on_malformed); null: no limit."""
    root: Path
    """The folder of its files."""
    mirror: Any
    """Where missing files are fetched from instead of their own addresses; null for those."""

    @classmethod
    def of_corpus(cls, data: Mapping[str, Any], root: Path, mirror: str | None) -> Self:
        """Reads a section `data` that has one corpus, see `with_one_corpus`."""
        ((name, entry),) = data["corpora"].items()
        limits = {"on_malformed": data["on_malformed"], "max_words": data.get("max_words")}
        return cls(corpus=name, entry=entry, **limits, root=root, mirror=mirror)


class TaskSettings(Section, key="task"):
    """The section `task`, with `monitor` and `model_class`.

    Raises:
        BadValue: the task names no class of models.
        UnknownChoice: `monitor` is none of the metrics.
    """

    name: str
    """As it is typed after `task=`."""
    metrics: Any
    """Scores on dev, after every epoch."""
    scorer: str
    """Whose official scores they equal."""
    datamodule: Mapping[str, Any]
    """The class of its datamodule and the options of that."""
    monitor: str
    """The metric on dev by which the best epoch is known."""
    model_classes: Any
    """The names of the classes of its models."""

    @classmethod
    def of_task(cls, task: Mapping[str, Any], monitor: str, model_class: str | Sequence[str] | None) -> Self:
        """Reads the section `task`, the metric `monitor` and what `model_class` names: one class or several."""
        classes = (model_class,) if isinstance(model_class, str) else tuple(model_class or ())
        named = {key: task[key] for key in ("name", "metrics", "scorer", "datamodule")}
        return cls(**named, monitor=monitor, model_classes=classes)

    def __post_init__(self):
        super().__post_init__()
        if not self.model_classes:
            expected = "the class of the task's models, such as Tagger, in its file of conf/task"
            raise BadValue("model_class", None, expected)
        check_choice("monitor", self.monitor, [f"dev/{metric}" for metric in self.metrics])


class InputSettings(Section, key="encoder"):
    """The section `encoder`: what a model reads words with; and how vectors are kept, the section `cache`."""

    choice: Choice
    """As it is typed after `encoder=`; "learned": with the model."""
    tune: bool
    """With static vectors: true: learn an offset to the frozen vector of each word of train."""
    cache: VectorCache
    """Of frozen vectors."""

    def __post_init__(self):
        super().__post_init__()
        if self.is_learned and self.tune:
            raise BadValue("encoder.tune", self.tune, "false with encoder=learned")

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def options(self) -> dict[str, Any]:
        """The class of the encoder, or of what learns, and its options."""
        return {key: value for key, value in self.choice.options.items() if key != "tune"}

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
    """online: live dashboard of Weights & Biases; offline: files for a later wandb sync; null: none."""
    project: str | None = None
    """Name of the project in Weights & Biases."""
    entity: str | None = None
    """User or team that owns the project; null: your default one."""
    group: str | None = None
    """Group of runs; null: the sweep, if any."""
    tags: Annotated[Sequence[str], Expected("a list of words such as [pilot,finnish]")] = ()
    """Tags in addition to language, task or suite, and model."""
    notes: str | None = None
    """Description of the run."""
    save_dir: str | None = None
    """Folder for the files of Weights & Biases; null: the run directory."""
    package: str | None = None
    """Package that must be installed; an extra of the same name installs it."""
    lightning: Mapping[str, Any] | None = None
    """Function that returns a Lightning logger for a run folder, with its options; null: none."""

    def __post_init__(self):
        super().__post_init__()
        if self.package is not None and find_spec(self.package) is None:
            raise MissingExtra(self.package, self.package)

    @classmethod
    def of_finished(cls, values: Mapping[str, Any]) -> Self:
        """Reads the section of a command that shows finished runs.

        Raises:
            PolyprobeError: the logger is one of Lightning, which shows what training does.
        """
        logger = cls.of(values)
        if logger.lightning is not None:
            raise PolyprobeError("This logger only supports train.py. Expected logger=csv, wandb or wandb_offline.")
        return logger

    def check_login(self) -> None:
        """Checks, without a network, that W&B takes what is sent to it at the end of the work.

        Raises:
            PolyprobeError: nobody is logged in.
        """
        if self.wandb != "online" or _IDENTITY in os.environ:
            return
        import wandb  # half a second that runs without it do not pay

        with redirect_stderr(StringIO()):  # where it says that `api` may go one day
            key = wandb.api.api_key
        if not key:
            raise PolyprobeError(
                "logger=wandb: nobody is logged in to Weights & Biases. Expected `wandb login` once, or WANDB_API_KEY; "
                "logger=wandb_offline needs neither login nor network."
            )

    @property
    def is_metrics_file(self) -> bool:
        """Whether curves go to metrics.csv alone."""
        return self.wandb is None and self.lightning is None


@dataclass(frozen=True, slots=True)
class EpochSettings:
    """How the checkpoint of every epoch is scored on minimal sets: the section `minimal_sets`."""

    suites: Mapping[str, Sequence[str] | None]
    """The constructions of each suite; None: all. Each is prepared as its file in conf/suite says."""
    ties: str
    unknown_focus: str
    """Both as in `ScoringRules`."""
    predictor: Mapping[str, Any]
    """Options of `LSTMPredictor`."""
    languages: Sequence[Mapping[str, Any]]
    """The settings of `lang=<code>` of each language of the model."""
    workspace: Workspace


class TrainingSettings(Section):
    """All settings of a training run of a downstream task."""

    seed: Seed
    """Random seed of weights, order and dropout."""
    probe_each_epoch: Annotated[list, Expected("a list such as [Case,Person]")]
    """Probing tests run after every epoch, scores in metrics.csv: such as [Case,Person] of suite=…, or with the name
    of another suite, as [senteval/SentLen,senteval/WC]; []: none. With task=lm the model is evaluated on minimal sets:
    [clams], [blimp] (lang=en) or single constructions, as [clams/simple_agrmt,clams/vp_coord], prepared as in
    conf/suite/clams.yaml or blimp.yaml; suite=… and suite.…=… are ignored there.
    """
    language: Mapping[str, Any]
    """The settings of `lang=<code>`; of several in one model, its code is their codes joined by "+"."""
    model: Choice
    """The network, its optimiser and its learning rate rule."""
    task: TaskSettings
    """What is learned, and by which metric the best epoch is known."""
    data: DataSettings
    """The corpus; data=<file or folder>: your own, in a detected format (docs/own_data.md)."""
    inputs: InputSettings
    """What the model reads of words: learned embeddings, or the vectors of an encoder."""
    trainer: TrainerSettings
    """Devices, and how long the model is trained."""
    callbacks: Mapping[str, Any]
    """Lightning's callbacks and your own, by names of any kind."""
    logger: LoggerSettings
    """Whether results are logged to W&B."""
    tests: Any
    """Probing tests that are run after every epoch."""
    probing: ProbeSettings | None
    """How they are; None without tests."""
    probe_layers: Any
    """Layers of the model that are probed after every epoch."""
    minimal_sets: EpochSettings | None
    """How the model is scored on minimal sets after every epoch; None: it is not."""
    workspace: Workspace
    """The folders of data, runs and caches."""
    identity: RunIdentity
    """What a run is known by, but for the identity of its inputs."""
    kept: Mapping[str, Any]
    """The configuration with its one corpus, as config.yaml keeps it and a dashboard shows it."""

    def __post_init__(self):
        super().__post_init__()
        chosen = {name: one for name, one in self.callbacks.items() if isinstance(one, Mapping)}
        if not all(str(one.get("_target_")).startswith("pytorch_lightning.") for one in chosen.values()):
            return  # a callback of one's own may log more
        for name, one in chosen.items():
            if str(monitor := one.get("monitor")).startswith("dev/"):
                check_choice(f"callbacks.{name}.monitor", monitor, [f"dev/{metric}" for metric in self.task.metrics])

    @property
    def lang(self) -> str:
        """The code of the language."""
        return self.language["code"]


class WordVectorSettings(Section):
    """All settings of a run of task=word_vectors."""

    seed: Seed
    """Of the order of sentences, the first vectors and what is drawn."""
    lang: str
    """The code of the language."""
    task: str
    """As it is typed after `task=`."""
    model: Choice
    """What trains the vectors."""
    data: DataSettings
    """The text."""
    lowercase: Annotated[bool | Literal["python"], Key("data.lowercase"), Expected("true, false or python")]
    """Lower-casing: true: with the rules of the language (the paper's Wikipedia is lower-cased); python: with
    str.lower; false: none.
    """
    dotless_i: Any
    """Whether İ is the capital of i."""
    logger: LoggerSettings
    """Whether results are logged to W&B."""
    workspace: Workspace
    """The folders of data, runs and caches."""
    identity: RunIdentity
    """What a run is known by."""
    kept: Mapping[str, Any]
    """The configuration with its one corpus, as config.yaml keeps it and a dashboard shows it."""

    @property
    def case(self) -> str:
        """The rule by which words are lower-cased, see `case_rule`."""
        return case_rule(self.lowercase, self.dotless_i)
