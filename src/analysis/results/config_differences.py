"""What configurations of runs say: in which keys two differ, which training is behind a probed checkpoint."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polyprobe.analysis.results.kinds import OF_CHECKPOINTS
from polyprobe.analysis.results.rows import Row, distinct
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


def differences_in_words(first: RunDirectory, second: RunDirectory) -> list[str]:
    """Says how the keys of two runs differ: "probe.max_epochs: 20, 5"; see `differing_keys`."""
    return [f"{key}: {one}, {other}" for key, one, other in differing_keys(first, second)]


def _settings(run: RunDirectory) -> dict[str, Any]:
    config = run.configuration_if_any()
    if run.results.is_file():
        config = with_pooling(config, run.rows())
    return _typed(settings(config), config.get("choices") or {}) if config else {}


def _typed(flat: Mapping[str, Any], chosen: Mapping[str, str]) -> dict[str, Any]:
    """Names classes by the choice that was typed: `encoder: fasttext` in place of `encoder._target_`."""
    classes = {key: key.removesuffix(f".{_CLASS}") for key in flat if key.endswith(f".{_CLASS}")}
    return {
        classes.get(key, key): chosen.get(classes[key], str(value).rpartition(".")[2]) if key in classes else value
        for key, value in flat.items()
    }


def trained_runs(configuration: Mapping[str, Any]) -> list[RunDirectory]:
    """Returns the runs whose checkpoints a run probed or scored; none where it did neither."""
    runs = [(configuration.get(group) or {}).get("run") for group in ("encoder", "predictor")]
    paths = [path for run in runs for path in (run if isinstance(run, list) else [run]) if isinstance(path, str)]
    return list(map(RunDirectory, paths))


def best_epoch(trained: RunDirectory, rows: Sequence[Row]) -> dict[str, int]:
    """Returns the best epoch of a training as `{"epoch": 7}`; nothing where `rows` are of one epoch or lack it.

    A training that still goes on has no best epoch yet.
    """
    probed = {epoch for (epoch,) in distinct([row for row in rows if row["stage"] in OF_CHECKPOINTS], "epoch")}
    if len(probed) < 2 or not trained.results.is_file():
        return {}
    best = [row["epoch"] for row in trained.rows() if row["stage"] == "test" and row.get("epoch") in probed]
    return {"epoch": best[0]} if best else {}


def choice_or_setting(configuration: Mapping[str, Any], key: str) -> Any:
    """Returns what a configuration has under a group ("model") or a dotted key ("data.target"), None for neither."""
    choices = configuration.get("choices", {})
    if key in choices:
        return choices[key]
    found: Any = configuration
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
