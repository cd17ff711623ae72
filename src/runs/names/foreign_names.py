"""What a name in a file of a run may refer to; nothing else is imported, built or called for it.

A checkpoint or a config.yaml may come from anywhere, and names classes and functions. A class is looked up among those
that the package of its place defines, before anything is imported, and is of the base of that place: where a model is
expected no optimiser is built. Functions are those that conf/ names. Your own folder of choices, and installed
packages, add the names in their files.
"""

import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from polyprobe.display.shown import cut, shown
from polyprobe.errors import PolyprobeError, nearest
from polyprobe.named import object_at
from polyprobe.runs.names.conf_folders import choice_files, choice_settings, conf_folders, file_content
from polyprobe.runs.names.identity import EARLIER_VALUES, lasting_name

_LONGEST = 200  # characters of a name in a message
_NAMES = ("_target_", "_partial_", "_convert_")


@dataclass(frozen=True)
class Place:
    """A place in a file of a run, by what its name may refer to."""

    word: str
    """For it with its article, in messages."""
    packages: tuple[str, ...] = ()
    """Those that define its classes."""
    base: str | None = None
    """What its classes are derived from, a dotted name; None for functions."""
    groups: tuple[str, ...] = ()
    """The groups of conf/ whose files name functions, or classes of your own."""
    key: str = "_target_"
    """The key of such a name in those files."""


MODEL = Place("a model", ("polyprobe.models",), "polyprobe.models.base.task_model.TaskModel", ("model",))
OPTIMISER = Place("an optimiser", ("torch.optim",), "torch.optim.Optimizer")
RATE_RULE = Place("a learning rate rule", ("polyprobe.models.base",), "polyprobe.models.base.task_model.RateDecay")
READER_OF_WORDS = Place("a reader of words", ("polyprobe.models.inputs",), "torch.nn.Module")
SENTENCE_NETWORK = Place(
    "a network over the words of a sentence", ("polyprobe.models.sentence_networks",), "torch.nn.Module"
)
OBJECTIVE = Place("an objective of sentence encoders", ("polyprobe.models.objectives",), "torch.nn.Module")
HEAD = Place(
    "a decoder or a classifier of pairs",
    ("polyprobe.models.decoders", "polyprobe.models.objectives"),
    "torch.nn.Module",
)
ENCODER = Place("an encoder", ("polyprobe.encoders",), "polyprobe.encoders.base.encoder.Encoder", ("encoder",))
READER = Place("a reader of a corpus", groups=("corpora", "experiment"), key="reader")
GENERATOR = Place("a generator of a language", groups=("lang",))
LOGGER = Place("a logger of training", groups=("logger",))


class ForeignName(PolyprobeError):
    """A name in a file refers to nothing that may be built at its place.

    Args:
        name: as it was found.
        key: where it was found ("model.optimizer").
        place: what is built there; None: nothing is.
        reason: why not, where the name itself is known.

    Attributes:
        found: as a clause, of a file.
        expected: as a clause without a full stop.
    """

    def __init__(self, name: object, key: str, place: Place | None, reason: str = ""):
        written = cut(f'"{shown(name)}"' if isinstance(name, str) else repr(name), _LONGEST)
        self.found = f"it asks for {written} as {key}" + (f", and {reason}" if reason else "")
        self.expected = place.word if place else "a plain value there"
        hint = f" {nearest(_short(place, name), names_of(place))}" if place and isinstance(name, str) else ""
        super().__init__(f"{key}: {written} cannot be used. Expected {self.expected}.{hint}")


def known(place: Place, name: object, key: str) -> Any:
    """Returns the class or function that a name refers to at its place.

    Args:
        name: as in a file: `Tagger`, or with any module of ours, as in files of earlier versions.
        key: where it was found, for messages.

    Raises:
        ForeignName: it refers to nothing that may be built there.
    """
    dotted = names_of(place).get(_short(place, name)) if isinstance(name, str) else None
    if dotted is None:
        raise ForeignName(name, key, place)
    try:
        found = object_at(dotted, key)
    except PolyprobeError as error:
        raise ForeignName(name, key, place, "it is not there") from error
    if found.__module__ != dotted.rpartition(".")[0] or not _is_of(place, found):
        raise ForeignName(name, key, place, "it is no such thing")
    return found


