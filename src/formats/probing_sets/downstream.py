"""The raw files of SentEval's downstream tasks: one or two sentences and a label or a score, an item a line.

    effective but too-tepid biopic                              MR, CR, SUBJ, MPQA: a file for each label
    NUM:dist How far is it from Denver to Aspen ?               TREC: only the coarse label counts
    unflinchingly bleak and desperate <tab> 0                   SST2
    4 a stirring , funny and finally transporting re-imagining  SST5
    1 <tab> 702876 <tab> 702977 <tab> … <tab> …                 MRPC: a header, a byte order mark, CRLF
    1 <tab> A group of kids … <tab> A group of boys … <tab> …   SICK: a header, twelve columns, CRLF
    3.8 <tab> thin metal strips … <tab> thin strip …            STS: no score where none was given
    main-captions <tab> MSRvid <tab> … <tab> 5.000 <tab> …      STS Benchmark: seven columns, or nine

A quotation mark is a character like any other. Words are cut by the function that a reader is given.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import is_number
from polyprobe.formats.reading.lines import numbered_bytes, text_in
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_FINE = re.compile(r"^([^ :]*):[^ ]*")  # of "NUM:dist How far" the label NUM counts
_QUESTION_LABELS = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
_SICK_SETS = ("TRAIN", "TRIAL", "TEST")

Words = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DownstreamItem:
    """One item of a task."""

    sentences: tuple[tuple[str, ...], ...]
    """One, or two of a pair, as words; one without words where the line of the file is blank."""
    label: str | float | None
    """Its class, or its score; None where there is none."""
    line: int
    """Of the file, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """What the cells of a line are, counted from 0."""

    sentences: tuple[int, ...]
    label: int | None = None
    """None: there is none, or one for the whole file."""
    labels: tuple[str, ...] = ()
    """Those that there are; (): as the reader is told."""
    score: int | None = None
    scores: tuple[int, int] = (0, 5)
    """The lowest and the highest."""
    may_lack_score: bool = False
    may_be_blank: bool = False
    header: tuple[str, ...] = ()
    """With which the first line begins."""
    n_cells: tuple[int, ...] = ()
    has_set: bool = False
    """Whether the last cell says to which set of SICK the pair belongs."""
    cut: Callable[[str], Sequence[str]] = lambda text: text.split("\t")
    """Makes cells of a line."""


_SICK = {
    "sentences": (1, 2),
    "label": 3,
    "labels": ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    "header": ("pair_ID", "sentence_A", "sentence_B", "entailment_label", "relatedness_score"),
    "n_cells": (12,),
    "has_set": True,
}
_LAYOUTS: Mapping[str, _Layout] = {
    "sentences": _Layout(sentences=(0,), may_be_blank=True, cut=lambda text: [text]),
    "questions": _Layout(
        sentences=(2,), label=0, labels=_QUESTION_LABELS, cut=lambda text: _FINE.sub(r"\1", text).partition(" ")
    ),
    "label_first": _Layout(sentences=(2,), label=0, cut=lambda text: text.partition(" ")),
    "label_last": _Layout(sentences=(0,), label=2, cut=lambda text: text.rpartition("\t")),
    "paraphrases": _Layout(
        sentences=(3, 4),
        label=0,
        labels=("0", "1"),
        header=("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"),
        n_cells=(5,),
    ),
    "sick_labels": _Layout(**_SICK),
    "sick_scores": _Layout(**_SICK, score=4, scores=(1, 5)),
    "similarities": _Layout(sentences=(1, 2), score=0, n_cells=(3,), may_lack_score=True),
    "benchmark": _Layout(sentences=(5, 6), score=4, n_cells=(7, 9)),
}
READERS = tuple(_LAYOUTS)
"""MR, CR, SUBJ and MPQA are `sentences`, TREC `questions`, SST5 `label_first`, SST2 `label_last`, MRPC `paraphrases`,
SICK-E `sick_labels`, SICK-R `sick_scores`, STS12 to STS16 `similarities`, STS Benchmark `benchmark`."""


def read(
    reader: str,
    path: Path,
    on_malformed: OnMalformed,
    words: Words,
    encoding: str = "utf-8",
    labels: Sequence[str] = (),
    chosen_set: str | None = None,
) -> list[DownstreamItem]:
    """Reads a file.

    Args:
        reader: one of `READERS`.
        labels: of `label_first` and `label_last` those that there are; of `sentences` the one of the file.
        chosen_set: of SICK: "TRAIN", "TRIAL" or "TEST"; the pairs of the others are passed over.

    Raises:
        MalformedLine: at an empty file and another header; and, where `on_malformed` raises, at the first line with
            another number of columns, with an unknown set, label or score, with a sentence without words, or that is no
            clean text in the encoding. A blank line of `sentences` is an item without words, a pair of `similarities`
            may have no score.
    """
    layout = _LAYOUTS[reader]
    items = []
    for line, content in numbered_bytes(path):
        if line == 1 and layout.header:
            found = _cells(path, line, text_in(path, line, content, encoding), layout)
            if tuple(found[: len(layout.header)]) != layout.header:
                expected = f"{', '.join(layout.header)} first in it"
                raise MalformedLine(path, line, f"the header is {', '.join(found)}", expected)
            continue
        with Omission(on_malformed):
            cells = _cells(path, line, text_in(path, line, content, encoding), layout)
            if layout.has_set and cells[-1] not in _SICK_SETS:
                raise MalformedLine(path, line, f'the set is "{cells[-1]}"', f"one of {', '.join(_SICK_SETS)}")
            if not layout.has_set or cells[-1] == chosen_set:
                label = _label(path, line, cells, layout, labels)
                sentences = tuple(words(cells[place]) for place in layout.sentences)
                if not (all(sentences) or layout.may_be_blank):
                    raise MalformedLine(path, line, "the sentence is empty", "words")
                items.append(DownstreamItem(sentences, label, line))
    return items


def _cells(path: Path, line: int, text: str, layout: _Layout) -> Sequence[str]:
    cells = layout.cut(text)
    if layout.n_cells and len(cells) not in layout.n_cells:
        expected = f"{' or '.join(map(str, layout.n_cells))}, separated by tabs"
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
    return cells


def _label(path: Path, line: int, cells: Sequence[str], layout: _Layout, labels: Sequence[str]) -> str | float | None:
    known = layout.labels or tuple(labels)
    if layout.label is not None and cells[layout.label] not in known:
        raise MalformedLine(path, line, f'the label is "{cells[layout.label]}"', f"one of {', '.join(known)}")
    if layout.score is None:
        return known[0] if layout.label is None else cells[layout.label]
    text, (lowest, highest) = cells[layout.score], layout.scores
    if layout.may_lack_score and not text:
        return None
    if not is_number(text) or not lowest <= float(text) <= highest:
        raise MalformedLine(path, line, f'the score is "{text}"', f"a number from {lowest} to {highest}")
    return float(text)


def as_shown_by_cat(text: str) -> str:
    r"""Returns what `cat -v` makes of a text in Latin-1: each character beyond ASCII as `M-` and one or two others.

    SentEval's preparation of MR, CR, SUBJ and MPQA does so by accident, so that accented words become unknown ones.

    >>> as_shown_by_cat("caf\xe9\x85")
    'cafM-iM-^E'
    """
    shown = {code: f"M-^{chr(code - 64)}" for code in range(128, 160)}  # control characters
    shown |= {code: f"M-{chr(code - 128)}" for code in range(160, 255)}
    return text.translate({**shown, 255: "M-^?"})
