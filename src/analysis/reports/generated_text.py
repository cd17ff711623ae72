"""Reports the text that `python generate.py suite=lm_corpus` prepared, from the record of the run."""

import re
import shlex
from pathlib import Path

from src.analysis.output.table_files import say_files, write_tables
from src.analysis.output.terminal_tables import show
from src.analysis.reports.poor_sets import poor_text
from src.analysis.tables.made_sets import tables_of_text
from src.display.short_paths import short_path
from src.display.shown import say
from src.generation.text_corpora.prepared_corpus import FILES, VOCABULARY
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import conf_folders

TEXT = "text"
"""What `suite.format` says of such a suite."""


def report_generated_text(run: RunDirectory) -> None:
    """Prints the tables of a finished run, and says where the text is and how a model learns from it."""
    record = run.record()
    tables = tables_of_text(record)
    show(*tables)
    say_files(write_tables(run.pictures / "text", tables))
    for line in poor_text(record["tests"]):
        say(f"poor      {line}")
    for language in record["tests"]:
        say(f"text      {short_path(run.sets / language)}")
        say(f"train     {_command_that_trains(run, language)}")


def _command_that_trains(run: RunDirectory, language: str) -> str:
    """Returns the command line that trains a language model, from the folder that this one was given in."""
    config, folder = run.configuration(), run.sets / language
    named = {**FILES, "vocabulary": VOCABULARY}
    files = ", ".join(f"{key}: {_in_entry(folder / file)}" for key, file in named.items())
    choices = [
        "task=lm",
        f"lang={language}",
        "data.corpus=own",
        f"+data.corpora.own={{reader: text_sentences, {files}}}",
    ]
    if config["paths"]["work"] != ".":
        choices.append(f"paths.work={config['paths']['work']}")
    own = [part for folder in conf_folders()[1:] for part in ("--config-dir", str(folder))]
    return shlex.join(["python", "train.py", *own, *choices])


def _in_entry(path: Path) -> str:
    """Writes a path inside an entry in braces; in quotes where it has other signs than those of plain names."""
    name = short_path(path)
    return name if re.fullmatch(r"[\w./-]+", name) else '"{}"'.format(name.replace('"', '\\"'))
