"""Type-level probing tests, written into a run directory: `python generate.py suite=linspector_type lang=tr`.

runs/generate/linspector_type-tr-s1-3f2a9c1e/sets/Case/train.txt …     a folder for each test
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.display.progress import watched
from src.errors import PolyprobeError
from src.formats.files.digest import file_digest
from src.formats.files.file_names import file_name
from src.formats.reading.malformed import handler_named
from src.generation.type_level import LeftOut, Source, make_type_level_tests
from src.generation.type_tests.type_level_options import TypeLevelOptions, language_rules, options_of
from src.resources.pinned_files import source_of
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.names.identity import identity
from src.runs.workspace import Workspace

SUITE = "linspector_type"
_SHOWN = ("items", "labels", "ambiguity", "frequent_share", "lemma_overlap", "majority", "memoriser")


def generate(config: Mapping[str, Any], data_root: Callable[[], Path]) -> RunDirectory:
    """Makes the tests of a language, unless a finished run has them.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Returns:
        The directory of the finished run; its record has under `tests` what each is like, under `left_out` a sentence
        on each that could not be made.

    Raises:
        PolyprobeError: there is a fault in an option, a file of the lexicon or the run directory.
    """
    options, language = _options(config), config["lang"]["code"]
    unimorph, frequency = _sources(config, data_root)
    data = {source.path.name: file_digest(source.path) for source in (*unimorph, frequency)}
    what = {key: config[key] for key in ("rules", "seed", "tests", "type_level", "on_malformed")}
    name = f"{SUITE}-{language}-s{config['seed']}-{identity({'lang': language, **what, 'data': data})}"
    directory = RunDirectory(Workspace.of(config["paths"]).runs("generate") / file_name(name))

    def write() -> None:
        directory.begin(data)
        tests, left_out = _write(unimorph, frequency, directory.sets, options, config)
        directory.finish([], {"tests": tests, "left_out": left_out})

    return run_once(directory, config, lambda: data, lambda: write)


def _options(config: Mapping[str, Any]) -> TypeLevelOptions:
    """Joins the rules with the options that are set."""
    set_ones = {key: value for key, value in config["type_level"].items() if value is not None}
    decoding = {key: value for key, value in set_ones.pop("decoding").items() if value is not None}
    return options_of(config["rules"], config["lang"]["code"], config["seed"], **set_ones, decoding=decoding)


def _sources(config: Mapping[str, Any], data_root: Callable[[], Path]) -> tuple[list[Source], Source]:
    """Finds the files of the lexicon, with licence and revision where they are published files that we know."""
    language, lexicon = config["lang"]["code"], config["lexicon"]
    own = lexicon["unimorph"]
    if own is not None:
        unimorph = [Source(Path(path)) for path in ([own] if isinstance(own, str) else own)]
    elif targets := language_rules(language, config["rules"]).unimorph:
        unimorph = [_published(data_root(), target) for target in targets]
    else:
        raise PolyprobeError(f"lang={language} has no UniMorph table. Name one: lexicon.unimorph=<a table of UniMorph>")
    own = lexicon["frequency"]
    frequency = Source(Path(own)) if own is not None else _published(data_root(), f"frequency/{language}.txt")
    for key, source in [*(("unimorph", one) for one in unimorph), ("frequency", frequency)]:
        if not source.path.is_file():
            raise PolyprobeError(f"{source.path} is not there. Expected a file; to name another: lexicon.{key}=<file>.")
    return unimorph, frequency


def _published(root: Path, target: str) -> Source:
    known = source_of(target)
    if known is None:
        return Source(root / target)
    return Source(root / target, known.license, f"{known.repository} {known.commit}")


def _write(
    unimorph: list[Source], frequency: Source, folder: Path, options: TypeLevelOptions, config: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Writes the tests one after the other, counting them on the terminal."""
    on_malformed = handler_named(config["on_malformed"])
    tests, left_out = {}, []
    with watched("reading and making", "tests", None) as progress:
        for one in make_type_level_tests(unimorph, frequency, folder, options, config["tests"], on_malformed):
            progress.advance()
            if isinstance(one, LeftOut):
                left_out.append(one.reason)
            else:
                tests[one.name] = {key: one.statistics[key] for key in _SHOWN}
    return tests, left_out
