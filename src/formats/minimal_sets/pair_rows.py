"""Which columns of a table, or keys of JSON objects, make a minimal pair; the pair of a row.

    good_sentence;bad_sentence;good_cue;bad_cue;…        {"sentence_good": "…", "sentence_bad": "…", …}
    Onlar kendilerini gördü.;Onlar kendini gördü.;…

Suites of pairs differ in these names alone. Objects stand one a line, as in BLiMP (Warstadt et al. 2020), SLING and
ZhoBLiMP; keys besides are read where a suite asks for them, such as the phenomenon. Words are separated by blanks
alone, a full stop is part of its word; in a language without blanks every character is a word. A file may name the
words that make the difference (TurBLiMP, RuBLiMP), and in one column the construction of each row (MultiBLiMP, JBLiMP).
EWoK's items make two sets each.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, get_type_hints

from annotated_types import Len, MinLen

from polyprobe.errors import BadValue, MalformedLine, check_choice
from polyprobe.formats.minimal_sets.clams import MinimalSet, Span, check_sentence, differing_spans, set_of_sentences
from polyprobe.formats.reading.cells import value_of
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.table_rows import Quotes, TableLayout, table_rows
from polyprobe.section import Expected, check_values

_BLANKS = re.compile(r"[ \t\r\n]+")
_AROUND = re.compile(r"^[^\w]+|[^\w]+$|\u00ad")  # punctuation before and after a word; soft hyphens
_KEYS = ("Context1", "Context2", "Target1", "Target2")
_OBJECT = 'an object such as {"Context1": "…", "Context2": "…", "Target1": "…", "Target2": "…"}'


ColumnName = Annotated[str, MinLen(1), Expected("the name of a column")]


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Where a row has its sentences, and what else is read of it."""

    good: ColumnName
    bad: ColumnName
    """`good` and `bad`: the grammatical sentence and its variant."""
    focus: (
        Annotated[
            Sequence[str],
            Len(2, 2),
            Expected("two names of columns, such as [good_cue,bad_cue], or null", of_parts=True),
        ]
        | None
    ) = None
    """The two columns with the words that make the difference, the grammatical sentence's first; None: there are none,
    and the words that differ are meant.
    """
    test: Annotated[str, Expected("the name of a column, or null")] | None = None
    """The column that names the construction of a row; None: a file is one construction."""
    separator: Literal["tab", "semicolon", "comma"] | None = None
    """Of a table's columns; None: that by which the first line has the columns."""
    quotes: Quotes = "csv"

    @property
    def needed(self) -> list[str]:
        """The columns without which a row says nothing: all but those of the groups."""
        return [self.good, self.bad, *(self.focus or ()), *([self.test] if self.test else [])]


BLIMP = PairColumns(good="sentence_good", bad="sentence_bad")


def pair_columns(given: object, key: str) -> PairColumns:
    """Checks what a configuration says of columns.

    Args:
        given: the settings of `PairColumns`, by name.
        key: as the user types what holds them: "suite.columns", or "suite" with suite=pairs.

    Raises:
        BadValue, UnknownChoice: they are no mapping, or a value is not what it has to be.
    """
    if not isinstance(given, Mapping):
        raise BadValue(key, given, "a mapping such as {good: sentence_good, bad: sentence_bad}, or null")
    for name in given:
        check_choice(key, str(name), [one.name for one in fields(PairColumns)])
    types = get_type_hints(PairColumns, include_extras=True)
    named = {"good": None, "bad": None, **given}
    check_values(key, {name: types[name] for name in named}, named)
    if given["good"] == given["bad"]:  # every set would be a tie
        raise BadValue(f"{key}.bad", given["bad"], f"another column than that of {key}.good")
    return PairColumns(**given)


@dataclass(frozen=True, slots=True)
class PairReading:
    """How the rows of a suite become minimal sets."""

    columns: PairColumns
    fields: tuple[str, ...]
    """Further columns that the sets keep; rows without one keep the others."""
    between: str
    """What stands between two words: a blank, or nothing, where every character is a word."""
    key: str = "suite.columns"
    """As the user types what holds the settings of the columns, see `pair_columns`."""


AS_IN_BLIMP = PairReading(BLIMP, (), " ")


def set_of_row(path: Path, line: int, number: int, row: Mapping[str, str | None], reading: PairReading) -> MinimalSet:
    """Makes the pair of a row."""
    columns = reading.columns
    sentences = [sentence_of(path, line, name, row[name]) for name in (columns.good, columns.bad)]
    fields = {name: row[name] for name in reading.fields if row.get(name) is not None}
    if columns.test is not None and not (row[columns.test] or "").strip():
        raise MalformedLine(path, line, f"{columns.test} is empty", "the name of a construction")
    one = set_of_sentences(number, sentences, reading.between, fields)
    if columns.focus is None or one.has_identical:
        return one
    named = [row[name] or "" for name in columns.focus]
    return set_of_sentences(number, sentences, reading.between, fields, named_spans(one.words, named))


def sentence_of(path: Path, line: int, name: str, text: str | None) -> str:
    """Returns a sentence of a published text, its words separated by single blanks.

    Several blanks, tabs and line feeds count as one blank, those around the sentence as none: TurBLiMP has such rows.
    """
    sentence = _BLANKS.sub(" ", text or "").strip(" ")
    if not sentence:
        raise MalformedLine(path, line, f"{name} is empty", "a sentence")
    return sentence


