"""A maker whose tests are written by a function."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

from polyprobe.formats.reading.malformed import Handler, refuse
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut, Maker, MakingSettings, Written
from polyprobe.generation.suites import TestsStudy
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.study import done


class GivenTests(Maker):
    """Makes what a function writes into a folder, from files that it does not read."""

    known = ()
    possible = of_files = drawn = None

    def __init__(
        self,
        paths: Iterable[Path],
        write: Callable[[Path], Iterator[Written | LeftOut]],
        on_malformed: Handler = refuse,
    ):
        super().__init__(None, {"texts": [Source(path) for path in paths]}, on_malformed)
        self._write = write

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        raise NotImplementedError

    def make(self, folder: Path, tests: Sequence[str] | None) -> Iterator[Written | LeftOut]:
        return self._write(folder)


def run_of(settings: MakingSettings, maker: Maker) -> RunDirectory:
    """Returns the run that makes its tests."""
    return done(TestsStudy(settings, maker))
