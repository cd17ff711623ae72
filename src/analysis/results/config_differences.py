"""What configurations of runs say: in which keys they differ."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polyprobe.runs.command.overrides import typed_value
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import differing, settings

_CLASS = "_target_"
_PLACES = re.compile(r"predictor\.(paths\..*|device)$")  # keys that change no number
_OF_A_FOLDER = "folder="  # in `options` of rows: a folder of sentence-transformers decided how sentences are pooled


def with_pooling(config: Mapping[str, Any], rows: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Returns a configuration in which `encoder.sentence_pooling` is what null means of the model.

    Args:
        rows: of the run, which say whether a folder of sentence-transformers decided.
    """
    encoder = config.get("encoder")
    if not isinstance(encoder, Mapping) or encoder.get("sentence_pooling", "") is not None:
        return dict(config)
    is_of_folder = any(_OF_A_FOLDER in (row.get("options") or "") for row in rows)
    meant = "the folder's" if is_of_folder else "mean_with_special_tokens"
    return {**config, "encoder": {**encoder, "sentence_pooling": meant}}


def differing_keys(first: RunDirectory, second: RunDirectory) -> list[tuple[str, str, str]]:
    """Returns the keys that can change numbers and differ, with both values as they are typed.

    A choice is named as it is typed ("encoder: fasttext, random"); where it differs, so do the options that only one of
    the two choices has, which are left out.
    """
    one, other = _settings(first), _settings(second)
    if not one or not other:
        return []
    found = {key: pair for key, pair in differing(one, other).items() if not _PLACES.match(key)}
    keys = [key for key in found if not (key.rpartition(".")[0] in found and (key in one) != (key in other))]
    return [(key, *map(typed_value, found[key])) for key in keys]


def keys_apart(runs: Sequence[RunDirectory]) -> list[str]:
    """Says of each run the keys that can change numbers and are not the same in all: "model.hidden_size=8 seed=2"."""
    known = [_settings(run) for run in runs]
    every = dict.fromkeys(key for one in known for key in one if not _PLACES.match(key))
    found = [key for key in every if any(one.get(key) != known[0].get(key) for one in known)]
    keys = [key for key in found if key.rpartition(".")[0] not in found or all(key in one for one in known)]
    return [" ".join(f"{key}={typed_value(one[key])}" for key in keys if key in one) for one in known]


def _settings(run: RunDirectory) -> dict[str, Any]:
    config = with_pooling(run.configuration_if_any(), run.rows() if run.results.is_file() else ())
    return _typed(settings(config), config.get("choices") or {}) if config else {}


def _typed(flat: Mapping[str, Any], chosen: Mapping[str, str]) -> dict[str, Any]:
    """Names classes by the choice that was typed: `encoder: fasttext` in place of `encoder._target_`."""
    classes = {key: key.removesuffix(f".{_CLASS}") for key in flat if key.endswith(f".{_CLASS}")}
    return {
        classes.get(key, key): chosen.get(classes[key], str(value).rpartition(".")[2]) if key in classes else value
        for key, value in flat.items()
    }
