"""Tags into LINSPECTOR's lines of `FORM##UPOS`.

Every item gets its predicted tag, multiword tokens too: a model of these files has learned the tag `_`, and the score
over all items counts them. In a file without gold tags every item has the tag `_`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks import linspector_pos
from src.formats.treebanks.labelled_words import LabelledWords


def linspector_pos_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads the items; an answer is a tag for each. Raises as `linspector_pos.linspector_pos_sentences`."""
    sentences = list(linspector_pos.linspector_pos_sentences(path, on_malformed))
    return FileToLabel(sentences, written_back(partial(_write, sentences), path, (one.line for one in sentences)))


def _write(sentences: Sequence[LabelledWords], answers: Sequence[Sequence[str]], path: Path) -> None:
    tagged = (replace(one, labels=tuple(tags)) for one, tags in zip(sentences, answers, strict=True))
    linspector_pos.write(tagged, path)
