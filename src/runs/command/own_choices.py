"""Choices outside of conf/: the files of installed packages and of your own folder, languages without a file."""

import os
import sys

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin

from polyprobe.display.shown import say
from polyprobe.runs.names.conf_folders import CONF, conf_folders


class OwnFolder(SearchPathPlugin):
    """Adds folders of installed packages and the own one after conf/ to the places where Hydra looks for choices."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See `SearchPathPlugin`."""
        if any(
            one.path.removeprefix("file://") == str(CONF) for one in search_path.get_path()
        ):  # else somebody else's Hydra looks
            for folder in conf_folders()[1:]:
                search_path.append("own", f"file://{folder}")


def search_own_folder() -> None:
    """Makes Hydra look into the own folder, in this process and in those of its launchers."""
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
