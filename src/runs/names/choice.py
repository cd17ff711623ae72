"""A choice of a group of conf/, such as encoder=fasttext; in words: the options that its file has otherwise."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polyprobe.display.shown import last_parts
from polyprobe.runs.names.conf_folders import choice_settings

# Where and how it works; no number depends on it.
OF_THE_MACHINE = ("device", "device_map", "token_budget", "batch_words", "cache", "paths")
OF_THE_TEST = {
    "own": {"path", "format", "column"},
    "pairs": {"path"},
    "table": {"path", "label"},
}  # what the path or the column of a row says
NAMING = ("model", "path", "run", "revision", "folders", "revisions")


@dataclass(frozen=True)
class Choice:
    """A file of conf/ that was chosen, and what was made of its options."""

    group: str
    """As it is typed: "encoder"."""
    name: str
    """As it is typed behind "encoder="."""
    options: Mapping[str, Any]
    """As they are in the configuration."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of these, as the file has them in this configuration; an encoder and a predictor have some."""

    @property
    def class_path(self) -> str:
        """The class that is built, as `_target_` names it."""
        return str(self.options["_target_"])

    def in_words(self, is_named: bool, resolved: str | None = None) -> str | None:
        """Returns the options that differ from those of the file.

        Args:
            is_named: whether the model has a name, which then replaces `NAMING`.
            resolved: what the files of the model decided, in words, see `Encoder.resolved`.

        Returns:
            "lowercase=true layers=[0,6]"; None where none differs.
        """
        defaults = self.defaults
        # A model that the file itself names is a network, whatever vectors the name of the model is of: it is told.
        told = {"model"} if defaults.get("model") else set()
        left_out = {*OF_THE_MACHINE, *(NAMING if is_named else ())} - told
        shown = {key: value for key, value in self.options.items() if key not in left_out}
        # Options that the file lacks count if they are set: a training run adds tune=false to every encoder.
        differing = {
            key: value
            for key, value in shown.items()
            if key in told or (defaults[key] != value if key in defaults else value)
        }
        written = [f"{key}={_written(value)}" for key, value in differing.items()]
        return " ".join([*written, *filter(None, [resolved])]) or None

    def with_own_tests(self, options: str | None) -> str | None:
        """Adds to options, where this is the suite of a user's own tests, what tells them from others.

        Their path does: "suite.path=mine/odd". Columns of a treebank or a table, and pairs, are told by all that makes
        rows of them: "suite.path=mine/ud suite.level=token".
        """
        if self.name not in OF_THE_TEST:
            return options
        told = {"path": last_parts(self.options["path"])}
        if self.options.get("format") == "conllu" or self.name in ("pairs", "table"):
            of_file = choice_settings(self.group, self.name)
            differing = {key for key, value in self.options.items() if of_file.get(key) != value}
            told |= {key: self.options[key] for key in self.options if key in differing - OF_THE_TEST[self.name]}
        added = " ".join(f"{self.group}.{key}={_written(value)}" for key, value in told.items())
        return f"{options} {added}" if options else added


def _written(value: Any) -> str:
    if isinstance(value, str):
        return last_parts(value) if "/" in value else value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
