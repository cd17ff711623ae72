"""The identity of a run: a hash over the part of the configuration that can change its numbers.

Names of runs, checkpoints, fingerprints and caches outlive modules. So classes and functions of polyprobe are named
there without modules (`Tagger`): a reader or a network may move to another file without a run being named, trained or
encoded again.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.trainer_settings import ARGUMENTS_WITHOUT_NUMBERS, counted_callbacks, n_devices

# Keys of earlier versions that could change no number.
OF_EARLIER_VERSIONS = (
    "confirm",
    "expected",
    "sweep",
    "predict",
    "download",
    "samples",
    "trainer.progress",
    "of_neurons.accelerator",
    "cache.kept_words",
    "export",
    "pictures",
)
# Where and how a run works, by sections and dotted keys. Everything else can change a number.
WITHOUT_NUMBERS = (
    *OF_EARLIER_VERSIONS,
    "paths",
    "logger",
    "list",
    "check",
    "report",
    "hydra",
    "paper_corpus",
    "studies",
    "vectors",
    "choices",
    "bank",
    "trained_by",
    "model_class",
    "lang.made_from",  # of tests, whose own names tell by their files and settings
    "lang.made_with",
    "trainer.accelerator",
    "trainer.devices",  # but see `identity`
    "trainer.num_nodes",
    "trainer.strategy",
    "trainer.threads",
    "trainer.keep",
    *(f"trainer.{name}" for name in ARGUMENTS_WITHOUT_NUMBERS),
)
# Settings that came later, with the value that all earlier runs had: with it a run keeps its name, and a run whose
# configuration lacks them is opened again.
EARLIER_VALUES = {
    "encoder.trigram_start": "normal",
    "encoder.reading": "words",
    "predictor.reading": "words",
    "model.encoder.input_rms": None,
    "task.datamodule.padding_noise": 0,
    "probe.scale": "none",
    "type_level.unknown_codes": "passed_over",
    "type_level.repeated_pairs": "kept",
    "suite.columns.quotes": "always",
}
# Settings that are no more, by task: their section, and the value that all runs of that task now have. They still
# count, so that these runs keep their names.
REMOVED = {
    "dep": (("data",), {"upos_run": None}),
    "lm": (("task", "datamodule"), {"ngram_order": 5}),
}


def identity(config: Mapping[str, Any]) -> str:
    """Returns eight hexadecimal digits for a resolved, plain configuration.

    Classes and functions of ours count by their names, in any module (`lasting_name`).

    Two commands with equal digits share a run directory. On one machine they give equal numbers. Devices are left out,
    with one exception: where a model has dropout (a key of `model` that ends in "dropout" is above 0), each of several
    processes draws its own, and so the numbers depend on how many there are: `trainer.devices` and `trainer.num_nodes`
    count, unless there is one process. Without dropout several processes learn what one learns, to five digits.
    """
    kept = what_changes_numbers(config)
    try:
        text = json.dumps(kept, sort_keys=True, ensure_ascii=False)
    except TypeError:  # labels {0: entailment, x: null}: keys of two types, which are compared as text
        text = json.dumps(json.loads(json.dumps(kept)), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def what_changes_numbers(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the configuration without its keys for places, logging and devices; see `identity`."""
    kept, trainer, task = with_lasting_names(_known(config)), config.get("trainer"), config.get("task")
    if "callbacks" in kept:
        kept["callbacks"] = counted_callbacks(kept["callbacks"])
        kept = {key: value for key, value in kept.items() if key != "callbacks" or value}
    sections, removed = REMOVED.get(task.get("name") if isinstance(task, Mapping) else None, ((), {}))
    section: Any = kept
    for name in sections:
        section = section.get(name) if isinstance(section, dict) else None
    if isinstance(section, dict):
        section |= {**removed, **section}
    if isinstance(trainer, Mapping) and _has_dropout(kept.get("model")):
        kept["trainer"] |= _processes(trainer)
    return kept


