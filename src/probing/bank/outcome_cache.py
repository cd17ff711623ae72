"""Outcomes of probes that earlier runs trained: a run with further tests, layers or seeds trains only the new ones.

An outcome depends on nothing but its own data, settings and seed, whatever was trained beside it (`train_bank`); so one
that is read here is the one that would be trained again.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from polyprobe.formats.files.outcome_files import OutcomeFiles
from polyprobe.formats.files.shared_work import sharing
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.runs.names.identity import with_lasting_names

_LAYERS = ("probe_loss", "probe_random", "probe_spec", "score_columns")
# This room and its layers; the probes, which say what is trained and which of a grid's cells counts; what ranks the
# neurons of a cell, and what says which column is which neuron.
SOURCES = (
    Path(__file__).parent,
    *(Path(__file__).parents[2] / "models" / "layers" / f"{name}.py" for name in _LAYERS),
    Path(__file__).parents[1] / "probes",
    Path(__file__).parents[1] / "item_vectors.py",
    Path(__file__).parents[2] / "metrics" / "neurons.py",
)

_ARRAYS = ("dev_predictions", "test_predictions", "test_losses", "weights", "biases", "searched")
_ELSEWHERE = (*_ARRAYS, "parameters", "scaling")  # in arrays; in the run's own files of kept probes


PIECES = 4  # of each process: many enough that all end at about the same time, large enough for chunks of the bank


class KeptOutcomes(OutcomeFiles[ProbeOutcome]):
    """The outcomes of probes; failed ones are not kept.

    They depend on the probe's settings, the number of threads, the version of torch and the source of `SOURCES`.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]):
        about = [with_lasting_names(settings), torch.__version__, torch.get_num_threads(), source_digest(*SOURCES)]
        super().__init__(folder, about)

    def write(self, name: str, outcome: ProbeOutcome) -> None:
        if outcome.failed is None:
            super().write(name, outcome)

    def of_arrays(self, name: str, saved: Mapping[str, np.ndarray]) -> ProbeOutcome | None:
        plain = json.loads(str(saved["plain"]))
        arrays = {key: saved[key] for key in _ARRAYS}
        if plain.pop("name") != name:
            return None
        return ProbeOutcome(**{**plain, "train_losses": tuple(plain["train_losses"]), **arrays})

    def arrays_of(self, name: str, outcome: ProbeOutcome) -> dict[str, np.ndarray]:
        plain = {field.name: getattr(outcome, field.name) for field in fields(outcome) if field.name not in _ELSEWHERE}
        arrays = {key: getattr(outcome, key) for key in _ARRAYS}
        return {"plain": np.array(json.dumps({**plain, "name": name})), **arrays}

    def pieces_of(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Keeps neighbours together, which are of the same test and layer, and can be trained side by side."""
        n_processes = sharing().n_processes
        n_pieces = 1 if n_processes == 1 else PIECES * n_processes
        size = max(1, -(-len(names) // n_pieces))
        return [names[start : start + size] for start in range(0, len(names), size)]


def source_digest(*sources: Path) -> str:
    """Digests the source of rooms, file by file, and of files."""
    digest = hashlib.sha256()
    for source in sources:
        for path in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(path.read_bytes())
    return digest.hexdigest()
