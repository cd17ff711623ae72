"""The closed table: the names allowed in files of a run. Nothing else is imported, built or called for them.

A checkpoint or a config.yaml may come from anywhere, and names classes and functions. A name is looked up here before
anything is imported, among the names of the expected kind: where a model is expected no optimiser is built. The choices
of users are in conf/, so its files are the table of encoders, models, readers and generators: a new file adds entries.
"""

import inspect
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

_SHOWN = 200  # characters of a name in a message


@dataclass(frozen=True)
class Kind:
    """A kind of things that a name may refer to."""

    word: str
    """For it with its article, in messages."""
    where: str
    """Where its names are defined, in messages."""
    base: str | None = None
    """What its classes are derived from, a dotted name that is imported after the lookup; None for functions."""
    names: frozenset[str] = frozenset()
    """Those that are not in files of conf/."""
    files: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    """Files of conf/, and the keys that hold names; `*` is any file, any key."""

    @classmethod
    def of_names(cls, word: str, base: str, where: str, *names: str) -> "Kind":
        """Returns a kind whose names all begin with that of a package."""
        return cls(word, where, base, frozenset(f"{where}.{name}" for name in names))


_CORPUS = ("data", "corpora", "*")

MODEL = Kind(
    "a model",
    "conf/model",
    "polyprobe.models.base.task_model.TaskModel",
    files=("model/*.yaml",),
    keys=(("_target_",),),
)
OPTIMISER = Kind.of_names(
    "an optimiser", "torch.optim.Optimizer", "torch.optim",
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam", "RAdam", "RMSprop",
    "Rprop", "SGD", "SparseAdam",
)  # fmt: skip
RATE_RULE = Kind.of_names(
    "a learning rate rule", "polyprobe.models.base.task_model.RateDecay", "polyprobe.models.base.rate_decay",
    "HalvedAfterSmallGains", "LoweredWithoutGain", "LoweredWithoutNewBest", "ShrunkEachEpoch",
)  # fmt: skip
READER_OF_WORDS = Kind.of_names(
    "a reader of words", "torch.nn.Module", "polyprobe.models.inputs",
    "frozen_vectors.FrozenVectors", "learned_words.LearnedWords", "learned_words.TrigramWords",
)  # fmt: skip
SENTENCE_NETWORK = Kind.of_names(
    "a network over the words of a sentence", "torch.nn.Module", "polyprobe.models.sentence_networks",
    "sentence_network.BiLSTMLast", "sentence_network.BiLSTMMax", "gated_convnet.GatedConvNet",
)  # fmt: skip
OBJECTIVE = Kind.of_names(
    "an objective of sentence encoders", "torch.nn.Module", "polyprobe.models.objectives",
    "pair_inference.PairInference", "target_generation.NextSentence", "target_generation.TextGeneration",
    "target_generation.TreeGeneration",
)  # fmt: skip
HEAD = Kind.of_names(
    "a decoder or a classifier of pairs", "torch.nn.Module", "polyprobe.models",
    "decoders.unit_decoder.AttentionDecoder", "decoders.unit_decoder.LSTMDecoder",
    "objectives.pair_inference.PairClassifier",
)  # fmt: skip
ENCODER = Kind(
    "an encoder",
    "conf/encoder",
    "polyprobe.encoders.base.encoder.Encoder",
    files=("encoder/*.yaml",),
    keys=(("_target_",),),
)
READER = Kind(
    "a reader of a corpus",
    "conf/task_lang",
    files=("task_lang/*.yaml", "experiment/*.yaml"),
    keys=((*_CORPUS, "reader"), (*_CORPUS, "more_train", "*", "reader"), (*_CORPUS, "beside", "*", "reader")),
)
GENERATOR = Kind("a generator of a language", "conf/lang", files=("lang/*.yaml",), keys=(("generator", "_target_"),))
LOGGER = Kind("a logger of training", "conf/logger", files=("logger/*.yaml",), keys=(("lightning", "_target_"),))

KINDS = (
    MODEL, OPTIMISER, RATE_RULE, READER_OF_WORDS, SENTENCE_NETWORK, OBJECTIVE, HEAD, ENCODER, READER, GENERATOR,
    LOGGER,
)  # fmt: skip


class NotInTable(PolyprobeError):
    """A name refers to nothing that may be built at its place.

    Args:
        name: as it was found.
        place: where it was found ("model.optimizer").
        kind: of the things that are built there; None: nothing is.
        reason: why not, where the name itself is known.

    Attributes:
        found: as a clause, of a file.
        expected: as a clause without a full stop.
    """

    def __init__(self, name: object, place: str, kind: Kind | None, reason: str = ""):
        super().__init__(name, place, kind, reason)
        self.name, self.place, self.kind = name, place, kind
        self.found = f"it asks for {_shown(name)} as {place}" + (f", and {reason}" if reason else "")
        self.expected = f"{kind.word} that {kind.where} has" if kind else "a plain value there"

    def __str__(self) -> str:
        hint = f" {_nearest(self.kind, self.name)}" if self.kind and isinstance(self.name, str) else ""
        return f"{self.place}: {_shown(self.name)} cannot be used. Expected {self.expected}.{hint}"


