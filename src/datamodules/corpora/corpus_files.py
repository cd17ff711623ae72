"""Where the examples of a task come from: the files of a corpus, or examples that are in memory already."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from polyprobe.datamodules.corpora.labelled_corpora import Corpus, file_names, read_corpus
from polyprobe.resources.data_root import data_root
from polyprobe.resources.download import ensure
from polyprobe.runs.workspace import Workspace


class CorpusSource(Protocol):
    """Provides the corpus of a datamodule."""

    def prepare(self) -> None:
        """Makes or fetches what is missing on this machine; changes nothing in memory."""

    def read(self) -> Corpus:
        """Reads the corpus."""


@dataclass(frozen=True)
class CorpusFiles:
    """A corpus of a configuration."""

    name: str
    settings: Mapping[str, Any]
    """Its entry in `data.corpora`."""
    on_malformed: str | None
    max_words: int | None
    """Both as in `read_corpus`."""
    lang: Mapping[str, Any]
    """The language: `generator` says what makes its files, or is None."""
    workspace: Workspace
    """Of the command: where files are, and where missing ones are fetched from."""

    def prepare(self) -> None:
        """Generates the language where it is made by rule, and fetches missing files.

        Raises:
            PolyprobeError: a file is missing and cannot be fetched.
        """
        for file in file_names(self.name, self.settings):
            ensure(self.root, file, self.workspace.mirror)

    def read(self) -> Corpus:
        """Reads the files; see `read_corpus`."""
        mirror = self.workspace.mirror
        return read_corpus(self.name, self.settings, self.on_malformed, self.root, mirror, self.max_words)

    @cached_property
    def root(self) -> Path:
        """The folder of the files, generated when first asked for."""
        return data_root(self.lang, self.workspace)