def named_spans(words: Sequence[Sequence[str]], named: Sequence[str]) -> tuple[Span, ...] | None:
    """Finds the words that a file names in the two sentences of a pair.

    Files give neither case nor place: RuBLiMP writes "не" for the first word of "Не станет …", and a sentence may have
    it twice. So case, punctuation around words and soft hyphens are not looked at, and of several places those are
    taken that leave equal sentences without the words, else the first that touches what differs.

    Args:
        words: of the grammatical sentence and of its variant.
        named: the words in each, separated by blanks.

    Returns:
        Two spans `[start, end)` of words; None if a sentence does not have the words (files err, and write ∅ where a
        word is absent): then what differs is meant.
    """
    places = [_places(sentence, _plain(words_of)) for sentence, words_of in zip(words, named, strict=True)]
    differing = differing_spans(words)
    touching = [
        [span for span in of_sentence if span[0] < end and start < span[1]]
        for of_sentence, (start, end) in zip(places, differing, strict=True)
    ]
    for spans in product(*touching):
        rests = [_plain_words([*s[:start], *s[end:]]) for s, (start, end) in zip(words, spans, strict=True)]
        if rests[0] == rests[1]:
            return spans
    return next(product(*touching), None)


def _places(words: Sequence[str], named: Sequence[str]) -> list[Span]:
    plain, n = _plain_words(words), len(named)
    return [(start, start + n) for start in range(len(words) - n + 1) if n and plain[start : start + n] == list(named)]


def _plain(text: str) -> list[str]:
    return [one for one in _plain_words(_BLANKS.sub(" ", text).strip().split(" ")) if one]


def _plain_words(words: Sequence[str]) -> list[str]:
    return [_AROUND.sub("", word).casefold() for word in words]


def read_table(path: Path, on_malformed: OnMalformed, reading: PairReading) -> Iterator[MinimalSet]:
    """Reads the pairs of a table; a set's number is that of its row, the first below the names being 1.

    Raises:
        MalformedLine: as `table_rows` and, where `on_malformed` raises, at the first row with an empty sentence.
    """
    columns = reading.columns
    layout = TableLayout(columns.needed, columns.separator, columns.quotes, key=reading.key)
    for row in table_rows(path, on_malformed, layout):
        with Omission(on_malformed):
            yield set_of_row(path, row.line, row.number, row.cells, reading)


def read_blimp(path: Path, on_malformed: OnMalformed, reading: PairReading = AS_IN_BLIMP) -> Iterator[MinimalSet]:
    """Reads JSON objects as BLiMP has them (Warstadt et al. 2020); a set's number is its line.

    The last line may lack its line feed.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object
            with both sentences, has a sentence with surplus blanks, or is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        with Omission(on_malformed):
            row = _blimp_row(path, line, text_of(path, line, content), reading)
            yield set_of_row(path, line, line, row, reading)


def _blimp_row(path: Path, line: int, text: str, reading: PairReading) -> dict[str, str]:
    columns = reading.columns
    expected = f'an object such as {{"{columns.good}": "…", "{columns.bad}": "…"}}'
    fields = _texts(path, line, text, columns.needed, expected)
    if reading.between:
        for key in (columns.good, columns.bad):
            check_sentence(path, line, fields[key], f"{expected}, with single blanks between words")
    return fields


def _texts(path: Path, line: int, text: str, needed: Sequence[str], expected: str) -> dict[str, str]:
    """Returns the values of a JSON object that are texts, the needed ones among them."""
    fields = value_of(path, line, text, expected)
    texts = {key: value for key, value in fields.items() if isinstance(value, str)} if isinstance(fields, dict) else {}
    if absent := [key for key in needed if key not in texts]:
        raise MalformedLine(path, line, f"the line has no {' and no '.join(absent)}", expected)
    return texts


def read_ewok(path: Path, on_malformed: OnMalformed, reading: PairReading) -> Iterator[MinimalSet]:
    """Reads EWoK's items (Ivanova et al. 2024): a target sentence is likelier after its own context.

        {"Domain": "…", "Context1": "…", "Context2": "…", "Target1": "…", "Target2": "…", …}

    The item of line k makes the sets 2k - 1 and 2k: Target1 after Context1 and after Context2, Target2 after Context2
    and after Context1. The target is what its file names as the focus: the rule "focus" compares its log-probability
    given the one context and given the other, which is the paper's measure. The whole sums also compare how likely the
    contexts are. The last line may lack its line feed.

    Args:
        reading: which further keys the sets keep.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object
            with the four texts, or is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        with Omission(on_malformed):
            fields = _texts(path, line, text_of(path, line, content), _KEYS, _OBJECT)
            texts = {key: sentence_of(path, line, key, fields[key]) for key in _KEYS}
            kept = {key: fields[key] for key in reading.fields if key in fields}
            for number, other in ((1, 2), (2, 1)):
                target, contexts = texts[f"Target{number}"], (texts[f"Context{number}"], texts[f"Context{other}"])
                ends = [context.count(" ") + 1 for context in contexts]
                named = tuple((end, end + target.count(" ") + 1) for end in ends)
                sentences = [f"{context} {target}" for context in contexts]
                yield set_of_sentences(2 * line - 2 + number, sentences, " ", kept, named)
