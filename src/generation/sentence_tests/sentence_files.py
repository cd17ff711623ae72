"""Writes a sentence-level test in SentEval's format, whole or not at all.

sets/<test>.txt                         partition, label, sentence: written last
sets/about/<test>/statistics.json       what filters took, labels by split, …
sets/about/<test>/origin.jsonl          of each row: where the sentence stands, what was done to it
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from src.formats.files.digest import write_sealed
from src.formats.probing_sets import senteval
from src.formats.probing_sets.senteval import SentEvalRow
from src.formats.reading.lines import write_lines
from src.generation.made_tests.writing import ORIGIN, STATISTICS, NotOurs, folder_written_whole
from src.generation.sentence_tests.labelled_sentences import LabelledSentence
from src.splits import SPLITS

ABOUT = "about"


def write_sentence_test(
    folder: Path, name: str, items: Mapping[str, Sequence[LabelledSentence]], statistics: Mapping[str, Any]
) -> None:
    """Writes a test; one that was written there before is replaced.

    Args:
        folder: of all tests.
        name: of the test.
        items: of each split.
        statistics: plain values.

    Raises:
        NotOurs: a file of this name is there and has no statistics of ours.
        NoRoom: the disk is full.
    """
    path, about = folder / f"{name}.txt", folder / ABOUT / name
    if path.exists() and not (about / STATISTICS).exists():
        found = f"{path} exists and has no {about / STATISTICS}: it was not made here."
        raise NotOurs(f"{found} Move it away, or name another folder.")
    numbered = list(enumerate(((split, one) for split in SPLITS for one in items[split]), start=1))
    path.unlink(missing_ok=True)  # so that no test stands beside what is said of another
    with folder_written_whole(about) as neighbour:
        write_lines((_origin(number, split, one) for number, (split, one) in numbered), neighbour / ORIGIN)
        write_sealed(neighbour / STATISTICS, statistics)
    rows = (SentEvalRow(number, split, one.label, " ".join(one.words)) for number, (split, one) in numbered)
    senteval.write(rows, path)


def _origin(number: int, split: str, one: LabelledSentence) -> str:
    row = {"row": number, "split": split, "label": one.label, "targets": list(one.targets), **one.origin}
    return json.dumps(row, ensure_ascii=False)
