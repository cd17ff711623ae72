"""The starts of a run: time and circumstances of each, and a note for the rows if they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from src.runs.names.typed_command import typed_command
from src.runs.record.provenance import now, provenance
from src.runs.results import ResultRow

CODE_DIGITS = 8  # of a commit


def new_start(circumstances: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the record of a start that is made now, with the command as it was typed where there is one.

    Args:
        circumstances: known to the command alone: `threads`, `devices`, `accelerator`.
    """
    typed = typed_command()
    command = {} if typed is None else {"command": typed}
    return {"time": now(), **command, **provenance(), **circumstances}


def starts_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the earlier starts recorded in run.json.

    Of runs that were begun before starts had records there are times alone, and the versions of the last one.
    """
    starts = [one if isinstance(one, dict) else {"time": one} for one in record.get("starts", [])]
    if starts and not isinstance(record["starts"][-1], dict):
        starts[-1] |= {key: record[key] for key in ("polyprobe", "python", "libraries", "machine") if key in record}
    return starts


def said_at_the_start(starts: Sequence[Mapping[str, Any]]) -> str | None:
    """Says in a line how the last start differs from the one before it; None if it does not."""
    found = [f"another {what} ({', now '.join(values)})" for what, values in _differing(starts[-2:]).items()]
    return f"resumed under {', '.join(found)}" if found else None


def note_on(starts: Sequence[Mapping[str, Any]]) -> str | None:
    """Says how the starts of a run differ, with all values; None if they do not.

    >>> note_on([{"libraries": {"torch": "2.12.0"}}, {"libraries": {"torch": "2.13.0"}}])
    'resumed under another torch: 2.12.0, 2.13.0'
    """
    found = [f"another {what}: {', '.join(values)}" for what, values in _differing(starts).items()]
    return f"resumed under {'; '.join(found)}" if found else None


def with_note(row: ResultRow, note: str | None) -> ResultRow:
    """Returns a row that carries a note before its own."""
    return replace(row, note="; ".join(filter(None, [note, row.note])) or None)


def _differing(starts: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Returns the distinct values of what can change numbers, where there are several; unknown ones do not count."""
    known = [_known(one) for one in starts]
    values = {what: list(dict.fromkeys(one[what] for one in known if what in one)) for one in known for what in one}
    return {what: them for what, them in values.items() if len(them) > 1}


def _known(start: Mapping[str, Any]) -> dict[str, str]:
    libraries = start.get("libraries")
    found = {
        "torch": libraries.get("torch") if isinstance(libraries, dict) else None,
        "code": _code(start.get("polyprobe")),
        "Python": start.get("python"),
        "thread count": start.get("threads"),
        "device count": start.get("devices"),
        "accelerator": start.get("accelerator"),
    }
    return {what: str(value) for what, value in found.items() if value is not None}


def _code(state: Any) -> str | None:
    """Names the code: its commit, or its version without a repository."""
    if not isinstance(state, dict):
        return None
    if state.get("commit") is None:
        return f"version {state['version']}" if "version" in state else None
    changes = " with changes" if state.get("clean") is False else ""
    return f"{str(state['commit'])[:CODE_DIGITS]}{changes}"
