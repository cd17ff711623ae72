"""The pinned tables of published files: repository, revision, path and digest of each (`files.tsv`).

Some are published in parts alone (`assembled.tsv`): the parts are files of the first table, joined by a rule. Of others
nobody says size or digest (`first_fetched.tsv`): what is fetched first is what later downloads are compared with.
That is kept in the data folder, beside the files:

    fetched.tsv     target, git blob id, bytes
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import cells_to_line, numbered_lines, write_lines

TABLE = Path(__file__).with_name("files.tsv")
ASSEMBLED = Path(__file__).with_name("assembled.tsv")
FIRST_FETCHED = Path(__file__).with_name("first_fetched.tsv")
GITHUB = "https://raw.githubusercontent.com"
UNKNOWN = "unknown"
FETCHED = "fetched.tsv"
_FETCHED_HEADER = ("target", "blob", "bytes")
_BLOB = re.compile(r"[0-9a-f]{40}")
_EXPECTED = (
    "target, git blob id (40 hexadecimal digits) and bytes, with tabs between; remove the line to fetch the file anew"
)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A published file."""

    dataset: str
    """The collection it belongs to."""
    repository: str
    """`owner/name` on GitHub; of another site host and folder, such as `zenodo.org/record/3774712/files`."""
    commit: str | None
    """The revision, 40 hexadecimal digits; None of another site: its publishers say neither size nor digest."""
    path: str
    """Of the file in the repository."""
    blob: str | None
    """Its git blob id: SHA-1 of `blob <bytes>`, a NUL and the content. Without a revision that of the file that was
    fetched first into a data folder; None before that.
    """
    n_bytes: int | None
    """Its size; None where only the blob id is known."""
    target: str
    """Its path in the data folder."""
    license: str
    """As named by its publishers, or "unknown"."""

    def address(self, base_url: str) -> str:
        """Returns the address of the raw file under the base; of another site at its publishers, or its host behind a
        base."""
        base_url = base_url.rstrip("/")
        if self.commit is None:
            return f"{'https:/' if base_url == GITHUB else base_url}/{self.repository}/{quote(self.path)}"
        return f"{base_url}/{self.repository}/{self.commit}/{quote(self.path)}"

    @property
    def revision(self) -> str:
        """Repository and commit, where one is known."""
        return self.repository if self.commit is None else f"{self.repository} {self.commit}"

    @property
    def terms(self) -> str:
        """The licence, a non-commercial one in words."""
        if self.license == UNKNOWN:
            return "no licence is stated: ask its authors before you pass it on"
        if "NC" in re.split(r"[\s-]", self.license):
            return f"{self.license}, for non-commercial use only"
        return self.license


@dataclass(frozen=True, slots=True)
class AssembledFile:
    """A file that is made of published ones."""

    target: str
    rule: str
    """By which its parts are joined, one of `polyprobe.resources.transfer.RULES`."""
    blob: str
    n_bytes: int
    """`target`, `blob` and `n_bytes`: as of a `PinnedFile`."""
    parts: tuple[PinnedFile, ...]
    """In the order of the table."""

    @property
    def license(self) -> str:
        """Returns the licences of the parts."""
        return "; ".join(dict.fromkeys(part.license for part in self.parts))

    @property
    def revision(self) -> str:
        """Returns the repositories and commits of the parts."""
        return "; ".join(dict.fromkeys(part.revision for part in self.parts))


Published = PinnedFile | AssembledFile


def source_of(target: str) -> Published | None:
    """Returns the published file that belongs at `target` (relative to the data folder), or None."""
    known = _sources(TABLE).get(target) or _assembled(ASSEMBLED, TABLE).get(target)
    return known or _sources(FIRST_FETCHED).get(target)


def available_targets(prefix: str) -> list[str]:
    """Lists the targets of all published files whose target starts with `prefix`, sorted; nothing is fetched."""
    known = (*_sources(TABLE), *_assembled(ASSEMBLED, TABLE))
    return sorted(target for target in known if target.startswith(prefix))


@cache
def _sources(table: Path) -> dict[str, PinnedFile]:
    found = {}
    for dataset, repository, *pinned, target, terms in _rows(table):
        commit, path, blob, size = pinned if len(pinned) > 1 else (None, *pinned, None, UNKNOWN)
        n_bytes = None if size == UNKNOWN else int(size)
        found[target] = PinnedFile(dataset, repository, commit, path, blob, n_bytes, target, terms)
    return found


@cache
def _assembled(table: Path, parts_table: Path) -> dict[str, AssembledFile]:
    parts: dict[str, list[PinnedFile]] = {dataset: [] for *_, dataset in _rows(table)}
    for source in _sources(parts_table).values():
        if source.dataset in parts:
            parts[source.dataset].append(source)
    return {
        target: AssembledFile(target, rule, blob, int(size), tuple(parts[dataset]))
        for target, rule, blob, size, dataset in _rows(table)
    }


def _rows(table: Path) -> list[list[str]]:
    return [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]


def with_first_fetch(root: Path, source: Published) -> Published:
    """Returns a file with digest and size of what was fetched of it first, or as it is where they are published or
    nothing was fetched."""
    found = _read_fetched(root).get(source.target) if source.blob is None else None
    return source if found is None else replace(source, blob=found[0], n_bytes=found[1])


def keep_first_fetch(root: Path, target: str, blob: str, n_bytes: int) -> None:
    """Records what was fetched; called by one process at a time."""
    kept = {**_read_fetched(root), target: (blob, n_bytes)}
    rows = [_FETCHED_HEADER, *((name, blob, str(size)) for name, (blob, size) in sorted(kept.items()))]
    write_lines(map(cells_to_line, rows), root / FETCHED)


def _read_fetched(root: Path) -> dict[str, tuple[str, int]]:
    path = root / FETCHED
    if not path.is_file():
        return {}
    rows = [_fetched_row(path, number, line) for number, line in numbered_lines(path) if number > 1]
    return {target: (blob, size) for target, blob, size in rows}


def _fetched_row(path: Path, number: int, line: str) -> tuple[str, str, int]:
    cells = line.split("\t")
    if len(cells) != len(_FETCHED_HEADER) or not _BLOB.fullmatch(cells[1]) or not cells[2].isdecimal():
        raise MalformedLine(path, number, f'the line is "{line}"', _EXPECTED)
    return cells[0], cells[1], int(cells[2])