def known(kind: Kind, name: object, place: str) -> Any:
    """Returns the class or function of a name.

    The name is looked up first; then exactly the entry of the table is imported, which must be defined in its own
    module, and be a class of its kind, or a function.

    Args:
        name: as in a file: `Tagger`, or with any module of ours, as in files of earlier versions.

    Raises:
        NotInTable: it refers to nothing of this kind.
    """
    table = {lasting_name(one): one for one in names_of(kind)}
    if not isinstance(name, str) or lasting_name(name) not in table:
        raise NotInTable(name, place, kind)
    dotted = table[lasting_name(name)]
    try:
        found = object_at(dotted, place)
    except PolyprobeError as error:
        raise NotInTable(name, place, kind, "it is not there") from error
    if not _is_of(kind, found, dotted.rpartition(".")[0]):
        raise NotInTable(name, place, kind, "it is no such thing")
    return found


def names_of(kind: Kind) -> frozenset[str]:
    """Returns the names of a kind: the table."""
    return kind.names | _names_in(kind, tuple(conf_folders()))


@cache
def _names_in(kind: Kind, folders: Sequence[Path]) -> frozenset[str]:
    paths = [path for folder in folders for pattern in kind.files for path in sorted(folder.glob(pattern))]
    contents = [_content(path) for path in paths]
    named = {name for content in contents for keys in kind.keys for name in _values(content, keys)}
    return frozenset(name for name in named if isinstance(name, str) and "." in name.strip("?."))


def _content(path: Path) -> Any:
    """Reads a file of configuration; one that cannot be read names nothing, and is reported when it is chosen."""
    try:
        return file_content(path)
    except PolyprobeError:
        return None


def _values(node: Any, keys: Sequence[str]) -> Iterator[Any]:
    if not keys:
        yield node
    elif isinstance(node, Mapping):
        chosen = list(node.values()) if keys[0] == "*" else [node[keys[0]]] if keys[0] in node else []
        for value in chosen:
            yield from _values(value, keys[1:])


def _is_of(kind: Kind, found: object, module: str) -> bool:
    if kind.base is None:
        return inspect.isfunction(found) and found.__module__ == module
    base = object_at(kind.base, kind.word)
    if not inspect.isclass(found) or inspect.isabstract(found) or found is base or not issubclass(found, base):
        return False
    # torch.optim.Adam is defined in torch.optim.adam.
    return found.__module__ == module or (kind is OPTIMISER and found.__module__.startswith(f"{module}."))


def _nearest(kind: Kind, name: str) -> str:
    return nearest(lasting_name(name), map(lasting_name, names_of(kind)))


def _shown(name: object) -> str:
    return cut(f'"{shown(name)}"' if isinstance(name, str) else repr(name), _SHOWN)


_NAMES = ("_target_", "_partial_", "_convert_")


def trusted_settings(group: str, choice: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings that a run was made with; nothing in them says what is imported or called but the choice's file.

    Args:
        group, choice: the file `conf/<group>/<choice>.yaml`.
        found: the settings in the configuration of a run, which may come from anywhere.

    Raises:
        UnknownChoice: there is no such file.
        NotInTable: something is to be built where the file of the choice builds nothing.
    """
    own = choice_settings(group, choice)
    earlier = {key: EARLIER_VALUES[f"{group}.{key}"] for key in own if f"{group}.{key}" in EARLIER_VALUES}
    return {**earlier, **_trusted(own, found, group)}


def trusted_language(found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a run knew of its language; of one without a file in conf/lang nothing is built.

    Raises:
        NotInTable: something is to be built where the file of the language, if there is one, builds nothing.
    """
    has_file = found["code"] in choice_files("lang")
    return _trusted(choice_settings("lang", found["code"]) if has_file else {}, found, "lang")


def _trusted(own: Any, found: Mapping[str, Any], place: str) -> dict[str, Any]:
    own = own if isinstance(own, Mapping) else {}
    names = {key: own[key] for key in _NAMES if key in own}
    if "_target_" in found and "_target_" not in own:
        raise NotInTable(found["_target_"], f"{place}._target_", None)
    plain = {key: value for key, value in found.items() if key not in _NAMES}
    return {**names, **{key: _value(own.get(key), value, f"{place}.{key}") for key, value in plain.items()}}


def _value(own: Any, value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        return _trusted(own, value, place)
    return [_value(None, one, place) for one in value] if isinstance(value, list) else value
