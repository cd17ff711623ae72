"""The corpora that conf/corpora names, and which of them come by download."""

from collections.abc import Iterator, Mapping
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.runs.names.conf_folders import CONF, corpora_of_task

TASKS = ("pos", "dep", "ner", "nli", "srl")
BY_DOWNLOAD = {
    *("pos es ancora", "pos ru syntagrus", "dep de gsd", "dep es ancora", "dep fi tdt", "dep ru syntagrus"),
    *("ner de germeval", "ner de germeval_conll", "ner de germeval_nested", "ner tr twnertc"),
    *("srl fi finnish_up_standoff", "srl fi finnish_pb"),
    *(f"nli {lang} {corpus}" for lang in ("de", "es", "ru", "tr") for corpus in ("xnli_mt", "xnli_mt_released")),
    *("srl de conll2009", "srl es conll2009"),
}


def data_of(task: str, lang: str) -> Mapping[str, Any]:
    """Returns the settings of the data of a task in a language."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return OmegaConf.to_container(compose("train", [f"task={task}", f"lang={lang}"]).data, resolve=True)


def configured() -> Iterator[str]:
    """Yields "task lang corpus" for every corpus of a language other than the made-up one."""
    for task in TASKS:
        for lang in corpora_of_task(task):
            if lang != "mini":
                yield from (f"{task} {lang} {name}" for name in data_of(task, lang)["corpora"])
