"""What the record and the files of a run of generate.py say of the tests that it made."""

import json
from collections.abc import Mapping
from typing import Any

from src.generation.made_tests.writing import STATISTICS
from src.generation.sentence_tests.sentence_files import ABOUT
from src.runs.directory import RunDirectory

_READ = ("lexicon", "treebank", "corpus")  # what tests were made from, as their statistics call it


def made_from(run: RunDirectory) -> dict[str, Any]:
    """Returns the counts of what was read, which the statistics of every test say; empty where no test was made."""
    for name in run.record().get("tests", ()):
        folders = (run.sets / name, run.sets / ABOUT / name)
        for path in (run.checked(folder / STATISTICS) for folder in folders if (folder / STATISTICS).exists()):
            statistics = json.loads(path.read_text(encoding="utf-8"))
            return next((statistics[kind] for kind in _READ if kind in statistics), {})
    return {}


def counts_in_parts(labels: Mapping[str, Mapping[str, int]]) -> dict[str, list[int]]:
    """Counts each label in every part, labels with the most items first (ties: in the order of the parts).

    Args:
        labels: of each part, the items of each label.
    """
    names = dict.fromkeys(name for of_part in labels.values() for name in of_part)
    counts = {name: [of_part.get(name, 0) for of_part in labels.values()] for name in names}
    return dict(sorted(counts.items(), key=lambda pair: -sum(pair[1])))
