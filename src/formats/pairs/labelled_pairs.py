"""Pairs of sentences as words, with their label, from tables and from JSON objects, one per line (TERRa).

    {"premise": "Женщину доставили в больницу.", "hypothesis": "Её спасают врачи.", "label": "entailment", "idx": 0}

Further keys are kept. An object without a label is a pair of a test set whose labels are not published.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from polyprobe.errors import MalformedLine
from polyprobe.formats.pairs import pair_tables
from polyprobe.formats.pairs.pair_tables import PairFormat, check_sentence, label_of, meanings_of
from polyprobe.formats.reading.cells import rows_of, value_of
from polyprobe.formats.reading.lines import lines_together, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.tokenised import MOSES, WORDS_AND_SIGNS, tokeniser, words_and_signs, words_of_line


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A premise and a hypothesis, each of at least one word."""

    premise: tuple[str, ...]
    hypothesis: tuple[str, ...]
    """`premise` and `hypothesis`: words as written."""
    label: str | None
    """Such as "entailment"; None: annotators found none, or it is not published."""
    line: int
    """The line of the file, from 1."""


def with_label(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Returns the pairs that have a label."""
    return [pair for pair in pairs if pair.label is not None]


def table_pairs(
    path: Path,
    on_malformed: OnMalformed,
    tokenised_by: str = WORDS_AND_SIGNS,
    language: str = "",
    **layout: Annotated[Any, PairFormat],
) -> Iterator[LabelledPair]:
    """Reads the pairs of a table.

    Args:
        tokenised_by, language: see `tokeniser`; where a corpus says nothing, words and signs.
        layout: the fields of `PairFormat`.

    Raises:
        MalformedLine: as `pair_tables.read`.
    """
    cut = tokeniser(tokenised_by, language)
    pairs = pair_tables.read(path, on_malformed, PairFormat(**layout))
    return (LabelledPair(cut(one.premise), cut(one.hypothesis), one.label, one.line) for one in pairs)


def object_pairs(
    path: Path,
    on_malformed: OnMalformed,
    labels: Mapping[Any, str | None] | None = None,
    premise: str = "premise",
    hypothesis: str = "hypothesis",
    label: str = "label",
) -> Iterator[LabelledPair]:
    """Reads the pairs of a file of JSON objects, one per line; those without a label, or with null, have none.

    Args:
        labels: what each spelling in the file means, such as {yes: entailment}; None: those of SNLI.
        premise, hypothesis, label: the keys of the objects.
    """
    meanings = meanings_of(labels)

    def pair(path: Path, line: int, text: str) -> LabelledPair:
        expected = f'an object such as {{"{premise}": "…", "{hypothesis}": "…", "label": "…"}}'
        fields = value_of(path, line, text, expected)
        sides = (premise, hypothesis)
        if not isinstance(fields, dict) or not all(isinstance(fields.get(side), str) for side in sides):
            raise MalformedLine(path, line, f"the line has no {premise} or no {hypothesis}", expected)
        for side in sides:
            check_sentence(path, line, side, fields[side])
        spelling = fields.get(label)
        meaning = None if spelling is None else label_of(path, line, str(spelling), meanings)
        return LabelledPair(words_and_signs(fields[premise]), words_and_signs(fields[hypothesis]), meaning, line)

    return rows_of(path, on_malformed, pair)


def file_pairs(
    path: Path,
    on_malformed: OnMalformed,
    hypotheses: Path,
    gold: Path | None,
    labels: Mapping[str, str | None] | None = None,
    tokenised_by: str = MOSES,
    language: str = "",
) -> Iterator[LabelledPair]:
    """Reads premises, hypotheses and labels, line i of each file together (InferSent's and SentEval's copies of SNLI).

        s1.dev  Two women are embracing .     s2.dev  The sisters are hugging .     labels.dev  neutral

    Args:
        path: the file of the premises.
        hypotheses: the file of the hypotheses.
        gold: the file of the labels; None: labels are not read, the pairs have none.
        labels: what each spelling in the file means, one of `polyprobe.formats.pairs.pair_tables.LABELS`, or None;
            None: as `PairFormat` has it.
        tokenised_by, language: see `polyprobe.formats.reading.tokenised.tokeniser`.

    Raises:
        MalformedLine: at an empty file, and at the first line of one file that has no counterpart in another; and,
            where `on_malformed` raises, at the first line without a word, with a label that is unknown, or without
            clean UTF-8 text.
    """
    cut, labels = tokeniser(tokenised_by, language), meanings_of(labels)
    for premise, hypothesis, *spelling in lines_together([path, hypotheses, *([] if gold is None else [gold])]):
        with Omission(on_malformed):
            words = words_of_line(path, *premise, cut)
            others = words_of_line(hypotheses, *hypothesis, cut)
            label = None if gold is None else label_of(gold, premise[0], text_of(gold, *spelling[0]), labels)
            yield LabelledPair(words, others, label, premise[0])