def names_of(place: Place) -> dict[str, str]:
    """Returns the dotted names that a place has, by the names that files may have."""
    named = sorted(_names_in(place, tuple(conf_folders())))
    return {**{lasting_name(name): name for name in named}, **_classes(place.packages)}


def _short(place: Place, name: str) -> str:
    """Returns a name as `names_of` has it; torch's optimisers come with the name of their package."""
    package, _, last = name.rpartition(".")
    return last if package in place.packages else lasting_name(name)


@cache
def _classes(packages: Sequence[str]) -> dict[str, str]:
    """Finds the classes that the files of packages define, without importing these files."""
    found = {}
    for package in packages:
        (folder,) = importlib.util.find_spec(package).submodule_search_locations
        for file in sorted(Path(folder).rglob("*.py")):
            module = ".".join((package, *file.relative_to(folder).with_suffix("").parts))
            names = re.findall(r"^class ([A-Z]\w*)", file.read_text(encoding="utf-8"), re.MULTILINE)
            found.update((name, f"{module}.{name}") for name in names)
    return found


@cache
def _names_in(place: Place, folders: Sequence[Path]) -> frozenset[str]:
    """Returns the names in the files of the groups of a place."""
    named = set()
    for path in (path for folder in folders for group in place.groups for path in (folder / group).glob("*.yaml")):
        try:
            named.update(_values(file_content(path), place.key))
        except PolyprobeError:  # it names nothing, and is reported when it is chosen
            continue
    return frozenset(name for name in named if "." in name.strip("?."))


def _values(node: Any, wanted: str) -> Iterator[str]:
    """Yields the texts that stand under a key, at any depth."""
    for key, value in node.items() if isinstance(node, Mapping) else ():
        if key == wanted and isinstance(value, str):
            yield value
        yield from _values(value, wanted)


def _is_of(place: Place, found: object) -> bool:
    if place.base is None:
        return inspect.isfunction(found)
    base = object_at(place.base, place.word)
    is_derived = inspect.isclass(found) and issubclass(found, base) and found is not base
    return is_derived and not inspect.isabstract(found)


def trusted_settings(group: str, choice: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings that a run was made with; nothing in them says what is imported or called but the choice's file.

    Args:
        group, choice: the file `conf/<group>/<choice>.yaml`.
        found: the settings in the configuration of a run, which may come from anywhere.

    Raises:
        UnknownChoice: there is no such file.
        ForeignName: something is to be built where the file of the choice builds nothing.
    """
    own = choice_settings(group, choice)
    earlier = {key: EARLIER_VALUES[f"{group}.{key}"] for key in own if f"{group}.{key}" in EARLIER_VALUES}
    return {**earlier, **_trusted(own, found, group)}


def trusted_language(found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a run knew of its language; of one that is no choice nothing is built.

    Raises:
        ForeignName: something is to be built where the file of the language, if there is one, builds nothing.
    """
    has_file = found["code"] in choice_files("lang")
    return _trusted(choice_settings("lang", found["code"]) if has_file else {}, found, "lang")


def _trusted(own: Any, found: Any, place: str) -> Any:
    """Returns a value that was found, with the names of what is built from the file of the choice."""
    if isinstance(found, list):
        return [_trusted(None, one, place) for one in found]
    if not isinstance(found, Mapping):
        return found
    own = own if isinstance(own, Mapping) else {}
    if "_target_" in found and "_target_" not in own:
        raise ForeignName(found["_target_"], f"{place}._target_", None)
    plain = {key: value for key, value in found.items() if key not in _NAMES}
    names = {key: own[key] for key in _NAMES if key in own}
    return {**names, **{key: _trusted(own.get(key), value, f"{place}.{key}") for key, value in plain.items()}}
