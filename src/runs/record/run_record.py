"""run.json: the record of a run, sealed, and the files that it vouches for by their digests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, MinLen
from pydantic import BaseModel, StrictInt

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import SEAL, DamagedJson, file_digest, read_sealed
from polyprobe.runs.record.plain_types import FileName, Text, in_words, wrong
from polyprobe.runs.record.provenance import name_of

NAME, RESULTS, CONFIG, METRICS = "run.json", "results.jsonl", "config.yaml", "metrics.csv"
MISSING_WORDS = "missing_words.tsv"
RUNNING, FINISHED = "running", "finished"
# What numbers are shown or sets are read from when the run is finished, below its folder.
SHOWN_LATER = (
    *(RESULTS, CONFIG, METRICS, MISSING_WORDS),
    *("neurons.csv", "layers.csv", "activations.csv"),  # of which no rows tell all
    *("predictions/*.npz", "predicted_scores/*.npz", "set_scores/*.npz", "neurons/*.npz"),
    *("sets/*.txt", "sets/*.jsonl", "sets/*.tsv", "sets/*/*.txt"),  # sets and lists that were made
    *("sets/*/statistics.json", "sets/about/*/statistics.json"),
)
_Epoch = Annotated[StrictInt, Ge(0), Le(10**9)]


class _Layer(BaseModel):
    name: Text
    width: Annotated[StrictInt, Ge(1), Le(10**6)]
    epoch: _Epoch | None


class _Encoder(BaseModel):
    fingerprint: FileName
    layers: Annotated[list[_Layer], MinLen(1)]


class _Record(BaseModel):
    """What of run.json becomes a path, a size or a number; the rest is as its digest says."""

    status: Text
    data: dict[Text, Text] = None
    files: dict[Text, Text] = None
    tests: dict[FileName, dict] = None
    encoder: _Encoder = None
    best_epoch: _Epoch = None


_BEGIN_AGAIN = "Remove the folder to begin again."
_GIVE_AGAIN = "Give the run's command again: it writes this file again."
MAKE_ANEW = "Remove the run's results.jsonl: the command of the run then writes this file again."


class DamagedRun(PolyprobeError):
    """A file of a run differs from what was written."""

    def __init__(self, path: Path, found: str, advice: str):
        super().__init__(f"{path}: {found}. {advice}")
        self.path, self.found = path, found


def read_run_record(folder: Path) -> dict[str, Any]:
    """Reads the run.json of a run's folder; an empty dictionary where there is none.

    Raises:
        DamagedRun: it is not a JSON object, differs from its digest, or has entries of other types.
    """
    path = folder / NAME
    try:
        record = read_sealed(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except DamagedJson as error:
        raise DamagedRun(path, str(error), _BEGIN_AGAIN) from error
    except OSError as error:
        raise DamagedRun(path, f"it cannot be read ({error.strerror})", _BEGIN_AGAIN) from error
    if "status" not in record:
        found = "it does not say whether the run is finished, the entry status"
    elif not (found := wrong(record, _Record)) and "files" in record and SEAL not in record:
        found = f"it has no digest of what it says, the entry {SEAL}"
    if found:
        raise DamagedRun(path, found, _BEGIN_AGAIN)
    return record


def check_finished(folder: Path, record: Mapping[str, Any]) -> None:
    """Checks that a record vouches for the rows of its run."""
    if record.get("status") != FINISHED:
        found = f"status is {in_words(record['status'])}, not {FINISHED}" if record else "it is not there"
        raise DamagedRun(folder / NAME, found, _GIVE_AGAIN)


def check_file(path: Path, folder: Path, record: Mapping[str, Any]) -> None:
    """Compares a file of a run with its digest in the run's record.

    Runs that are not finished claim nothing of their files.
    """
    files = record.get("files")
    if files is None:
        return
    expected = files.get(name_of(path, folder))
    if expected is None:
        raise DamagedRun(path, f"it is none of the files that {NAME} names", MAKE_ANEW)
    try:
        found = file_digest(path)
    except OSError as error:
        raise DamagedRun(path, f"it cannot be read ({error.strerror})", MAKE_ANEW) from error
    if found != expected:
        raise DamagedRun(path, f"its SHA-256 is {found[:16]}…, in {NAME} {str(expected)[:16]}…", MAKE_ANEW)
