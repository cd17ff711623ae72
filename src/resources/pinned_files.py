"""The pinned table of published files (`files.tsv`): repository, revision, path and digest of each."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

TABLE = Path(__file__).with_name("files.tsv")
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A published file.

    Attributes:
        dataset: the collection it belongs to.
        repository: `owner/name` on GitHub.
        commit: the revision, 40 hexadecimal digits.
        path: of the file in the repository.
        blob: its git blob id: SHA-1 of `blob <bytes>`, a NUL and the content.
        n_bytes: its size; None where only the blob id is known.
        target: its path in the data folder.
        license: as named by its publishers, or "unknown".
    """

    dataset: str
    repository: str
    commit: str
    path: str
    blob: str
    n_bytes: int | None
    target: str
    license: str

    def address(self, base_url: str) -> str:
        """Returns the address of the raw file under the base."""
        return f"{base_url.rstrip('/')}/{self.repository}/{self.commit}/{quote(self.path)}"

    @property
    def terms(self) -> str:
        """Returns the licence, a non-commercial one in words."""
        if self.license == _UNKNOWN:
            return "no licence is stated: ask its authors before you pass it on"
        if "NC" in re.split(r"[\s-]", self.license):
            return f"{self.license}, for non-commercial use only"
        return self.license


def source_of(target: str) -> PinnedFile | None:
    """Returns the published file that belongs at `target` (relative to the data folder), or None."""
    return _sources(TABLE).get(target)


def available_targets(prefix: str) -> list[str]:
    """Lists the targets of all published files whose target starts with `prefix`, sorted; nothing is fetched."""
    return sorted(target for target in _sources(TABLE) if target.startswith(prefix))


@cache
def _sources(table: Path) -> dict[str, PinnedFile]:
    rows = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:])
    sources = (_source(*row) for row in rows)
    return {source.target: source for source in sources}


def _source(
    dataset: str, repository: str, commit: str, path: str, blob: str, size: str, target: str, terms: str
) -> PinnedFile:
    n_bytes = None if size == _UNKNOWN else int(size)
    return PinnedFile(dataset, repository, commit, path, blob, n_bytes, target, terms)
