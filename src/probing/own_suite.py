"""A suite of a user's own files: `suite=own suite.path=<file or folder> suite.format=…`.

Tests to train probes on have the formats linspector, senteval and xprobe; minimal sets clams, blimp and json_lines.
"""

from collections.abc import Sequence
from pathlib import Path

from src.formats.errors import BadValue, PolyprobeError, UnknownChoice
from src.probing.minimal_sets.files import ENDINGS, SetFiles
from src.probing.suite_files import LAYOUTS, LEVELS, check_format, part_names
from src.probing.suites import Suite


def own_suite(
    name: str,
    path: str,
    format: str,
    level: str,
    pairs: Sequence[str],
    lowercase: bool | str,
    train_rows: int,
    end_of_sentence: str | None,
    capitalise: bool,
) -> Suite | SetFiles:
    """Makes a suite of what is at a path; tests are named as their files or folders, in the order of their names.

    Args:
        name: of the suite, for the rows.
        path: a folder of tests, one test's folder or, of SentEval's format and of minimal sets, one test's file.
        format: of the files.
        level, pairs, lowercase, train_rows: see `Suite`.
        end_of_sentence, capitalise: of minimal sets, see `SetFiles`.

    Raises:
        UnknownChoice: there is no such format.
        BadValue: the format has not this level, or the path is no text.
        PolyprobeError: there is nothing at the path, or nothing that is laid out as the format asks.
    """
    if format not in (known := [*LEVELS, *ENDINGS]):
        raise UnknownChoice("suite.format", str(format), known)
    if format in LEVELS:
        check_format(format, level)
    if not isinstance(path, str):
        raise BadValue("suite.path", path, "a file or a folder")
    place, layout = Path(path).absolute(), _layout(format)
    if not place.exists():
        raise PolyprobeError(f"suite.path={path} is not there. Expected {layout}, or one test alone.")
    if format in ENDINGS:
        files = _literal(place) if place.is_file() else f"{_literal(place)}/{{test}}{ENDINGS[format]}"
        return SetFiles(
            name=name,
            format=format,
            files=files,
            grammars=None,
            tests=None,
            beside=[],
            languages=None,
            end_of_sentence=end_of_sentence,
            capitalise=capitalise,
            level=level,
            lowercase=lowercase,
        )
    tests, pattern = (_tests_in_files if format == "senteval" else _tests_in_folders)(place, format)
    if not tests:
        raise PolyprobeError(f"suite.path={path} has no test of suite.format={format}. Expected {layout}.")
    return Suite(
        name=name,
        source=None,
        level=level,
        format=format,
        files=pattern,
        tests=tests,
        pairs=pairs,
        folders={},
        lowercase=lowercase,
        train_rows=train_rows,
        notes={},
        train_from_dev=None,
    )


def _layout(format_name: str) -> str:
    return LAYOUTS[format_name] if format_name in LAYOUTS else f"a file *{ENDINGS[format_name]} for each construction"


def _tests_in_files(place: Path, format_name: str) -> tuple[list[str], str]:
    if place.is_file():
        return [place.stem], f"{_literal(place.parent)}/{{test}}{_literal(place.suffix)}"
    return sorted(file.stem for file in place.glob("*.txt")), f"{_literal(place)}/{{test}}.txt"


def _tests_in_folders(place: Path, format_name: str) -> tuple[list[str], str]:
    parts = [f"{part}.txt" for part in part_names(format_name).values()]
    if any((place / part).is_file() for part in parts):
        return [place.name], f"{_literal(place.parent)}/{{test}}/{{split}}.txt"
    folders = place.iterdir() if place.is_dir() else []
    tests = sorted(folder.name for folder in folders if any((folder / part).is_file() for part in parts))
    return tests, f"{_literal(place)}/{{test}}/{{split}}.txt"


def _literal(text: Path | str) -> str:
    """Doubles the braces, which a pattern would take for names."""
    return str(text).replace("{", "{{").replace("}", "}}")
