"""Choices that are no files of a group of conf/: languages of its table, settings by task, your own folder."""

import os
import sys

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from polyprobe.display.shown import say
from polyprobe.runs.names.conf_folders import CONF, conf_folders, corpora_of_language, languages, learned_inputs

GLOBAL_GROUPS = ("task_lang", "task_encoder")
"""Of conf/train.yaml: the corpora of `<task>_<language>`, and what `<task>_learned` learns."""


class Catalogue(ConfigSource):
    """Reads conf/languages.csv, conf/corpora/ and conf/learned.yaml as if each entry were a file of a group."""

    @staticmethod
    def scheme() -> str:
        """See `ConfigSource`, as the other methods."""
        return "polyprobe"

    def available(self) -> bool:
        return True

    def is_group(self, config_path: str) -> bool:
        return config_path in ("lang", *GLOBAL_GROUPS)

    def is_config(self, config_path: str) -> bool:
        return _entry(config_path) is not None

    def load_config(self, config_path: str) -> ConfigResult:
        package = "_global_" if config_path.startswith(GLOBAL_GROUPS) else None
        settings = OmegaConf.create(_entry(config_path))
        return ConfigResult(self.provider, self.full_path(), settings, header={"package": package})

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        return sorted(languages()) if config_path == "lang" and results_filter != ObjectType.GROUP else []


def _entry(config_path: str) -> dict | None:
    """Returns the settings of "lang/fi", "task_lang/srl_fi" or "task_encoder/srl_learned"; None for no such entry."""
    group, _, name = config_path.removesuffix(".yaml").partition("/")
    task, _, last = name.rpartition("_")
    if group == "lang":
        return languages().get(name)
    if group == "task_lang":
        return corpora_of_language(last).get(task)
    return learned_inputs(task) if (group, last) == ("task_encoder", "learned") else None


class OwnFolder(SearchPathPlugin):
    """Makes Hydra look for choices in the catalogue, installed packages and the own folder, after conf/."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See `SearchPathPlugin`."""
        if any(
            one.path.removeprefix("file://") == str(CONF) for one in search_path.get_path()
        ):  # else somebody else's Hydra looks
            search_path.append("polyprobe", f"{Catalogue.scheme()}://conf")
            for folder in conf_folders()[1:]:
                search_path.append("own", f"file://{folder}")


def search_own_folder() -> None:
    """Makes Hydra look into the catalogue and the own folder, in this process and in those of its launchers."""
    Plugins.instance().register(Catalogue)
    Plugins.instance().register(OwnFolder)


def add_language(code: str) -> None:
    """Adds a choice `lang=<code>` with nothing but its code, which is its name, too; reports that once."""
    store = ConfigStore.instance()
    if f"{code}.yaml" in store.repo.get("lang", {}):
        return
    node = {"code": code, "name": code, "linspector": None, "generator": None}
    store.store(group="lang", name=code, node=node)
    if "LOCAL_RANK" in os.environ:  # the first process has said so
        return
    say(
        f"Note: '{code}' is not a built-in language; used as a label only. To define it: put lang/{code}.yaml into a "
        "folder and pass --config-dir FOLDER.",
        sys.stderr,
    )
