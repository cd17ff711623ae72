"""Writes the comments of sections in conf/ from the texts below their fields: `python -m tests.section_comments`."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from polyprobe.runs.command.choice_options import SECTIONS as OF_COMMANDS
from polyprobe.runs.command.choice_options import comment_of
from polyprobe.runs.command.declared_options import declared

_OF_WORDS = "polyprobe.predictors.word_level.predictor.WordOptions"
LOGGERS = ("csv", "mlflow", "tensorboard", "wandb", "wandb_offline")
SECTIONS: dict[str, Mapping[str, str]] = {
    **{f"conf/{command}.yaml": sections for command, sections in OF_COMMANDS.items()},
    "conf/encoder/transformer.yaml": {"": "polyprobe.encoders.transformer.encoder_options.TransformerOptions"},
    **{
        f"conf/predictor/{name}.yaml": {"": f"polyprobe.predictors.{name}.predictor.{name.capitalize()}Options"}
        for name in ("causal", "masked")
    },
    **{f"conf/predictor/{name}.yaml": {"": _OF_WORDS} for name in ("lstm", "random")},
    "conf/probe/mlp.yaml": {"": "polyprobe.probing.bank.probe_spec.ProbeSpec"},
    "conf/suite/own.yaml": {"": "polyprobe.probing.suites.treebank_columns.ColumnRules"},
    "conf/suite/table.yaml": {"": "polyprobe.probing.suites.table_columns.TableRules"},
    **{f"conf/trainer/{name}.yaml": {"": OF_COMMANDS["train"]["trainer"]} for name in ("cpu", "ddp", "gpu")},
    **{f"conf/logger/{name}.yaml": {"": OF_COMMANDS["train"]["logger"]} for name in LOGGERS},
}
"""By file of the configuration: the class of each of its sections; "": of the keys that are in none."""
_LINE = re.compile(r"(?P<indent> *)(?P<key>\w+):(?P<value>(?: [^#]*?)?)(?P<comment> +#.*)?")
_COLUMNS = (24, 34)  # at which comments begin, the first that is far enough
_WIDTH = 120


def commented(text: str, sections: Mapping[str, str]) -> str:
    """Returns the text of a file of the configuration with the comments that the fields of its sections make."""
    lines: list[str] = []
    texts, is_below = texts_of(sections.get("", "")), False
    of_section: dict[str, str] = {}
    for line in text.splitlines():
        if is_below and re.match(r" {10,}# ", line):  # more of the comment before
            continue
        read = _LINE.fullmatch(line)
        if read and not read["indent"]:
            of_section = texts_of(sections.get(read["key"], ""))
        said = {0: texts, 2: of_section}.get(len(read["indent"]), {}).get(read["key"]) if read else None
        is_below = said is not None
        lines += _with_comment(read, said) if said else [line]
    return "\n".join(lines) + "\n"


def texts_of(dotted: str) -> dict[str, str]:
    """Returns the comments on the fields of a section."""
    return {name: comment_of(one) for name, one in declared(dotted).items() if one.is_field} if dotted else {}


def _with_comment(read: re.Match, text: str) -> list[str]:
    start = f"{read['indent']}{read['key']}:{read['value'].rstrip()}"
    column = next((column for column in _COLUMNS if len(start) < column), len(start) + 3)
    first, *below = textwrap.wrap(text, max(40, _WIDTH - column - 2), break_on_hyphens=False, break_long_words=False)
    return [f"{start.ljust(column)}# {first}", *(f"{' ' * column}# {line}" for line in below)]


if __name__ == "__main__":
    for file, sections in SECTIONS.items():
        path = Path(file)
        path.write_text(commented(path.read_text(encoding="utf-8"), sections), encoding="utf-8")
