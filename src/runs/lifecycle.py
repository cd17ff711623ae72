"""The life of every run: a finished one is shown again; any other is done in a directory that is locked."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from src.runs.directory import RunDirectory
from src.runs.record.configuration_file import written

Work = Callable[[], None]


def run_once(
    directory: RunDirectory,
    config: Mapping[str, Any],
    data: Callable[[], Mapping[str, str]],
    prepare: Callable[[], Work],
    outcome: Collection[Path] = (),
    patience: float = 0,
) -> RunDirectory:
    """Does the work of a run, or reports that an earlier command finished it.

    Args:
        directory: of the run, whether it exists or not.
        config: the resolved configuration, as plain values; config.yaml keeps it.
        data: digests the current data behind the numbers; called if the run is finished.
        prepare: reads and checks the input of the work: if it fails nothing is written. Returns the work, which
            begins the run, writes its files and finishes it.
        outcome: files without which a finished run is made again.
        patience: seconds to wait for another process that works on the run.

    Returns:
        The directory of the finished run.

    Raises:
        RunIsBusy: another process still works on it.
        DamagedRun: a file of the run differs from what was written.
        PolyprobeError: the data are not those of the run's first start, or the folder cannot be written.
    """
    if not _is_done(directory, outcome):
        if not patience:
            directory.check_free()  # known at once, before anything is read
        work = prepare()
        with directory.opened(written(config), patience):
            is_done = _is_done(directory, outcome)  # another process was faster
            if not is_done:
                work()
        if not is_done:
            return directory
    directory.say_finished(data())
    return directory


def _is_done(directory: RunDirectory, outcome: Collection[Path]) -> bool:
    return directory.is_finished and all(file.is_file() for file in outcome)
