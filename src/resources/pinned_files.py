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
    """`owner/name` on GitHub."""
    commit: str
    """The revision, 40 hexadecimal digits."""
    path: str
    """Of the file in the repository."""
    blob: str
    """Its git blob id: SHA-1 of `blob <bytes>`, a NUL and the content."""
    n_bytes: int | None
    """Its size; None where only the blob id is known."""
    target: str
    """Its path in the data folder."""
    license: str
    """As named by its publishers, or "unknown"."""

    def address(self, base_url: str) -> str:
        """Returns the address of the raw file under the base."""
        return f"{base_url.rstrip('/')}/{self.repository}/{self.commit}/{quote(self.path)}"

    @property
    def revision(self) -> str:
        """Returns repository and commit."""
        return f"{self.repository} {self.commit}"


@dataclass(frozen=True, slots=True)
class FirstFetchedFile:
    """A published file whose publishers say neither size nor digest."""

    dataset: str
    repository: str
    """Host and folder, such as `zenodo.org/record/3774712/files`."""
    path: str
    """Of the file below them."""
    target: str
    license: str
    """`dataset`, `target` and `license`: as of a `PinnedFile`."""
    blob: str | None = None
    n_bytes: int | None = None
    """`blob` and `n_bytes`: of the file that was fetched first into a data folder; None before that."""

    def address(self, base_url: str) -> str:
        """Returns the address at its publishers, or under another base: that with the host behind it."""
        base_url = base_url.rstrip("/")
        return f"{'https:/' if base_url == GITHUB else base_url}/{self.repository}/{quote(self.path)}"

    @property
    def revision(self) -> str:
        """Returns its place; no revision is known."""
        return self.repository


@dataclass(frozen=True, slots=True)
class AssembledFile:
    """A file that is made of published ones."""

    target: str
    rule: str
    """By which its parts are joined, one of `polyprobe.resources.assembled.RULES`."""
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


Published = PinnedFile | AssembledFile | FirstFetchedFile


def source_of(target: str) -> Published | None:
    """Returns the published file that belongs at `target` (relative to the data folder), or None."""
    known = _sources(TABLE).get(target) or _assembled(ASSEMBLED, TABLE).get(target)
    return known or _first_fetched(FIRST_FETCHED).get(target)


def available_targets(prefix: str) -> list[str]:
    """Lists the targets of all published files whose target starts with `prefix`, sorted; nothing is fetched."""
    known = (*_sources(TABLE), *_assembled(ASSEMBLED, TABLE))
    return sorted(target for target in known if target.startswith(prefix))


@cache
def _sources(table: Path) -> dict[str, PinnedFile]:
    sources = (_source(*row) for row in _rows(table))
    return {source.target: source for source in sources}


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


@cache
def _first_fetched(table: Path) -> dict[str, FirstFetchedFile]:
    sources = (FirstFetchedFile(*row) for row in _rows(table))
    return {source.target: source for source in sources}


def terms_of(license: str) -> str:
    """Says a licence in words where it is not a free one."""
    if license == UNKNOWN:
        return "no licence is stated: ask its authors before you pass it on"
    if "NC" in re.split(r"[\s-]", license):
        return f"{license}, for non-commercial use only"
    return license


def _rows(table: Path) -> list[list[str]]:
    return [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]


def _source(
    dataset: str, repository: str, commit: str, path: str, blob: str, size: str, target: str, terms: str
) -> PinnedFile:
    n_bytes = None if size == UNKNOWN else int(size)
    return PinnedFile(dataset, repository, commit, path, blob, n_bytes, target, terms)


def with_first_fetch(root: Path, source: FirstFetchedFile) -> FirstFetchedFile:
    """Returns a file with digest and size of what was fetched of it first, or as it is where nothing was."""
    found = _read_fetched(root).get(source.target)
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
