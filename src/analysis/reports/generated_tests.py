"""Reports the probing tests that `python generate.py` made: the same for every suite, from the record of the run."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from src.analysis.output.table_files import say_files, write_tables
from src.analysis.output.terminal_tables import show
from src.analysis.reports.poor_sets import broken_definitions, poor_tests
from src.analysis.results.made_tests import made_from
from src.analysis.tables.made_sets import tables_of_tests
from src.analysis.tables.published_sets import PublishedSets, published_tables
from src.display.short_paths import short_path
from src.display.shown import say
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import conf_folders

_OPTIONS_OF = {"linspector_type": "type_level", "linspector_token": "token_level", "pseudowords": "pseudowords"}


def report_generated_tests(run: RunDirectory, published: PublishedSets | None) -> None:
    """Prints the tables of a finished run, draws its labels, and says where everything is.

    Args:
        run: that made the tests.
        published: tests that are set beside those of the run, or None.
    """
    record = run.record()
    tables = {"tests": tables_of_tests(record)}
    if published is not None:
        tables["published"] = published_tables(published, record["tests"], made_from(run))
    show(*(table for of_name in tables.values() for table in of_name))
    for name, of_name in tables.items():
        say_files(write_tables(run.pictures / name, of_name))
    for picture in _draw(run):
        say(f"picture   {short_path(picture)}")
    for line in _remarks(run):
        say(line)
    say(f"tests     {short_path(run.sets)}")
    if record["tests"]:
        say(f"probe     {_command_that_probes(run)}")


def _remarks(run: RunDirectory) -> Iterator[str]:
    """Says what the check of the rows found, and what is poor about the tests."""
    record, config = run.record(), run.configuration()
    if "definitions" in record:
        yield f"checked   {broken_definitions(record['definitions'], config['rules'])}"
    elif record["tests"]:
        yield f"checked   nothing: no rows of suite={config['choices']['suite']} are held against definitions"
    for line in poor_tests(record["tests"], _OPTIONS_OF.get(config["choices"]["suite"], "")):
        yield f"poor      {line}"


def _command_that_probes(run: RunDirectory) -> str:
    """Returns the command line that probes the tests, from the folder that this one was given in."""
    config = run.configuration()
    suite = config["suite"]
    choices = {
        "lang": config["choices"]["lang"],
        "suite": "own",
        "suite.path": short_path(run.sets),
        "suite.format": suite["format"],
        "suite.level": suite["level"],
        "suite.lowercase": str(suite["lowercase"]).lower(),
    }
    if config["paths"]["work"] != ".":
        choices["paths.work"] = config["paths"]["work"]
    own = [part for folder in conf_folders()[1:] for part in ("--config-dir", str(folder))]
    return shlex.join(["python", "probe.py", *own, *(f"{key}={value}" for key, value in choices.items())])


def _draw(run: RunDirectory) -> list[Path]:
    from src.analysis.pictures.label_shares import draw_label_shares  # matplotlib

    tests = run.record()["tests"]
    return draw_label_shares(tests, run.name, run.pictures / "labels") if tests else []
