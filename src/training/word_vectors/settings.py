"""The settings of a training run of word vectors: read from the configuration and checked here, once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from src.errors import BadValue, PolyprobeError, check_at_least
from src.formats.reading.case import case_rule
from src.resources.data_root import data_root
from src.runs.workspace import Workspace
from src.training.settings import DataSettings, LoggerSettings, ModelSettings, with_one_corpus


@dataclass(frozen=True, slots=True, kw_only=True)
class WordVectorSettings:
    """All settings of a run of task=word_vectors.

    Raises:
        BadValue: the seed is below 0 or no integer.
    """

    config: Mapping[str, Any]
    """The configuration itself, plain values, with its one corpus: what a run is known by, its config.yaml, and what a
    dashboard shows. All else is in the other attributes."""
    seed: int
    """Of the order of sentences, the first vectors and what is drawn."""
    lang: str
    """The code of the language."""
    task: str
    """As it is typed after `task=`."""
    model: ModelSettings
    """What trains the vectors."""
    data: DataSettings
    """The text."""
    case: str
    """The rule by which its words are lower-cased, see `case_rule`."""
    logger: LoggerSettings
    """Whether W&B is told."""
    workspace: Workspace
    """The folders of data, runs and caches."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "WordVectorSettings":
        """Reads the resolved configuration of conf/train.yaml with task=word_vectors, plain values.

        The files of a generated language are made, since the corpus is one of those whose files are there.

        Raises:
            PolyprobeError: something is requested that gensim cannot do, or the language has no such text.
        """
        _check_circumstances(config)
        workspace = Workspace.of(config["paths"])
        root = data_root(config["lang"], workspace)
        config = with_one_corpus(config, root)
        return cls(
            config=config,
            seed=config["seed"],
            lang=config["lang"]["code"],
            task=config["task"]["name"],
            model=ModelSettings(config["choices"]["model"], config["model"]),
            data=DataSettings.of(config["data"], root, workspace.mirror),
            case=_case(config["data"]),
            logger=LoggerSettings.of(config["logger"]),
            workspace=workspace,
        )

    def __post_init__(self):
        check_at_least("seed", self.seed, 0)


def _check_circumstances(config: Mapping[str, Any]) -> None:
    if (config["trainer"]["accelerator"], config["trainer"]["devices"]) != ("cpu", 1):
        raise PolyprobeError(
            "task=word_vectors trains in one process on the CPU, with model.workers threads: trainer=cpu."
        )
    if config["probe_each_epoch"]:
        raise BadValue("probe_each_epoch", config["probe_each_epoch"], "[] with task=word_vectors")


def _case(data: Mapping[str, Any]) -> str:
    lowercase = data["lowercase"]
    if lowercase != "python" and not isinstance(lowercase, bool):
        raise BadValue("data.lowercase", lowercase, "true, false or python")
    return case_rule(lowercase, data["dotless_i"])
