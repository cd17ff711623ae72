"""Premises, hypotheses and labels in three files, line i of each together (InferSent's and SentEval's copies of SNLI).

s1.dev  Two women are embracing .     s2.dev  The sisters are hugging .     labels.dev  neutral
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.pairs.labelled_pairs import LabelledPair, spelling_of
from src.formats.pairs.pair_tables import label_of, meanings_of
from src.formats.reading.line_ends import written_back
from src.formats.reading.lines import text_of, write_lines
from src.formats.reading.lines_together import lines_together
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES, tokeniser, words_of_line


def file_pairs(
    path: Path,
    on_malformed: OnMalformed,
    hypotheses: Path,
    gold: Path | None,
    labels: Mapping[str, str | None] | None = None,
    tokenised_by: str = MOSES,
    language: str = "",
) -> Iterator[LabelledPair]:
    """Reads the pairs of files that belong together.

    Args:
        path: the file of the premises.
        on_malformed: called with every bad line of any of the files; the pair is then left out.
        hypotheses: the file of the hypotheses.
        gold: the file of the labels; None: labels are not read, the pairs have none.
        labels: what each spelling in the file means, one of `src.formats.pairs.pair_tables.LABELS`, or None; None: as
            `PairFormat` has it.
        tokenised_by, language: see `src.formats.reading.tokenised.tokeniser`.

    Raises:
        MalformedLine: at an empty file, and at the first line of one file that has no counterpart in another; and,
            where `on_malformed` raises, at the first line without a word, with a label that is unknown, or without
            clean UTF-8 text.
    """
    cut, labels = tokeniser(tokenised_by, language), meanings_of(labels)
    for premise, hypothesis, *spelling in lines_together([path, hypotheses, *([] if gold is None else [gold])]):
        try:
            words = words_of_line(path, *premise, cut)
            others = words_of_line(hypotheses, *hypothesis, cut)
            label = None if gold is None else label_of(gold, premise[0], text_of(gold, *spelling[0]), labels)
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield LabelledPair(words, others, label, premise[0])


def file_pairs_to_label(
    path: Path,
    on_malformed: OnMalformed,
    hypotheses: Path,
    labels: Mapping[str, str | None] | None = None,
    tokenised_by: str = MOSES,
    language: str = "",
) -> FileToLabel:
    """Reads pairs without labels; an answer is a label, written into a third file, one a line. Raises as `file_pairs`.

    Pairs that are left out have no line in the written file; its lines end as those of the premises do.
    """
    pairs = list(file_pairs(path, on_malformed, hypotheses, None, labels, tokenised_by, language))
    return FileToLabel(
        pairs, written_back(partial(_write_answers, meanings_of(labels)), path, (pair.line for pair in pairs))
    )


def _write_answers(labels: Mapping[str, str | None], answers: Sequence[str], path: Path) -> None:
    write_lines((str(spelling_of(labels, answer)) for answer in answers), path)
