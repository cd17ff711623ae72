"""Reads what an offline run of Weights & Biases left for a later sync: blocks of records, as in LevelDB's log."""

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wandb
from wandb.proto.wandb_internal_pb2 import Record

HEADER, BLOCK = 7, 2**15  # bytes: of the file and of each record; of a block
FIRST, LAST, WHOLE = 2, 4, 1  # kinds of pieces


@dataclass
class OfflineRun:
    """What a dashboard would show."""

    job_type: str = ""
    place: str = ""
    """Entity, project and id."""
    notes: str = ""
    group: str = ""
    tags: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    """By the name or pattern of a metric, what it is drawn over."""
    artifacts: dict[str, list[str]] = field(default_factory=dict)
    """By type, the names of its files."""


def offline_run(folder: Path) -> OfflineRun:
    """Reads the only offline run of a run directory, of this process or another one."""
    wandb.teardown()  # its file is whole when the process that writes it has ended
    (file,) = (folder / "wandb").glob("offline-run-*/*.wandb")
    found = OfflineRun()
    for record in map(Record.FromString, _records(file.read_bytes())):
        if record.HasField("run"):
            found.job_type, found.group = record.run.job_type, record.run.run_group
            found.place = f"{record.run.entity}/{record.run.project}/{record.run.run_id}"
            found.tags, found.notes = list(record.run.tags), record.run.notes
            found.config |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
        elif record.HasField("history"):
            found.history.append({_key(item): json.loads(item.value_json) for item in record.history.item})
        elif record.HasField("summary"):
            found.summary |= {_key(item): json.loads(item.value_json) for item in record.summary.update}
        elif record.HasField("metric") and record.metric.step_metric:
            found.axes[record.metric.glob_name or record.metric.name] = record.metric.step_metric
        elif record.HasField("artifact"):
            found.artifacts[record.artifact.type] = [entry.path for entry in record.artifact.manifest.contents]
    return found


def _key(item: Any) -> str:
    return item.key or "/".join(item.nested_key)


def _records(content: bytes) -> list[bytes]:
    records, parts, at = [], [], HEADER
    while at + HEADER <= len(content):
        left = BLOCK - at % BLOCK
        if left < HEADER:
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", content, at)
        at += HEADER
        parts = parts if kind not in (WHOLE, FIRST) else []
        parts.append(content[at : at + length])
        at += length
        if kind in (WHOLE, LAST):
            records.append(b"".join(parts))
    return records
