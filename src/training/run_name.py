"""What every training run makes of its configuration before it reads any data: its corpus and its name."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from src.datamodules.corpora.labelled_corpora import chosen_corpus
from src.errors import Impossible
from src.formats.files.file_names import file_name
from src.runs.names.conf_folders import choice_files
from src.runs.names.identity import identity

PROBING = ("probe_each_epoch", "suite", "probe", "probe_layers", "seeds", "minimal_sets")

log = logging.getLogger(__name__)


def with_one_corpus(config: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Returns the configuration with the corpus that it means, and no other, under `data`."""
    data = config["data"]
    if not data["corpora"]:
        task, lang = config["task"]["name"], config["lang"]["code"]
        known = ", ".join(languages_of(task))
        raise Impossible(f"task={task} has no corpus for lang={lang}. Languages that have one: {known}.")
    name = chosen_corpus(data, root)
    if name != data["corpus"]:
        log.warning("The files of %s are not in %s; taking %s instead.", data["corpus"], root, name)
    return {**config, "data": {**data, "corpus": name, "corpora": {name: data["corpora"][name]}}}


def languages_of(task: str) -> list[str]:
    """Returns the codes of the languages for which conf/task_lang has a corpus of the task."""
    names = choice_files("task_lang")
    return [name.removeprefix(f"{task}_") for name in names if name.startswith(f"{task}_")]


def run_name(config: Mapping[str, Any], encoder: str) -> str:
    """Returns task, language, what words are read with, seed and identity: `srl-fi-learned-s1-3f2a9c1e`.

    Args:
        config: with the identity of the inputs as `encoder`, and of a tagger as `data.upos_run`: the same vectors or
            tags from another path are the same run.
        encoder: the name of the inputs.
    """
    task, lang = config["task"]["name"], config["lang"]["code"]
    unused = () if config["probe_each_epoch"] else (*PROBING, "cache")
    used = {**config, "cache": config["cache"]["number"]}
    number = identity({key: value for key, value in used.items() if key not in unused})
    return file_name(f"{task}-{lang}-{encoder}-s{config['seed']}-{number}")