def _known(config: Mapping[str, Any], sections: str = "") -> dict[str, Any]:
    kept = {}
    for name, value in config.items():
        key = f"{sections}{name}"
        if not (key in WITHOUT_NUMBERS or (key in EARLIER_VALUES and value == EARLIER_VALUES[key])):
            kept[name] = _known(value, f"{key}.") if isinstance(value, Mapping) else value
    return kept


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What a run is known by, but for what is found out when its files are opened."""

    words: str
    """The beginning of its name: "srl-fi-learned-s1"."""
    settings: Mapping[str, Any]
    """All of its configuration that may change a number."""

    def name(self, **found: Any) -> str:
        """Returns the name of the run, with what was found in place of settings: a fingerprint, digests."""
        return file_name(f"{self.words}-{identity({**self.settings, **found})}")


def settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Flattens what changes numbers: `model.hidden_size` and its value."""

    def flat(section: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
        for key, value in section.items():
            yield from flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [(f"{prefix}{key}", value)]

    return dict(flat(what_changes_numbers(config), ""))


def seedless_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Flattens what changes numbers, seeds aside."""
    return {key: value for key, value in settings(config).items() if key.rpartition(".")[2] != "seed"}


def differing(one: Mapping[str, Any], other: Mapping[str, Any], absent: Any = None) -> dict[str, tuple[Any, Any]]:
    """Returns both values of the settings in which two configurations differ, by dotted key.

    Args:
        absent: the value of a setting that only the other configuration has.
    """
    pairs = {key: (one.get(key, absent), other.get(key, absent)) for key in {**one, **other}}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def differing_settings(
    one: Mapping[str, Any], other: Mapping[str, Any], parts: Sequence[str]
) -> dict[str, tuple[Any, Any]]:
    """Returns the settings in which two configurations differ, except seeds and paths; an absent one counts as null.

    Args:
        one, other: plain configurations.
        parts: dotted keys: nothing else is compared.

    Returns:
        Both values by dotted key, in the order of `parts`.
    """
    found = differing(seedless_settings(one), seedless_settings(other))
    return {key: pair for part in parts for key, pair in found.items() if f"{key}.".startswith(f"{part}.")}


def _has_dropout(model: Any) -> bool:
    """Says whether anything of a model is dropped at random in training."""
    return isinstance(model, Mapping) and any(
        _has_dropout(value) or (key.endswith("dropout") and isinstance(value, int | float) and value > 0)
        for key, value in model.items()
    )


def _processes(trainer: Mapping[str, Any]) -> dict[str, Any]:
    """Returns how many processes share the batches, as far as a configuration says; nothing for one."""
    counts = {"devices": n_devices(trainer), "num_nodes": trainer.get("num_nodes", 1)}
    return {key: str(count) for key, count in counts.items() if str(count) != "1"}


NAMING_KEYS = ("_target_", "reader")  # those of a configuration under which a class or a function is named

# Names in files of earlier versions that have changed since, and the names now. One without a module was always
# unambiguous and is recognised with any module.
EARLIER = {
    "GivenVectors": "FrozenVectors",
    "src.formats.conll2009.row_sentences": "conll2009_row_sentences",
    "src.formats.conll2009.word_sentences": "conll2009_word_sentences",
    "src.formats.dependencies.sentences": "dependency_sentences",
    "src.formats.entity_columns.labelled_words": "entity_column_sentences",
    "src.formats.finnish_propbank.labelled_sentences": "finnish_propbank_sentences",
    "src.formats.linspector_pos.read": "linspector_pos_sentences",
    "src.formats.text_corpus.sentences": "corpus_sentences",
    "src.formats.universal_pos.tagged_sentences": "universal_pos_sentences",
    "src.formats.universal_propbank.labelled_sentences": "universal_propbank_sentences",
    "src.formats.universal_propbank.standoff_sentences": "universal_propbank_standoff_sentences",
}


def is_ours(name: str) -> bool:
    """Returns whether a name is that of a thing of ours, with a module or without; `mine.Encoder` is not."""
    return name.startswith(("polyprobe.", "src.")) or "." not in name


def lasting_name(name: str) -> str:
    """Returns the name of a thing in files: without the module if it is ours; `mine.Encoder` is unchanged."""
    if not is_ours(name):
        return name
    short = name.rpartition(".")[2]
    return EARLIER.get(name, EARLIER.get(short, short))


def with_lasting_names(value: Any) -> Any:
    """Returns a plain configuration in which whatever is named under `NAMING_KEYS` has its lasting name."""
    if isinstance(value, list):
        return [with_lasting_names(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: lasting_name(one) if key in NAMING_KEYS and isinstance(one, str) else with_lasting_names(one)
        for key, one in value.items()
    }
