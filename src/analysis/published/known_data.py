"""What is known of the data behind the published numbers, published/data.csv, and in what those of a run differ.

known       the data of a run are the paper's if
revision    all files are those of a repository, byte for byte
size        each column that is not empty agrees: "200000", one of "1999995 2000000", or a range "66500..67500"
nothing     always: nothing from outside is read
unknown     never: which files the paper used cannot be told
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from src.analysis.published.published_cells import FOLDER, lines_of
from src.errors import MalformedLine

SIZES: Mapping[str, str] = MappingProxyType(
    {
        "vocabulary": "{} words or pieces",
        "width": "{} numbers a vector",
        "depth": "{} layers",
        "ngrams": "n-grams of {}",
        "triples": "{} triples",
        "tokens": "{} tokens",
    }
)
"""The columns of sizes, and how one is written."""
REVISION, SIZE, NOTHING, UNKNOWN = "revision", "size", "nothing", "unknown"
COLUMNS = ("paper", "what", "name", "lang", "known", "revision", *SIZES, "note")
WHAT = ("tests", "source", "corpus", "encoder", "model")
LANG = "lang"


@dataclass(frozen=True, slots=True)
class KnownData:
    """What is known of one set of data, one encoder or one model."""

    name: str
    """Of a suite ("tests", "source": what its tests are made from), of a task and a corpus ("pos/tdt"), a choice of
    `encoder=`, the last part of a model's name."""
    known: str
    """`REVISION`, `SIZE`, `NOTHING` or `UNKNOWN`."""
    revisions: tuple[str, ...]
    """How the repositories begin that the files may be of."""
    sizes: Mapping[str, str]
    """As the file writes them."""
    note: str
    """What they are, or why that is not known."""

    def differences(self, found: Mapping[str, Any], data: Mapping[str, str | None]) -> list[str]:
        """Says in what data differ from the paper's; nothing where they are these.

        Args:
            found: sizes, by the names of `SIZES`.
            data: of each file or test the revision that it is of: "" where it is of none, None where no one noted it.
        """
        if self.known == UNKNOWN:
            return [f"{self.name}: the paper's cannot be told ({self.note})"]
        if self.known == REVISION:
            others = {name: one for name, one in data.items() if not self._has(one or "")}
            return [_other_file(name, one, self.revisions) for name, one in others.items()] or (
                [] if data else [f"{self.name}: which files were read is not recorded"]
            )
        wrong = {size: text for size, text in self.sizes.items() if not _is_met(found.get(size), text)}
        return [
            f"{self.name}: {_written(size, found.get(size))}, the paper's {re.sub(r'[0-9]+', _grouped, text)}"
            for size, text in wrong.items()
        ]

    def _has(self, found: str) -> bool:
        """Says whether all repositories of "owner/name commit; …" are among `revisions`."""
        named = tuple(f"{one}{end}" for one in self.revisions for end in (" ", "/"))
        return all(one in self.revisions or one.startswith(named) for one in found.split("; "))


def differences_from(
    paper: str, what: str, name: str, lang: str, found: Mapping[str, Any], data: Mapping[str, str | None]
) -> list[str]:
    """Says in what data differ from what a paper used: of several that it may have used, from the most alike.
    For the arguments see `PAPERS`, `WHAT`, `KnownData` and `KnownData.differences`.
    """
    lines = known_data().get((paper, what, name), ())
    answers = [one.differences(found, data) for code, one in lines if code in ("", lang)]
    return min(answers, key=len, default=[f"{name}: which the paper used is not known"])


@cache
def known_data() -> Mapping[tuple[str, str, str], Sequence[tuple[str, KnownData]]]:
    """Reads published/data.csv: by paper, `WHAT` and name, the languages and what is known."""
    path, read = FOLDER / "data.csv", {}
    for number, one in lines_of(path, COLUMNS):
        _check(path, number, one)
        read.setdefault((one["paper"], one["what"], one["name"]), []).append((one[LANG], _known(one)))
    return MappingProxyType(read)


def _check(path: Path, number: int, one: Mapping[str, str]) -> None:
    known = (REVISION, SIZE, NOTHING, UNKNOWN)
    for column, choices in (("what", WHAT), ("known", known)):
        if one[column] not in choices:
            raise MalformedLine(path, number, f'{column} is "{one[column]}"', f"one of {', '.join(choices)}")
    said = {REVISION} if one["revision"] else {SIZE} if any(one[size] for size in SIZES) else {NOTHING, UNKNOWN}
    if one["known"] not in said:
        raise MalformedLine(path, number, f'known is "{one["known"]}"', " or ".join(sorted(said)))


def _known(one: Mapping[str, str]) -> KnownData:
    sizes = {size: one[size] for size in SIZES if one[size]}
    return KnownData(one["name"], one["known"], tuple(one["revision"].split()), MappingProxyType(sizes), one["note"])


def _other_file(name: str, found: str | None, revisions: Sequence[str]) -> str:
    if found is None:
        return f"{name}: which file was read is not recorded"
    return f"{name}: {found or 'not the published file'}, the paper's of {' or '.join(revisions)}"


def _grouped(digits: re.Match[str]) -> str:
    return f"{int(digits[0]):,}"


def _is_met(found: Any, text: str) -> bool:
    low, dots, high = text.partition("..")
    if dots:
        return isinstance(found, int | float) and float(low) <= found <= float(high)
    return str(found) in text.split()


def _written(size: str, found: Any) -> str:
    if found is None:
        return f"{size} not recorded"
    return SIZES[size].format(f"{found:,}" if isinstance(found, int) else found)
