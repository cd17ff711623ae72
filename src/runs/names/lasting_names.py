"""The names of classes and functions of polyprobe in files: their own names, without modules.

Names of runs, checkpoints, fingerprints and caches outlive modules. So they say `Tagger`, and a reader or a
network may move to another file without a run being named, trained or encoded again.
"""

from collections.abc import Mapping
from typing import Any

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
    return name.startswith("src.") or "." not in name


def lasting_name(name: str) -> str:
    """Returns the name of a thing in files: without the module if it is ours; `mine.Encoder` is unchanged."""
    if not is_ours(name):
        return name
    short = name.rpartition(".")[2]
    return EARLIER.get(name, EARLIER.get(short, short))


def with_lasting_names(value: Any) -> Any:
    """Returns a plain configuration in which whatever is named under `NAMING_KEYS` has its lasting name."""
    if isinstance(value, Mapping):
        return {key: _named(key, one) for key, one in value.items()}
    if isinstance(value, list):
        return [with_lasting_names(one) for one in value]
    return value


def _named(key: object, value: Any) -> Any:
    return lasting_name(value) if key in NAMING_KEYS and isinstance(value, str) else with_lasting_names(value)
