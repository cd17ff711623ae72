"""Compositions of conf/ that all test processes share: to make one anew takes five times as long.

What is typed as `key=value` is set in a copy of what the chosen files are together, as Hydra does. A composition with
files from elsewhere is made anew each time.
"""

import copy
import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import omegaconf
import pytest
from hydra._internal import config_loader_impl
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import CachingConfigRepository, IConfigRepository
from hydra._internal.defaults_list import DefaultsList
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from omegaconf import OmegaConf

from polyprobe.runs.command.own_choices import search_own_folder
from polyprobe.runs.names.conf_folders import CONF

SHIPPED = ("pkg", "structured", "polyprobe")  # schemes of sources


def keep_compositions(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keeps in a folder which choices lists of defaults make and what these are together; in memory what files say."""
    search_own_folder()
    patch.setattr(OmegaConf, "load", _loaded_once(OmegaConf.load))
    for module in (omegaconf.base, omegaconf._utils):
        patch.setattr(module, "parse", functools.cache(omegaconf.grammar_parser.parse))  # trees that nothing changes
    patch.setattr(CachingConfigRepository, "__init__", _without_deep_copy)
    make_list, join = config_loader_impl.create_defaults_list, ConfigLoaderImpl._compose_config_from_defaults_list

    def defaults_of(repo, config_name, overrides_list, prepend_hydra, skip_missing) -> DefaultsList:
        given = (prepend_hydra, skip_missing)
        if not _is_shipped(repo):
            return make_list(repo, config_name, overrides_list, *given)
        single = [one for one in overrides_list if not one.is_sweep_override()]
        choices = [one for one in single if _is_choice(one, repo)]
        key = (config_name, *given, [one.input_line for one in choices])
        kept = _kept(folder, key, lambda: make_list(repo, config_name, choices, *given))
        return replace(kept, config_overrides=[one for one in single if one not in choices])

    def joined(loader, defaults, repo) -> Any:
        if not _is_shipped(repo):
            return join(loader, defaults, repo)
        return _kept(folder, [astuple(one) for one in defaults], lambda: join(loader, defaults, repo))

    patch.setattr(config_loader_impl, "create_defaults_list", defaults_of)
    patch.setattr(ConfigLoaderImpl, "_compose_config_from_defaults_list", joined)


def _kept(folder: Path, key: Any, make: Callable[[], Any]) -> Any:
    """Returns what has been made under a key, in this or another process, else makes it; each time a copy.

    What is stored beside the files, such as a language that a test adds, belongs to every key.
    """
    file = folder / hashlib.sha256(repr((key, ConfigStore.instance().repo)).encode()).hexdigest()
    if file.exists():
        return pickle.loads(file.read_bytes())
    made = make()
    unfinished = file.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(made))
    unfinished.rename(file)  # tests count calls of os.replace
    return made


def _without_deep_copy(repository: CachingConfigRepository, delegate: IConfigRepository) -> None:
    """Its only change of what it delegates to is another list of sources."""
    repository.delegate, repository.cache = copy.copy(delegate), {}


def _is_shipped(repo: Any) -> bool:
    """Says whether all files are of conf/ or Hydra's own."""
    return all(one.scheme() in SHIPPED or one.path == str(CONF) for one in repo.get_sources())


def _is_choice(override: Override, repo: Any) -> bool:
    """Says whether an override chooses a file, as Hydra sees it."""
    return not isinstance(override.value(), dict) and repo.group_exists(override.key_or_group)


def _loaded_once(load: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.cache
    def pickled(path: Path) -> bytes:
        return pickle.dumps(load(path))

    def load_once(file: Any) -> Any:
        path = Path(getattr(file, "name", file))
        return pickle.loads(pickled(path)) if path.is_relative_to(CONF) else load(file)  # faster than deepcopy

    return load_once
