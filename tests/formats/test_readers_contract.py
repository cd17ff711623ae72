"""What every reader promises about good and bad files, as one table over all of them."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.entities import entity_columns
from polyprobe.formats.lexica import frequency_list, unimorph, wuggy_lexicon
from polyprobe.formats.minimal_sets.pair_rows import PairColumns, PairReading, read_blimp, read_table
from polyprobe.formats.pairs import labelled_pairs, pair_tables
from polyprobe.formats.probing_sets import linspector, senteval
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.formats.reading.malformed import OnMalformed, Skipped, refuse
from polyprobe.formats.roles import conll2009, finnish_propbank, universal_propbank
from polyprobe.formats.texts import sentence_lines
from polyprobe.formats.treebanks import conllu, constituency_trees, dependencies, labelled_words, linearised_trees
from tests.formats.written_units import write_forms, write_rows, write_tokens

JOINED = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
ENTITY_COLUMNS = ("number", "token", "tag", "nested")
BLANKS = {"tokenised_by": "blanks", "language": "fi"}
STANDOFF = "# global.columns = ID UP:PRED UP:ARGHEADS UP:ARGSPANS\n"


@dataclass(frozen=True)
class Reader:
    """One row of the table.

    Attributes:
        read: the reader under test.
        unit: the text of one sentence (of one row, in probing files), from its number and one of its forms.
        forms: the forms of what was read; None where the file has no forms.
        write: writes what was read; None where the reader drops columns.
        header: the first line, if the format has one.
        may_have_empty_lines: more than one empty line between units is read: published files have them.
        has_columns: a line has columns, separated by tabs.
    """

    name: str
    read: Callable[[Path, OnMalformed], Iterator[Any]]
    unit: Callable[[int, str], str]
    forms: Callable[[Any], tuple[str, ...]] | None
    write: Callable[[Any, Path], None] | None = None
    header: str = ""
    may_have_empty_lines: bool = False
    has_columns: bool = True

    def text(self, *forms: str) -> str:
        """A file with one unit for each form."""
        return self.header + "".join(self.unit(number, form) for number, form in enumerate(forms, start=1))


def conllu_unit(number: int, form: str) -> str:
    return (
        f"# sent_id = s{number}\n1-2\tennes\t_\t_\t_\t_\t_\t_\t_\t_\n"
        f"1\t{form}\tx\tNOUN\tN\tCase=Nom\t2\tnsubj\t2:nsubj\tSpaceAfter=No\n2\tei\tei\tAUX\tV\t_\t0\troot\t0:root\t_\n"
        "2.1\ttyhjä\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\n"
    )


def joined_unit(number: int, form: str) -> str:
    return (
        f"# sent_id = s{number}\n1\t{form}\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\t_\t_\t_\n"
        "2\ttuli\t_\tVERB\t_\t_\t0\troot\t_\t_\tcome.01\tA1:1\tA1:1-1\n\n"
    )


def standoff_unit(number: int, form: str) -> str:
    return f"# sent_id = s{number}\n1-2\t_\t_\t_\n1\t_\t_\t_\n2\tcome.01\tA1:1\tA1:1-1\n2.1\t_\t_\t_\n\n"


def finnish_unit(number: int, form: str) -> str:
    return (
        f"# sentence-text: {number}\n1\t{form}\t_\tNOUN\t_\t_\t2\tnsubj\t5:x|2:PBArg_1\t_\n"
        "2\ttuli\t_\tVERB\t_\t_\t0\troot\t_\tPBSENSE=tulla.1\n\n"
    )


def conll2009_unit(number: int, form: str) -> str:
    nothing = "\t_" * 4
    return (
        f"1\t{form}\tx\tx\tNoun\tNoun\tA3sg\tA3sg\t3\t3\tSUBJECT\tSUBJECT\t_\t_\tA1\n"
        f"2\t_\tgel\tgel\tVerb\tVerb{nothing}\tDERIV\tDERIV\tY\tgel.01\t_\n"
        f"3\tgelen\t_\t_\tAdj\tAdj\t_\t_\t0\t0\tROOT\tROOT\t_\t_\t_\n\n"
    )


def entity_unit(number: int, form: str) -> str:
    return f"{number}\t{form}\tI-PER\tB-LOC\n{number}\t{form}\tO\tO\n\n"


def chapter_unit(number: int, form: str) -> str:
    return f"{sentence_unit(number, form)}Ei ole .\n\n"


def tree_unit(number: int, form: str) -> str:
    return f"a\t( (S-{number} (NN {form})) )\n"


def sentence_unit(number: int, form: str) -> str:
    return f"{form} tuli {number} .\n"


def pair_unit(number: int, form: str) -> str:
    return f"{form} {number}\tEi ole .\tcontradictory\n"


PAIRS = PairReading(PairColumns("good", "bad"), ("kind",), " ")


def minimal_pair_unit(number: int, form: str) -> str:
    return f"{form} tuli {number} .\t{form} tulin {number} .\tperson\n"


def minimal_pair_object(number: int, form: str) -> str:
    pair = {"good": f"{form} tuli {number} .", "bad": f"{form} tulin {number} .", "kind": "person"}
    return json.dumps(pair, ensure_ascii=False) + "\n"


def pairs_without_header(path: Path, on_malformed: OnMalformed) -> Iterator[Any]:
    columns = ("premise", "hypothesis", "label")
    layout = pair_tables.PairFormat(columns=columns, labels={"contradictory": "contradiction"})
    return pair_tables.read(path, on_malformed, layout)


def both_sides(pair: Any) -> tuple[str, ...]:
    return (pair.premise.rpartition(" ")[0], pair.hypothesis)


def in_treebank(read: Callable) -> Callable:
    """Reads a stand-off file beside which a treebank is written."""

    def read_joined(path: Path, on_malformed: OnMalformed) -> Iterator[Any]:
        treebank = path.with_name("treebank.conllu")
        treebank.write_text("".join(conllu_unit(number, "talo") for number in range(1, 4)), encoding="utf-8")
        return read(path, treebank, on_malformed)

    return read_joined


def beside(path: Path, line: str) -> Path:
    """Writes a file of as many lines, all alike."""
    n_lines = len(path.read_bytes().removesuffix(b"\n").split(b"\n"))
    path.with_name(line).write_text(f"{line}\n" * n_lines, encoding="utf-8")
    return path.with_name(line)


def with_translation(path: Path, on_malformed: OnMalformed) -> Iterator[Any]:
    return sentence_lines.parallel_sentences(path, on_malformed, beside(path, "Nej ."), "blanks", ("fi", "sv"))


def with_hypotheses(path: Path, on_malformed: OnMalformed) -> Iterator[Any]:
    labels = {"neutral": "neutral"}
    others = beside(path, "Ei ole ."), beside(path, "neutral")
    return labelled_pairs.file_pairs(path, on_malformed, *others, labels, **BLANKS)


def words(sentence: Any) -> tuple[str, ...]:
    return sentence.words


def row_forms(sentence: Any) -> tuple[str, ...]:
    return tuple(row.form for row in sentence.rows)


READERS = [
    Reader("conllu", conllu.read, conllu_unit, row_forms, write_rows),
    Reader("dependencies", dependencies.dependency_sentences, conllu_unit, words),
    Reader("parts of speech", labelled_words.universal_pos_sentences, conllu_unit, words),
    Reader("conllu plus", conllu.read, joined_unit, row_forms, write_rows, JOINED),
    Reader("tables", conllu.read_tables, standoff_unit, None, write_rows, STANDOFF),
    Reader("joined", universal_propbank.universal_propbank_sentences, joined_unit, words, None, JOINED),
    Reader(
        "stand-off",
        in_treebank(universal_propbank.universal_propbank_standoff_sentences),
        standoff_unit,
        None,
        None,
        STANDOFF,
    ),
    Reader(
        *("stand-off rows", universal_propbank.read_standoff, standoff_unit, None, write_rows),
        header=STANDOFF,
    ),
    Reader("finnish propbank", finnish_propbank.finnish_propbank_sentences, finnish_unit, words),
    Reader("conll2009", conll2009.read, conll2009_unit, row_forms, write_rows),
    Reader("conll2009 rows", conll2009.conll2009_row_sentences, conll2009_unit, words),
    Reader("conll2009 words", conll2009.conll2009_word_sentences, conll2009_unit, words),
    Reader(
        *("forms", linspector.read_forms, lambda number, form: f"{form}\tThird person {number}\n"),
        *(lambda row: row.forms, write_forms),
    ),
    Reader(
        *("form pairs", linspector.read_form_pairs, lambda number, form: f"a{number}\t{form}\tlemma\n"),
        *(lambda row: row.forms, write_forms),
    ),
    Reader(
        *("tokens", linspector.read_tokens, lambda number, form: f"# {form} a{number} .\t1\tNominative\n"),
        *(words, write_tokens),
    ),
    Reader(
        *("senteval", senteval.read, lambda number, form: f'va\t{number}\t" {form} a{number} .\n', words),
        write=senteval.write,
    ),
    Reader(
        *("entity columns", partial(entity_columns.entity_column_sentences, separator="tab", columns=ENTITY_COLUMNS)),
        *(entity_unit, words, None, "", True),
    ),
    Reader("sentence pairs", pairs_without_header, pair_unit, both_sides),
    Reader(
        *("unimorph", unimorph.read_rows, lambda number, form: f"a{number}\t{form}\tN;NOM;SG\n"),
        *(lambda row: (row[1][1],), None, "", True),
    ),
    Reader(
        *("segmented unimorph", unimorph.read_rows, lambda number, form: f"a{number}\t{form}\tN|PL\ta|{number}\n"),
        *(lambda row: (row[1][1],), None, "", True),
    ),
    Reader(
        *("words with counts", frequency_list.read, lambda number, form: f"{form}\t{number}\n"),
        *(lambda row: (row.word,), None, ""),
    ),
    Reader(
        *("table of frequencies", frequency_list.read, lambda number, form: f"{number}.5\t{form}\t{number}\n"),
        *(lambda row: (row.word,), None, "SUBTLWF\tWord\tFREQcount\n"),
    ),
    Reader(
        *("wuggy lexicon", wuggy_lexicon.read, lambda number, form: f"{form}\tta-lo\t{number}.50\n"),
        *(lambda row: (row.word,), None, ""),
    ),
    Reader(
        *("constituency trees", constituency_trees.read, tree_unit),
        *(lambda tree: tree.root.children[0].children[0].children,),
    ),
    Reader(
        "xprobe",
        senteval.read_xprobe,
        lambda number, form: f'{form} a{number} "\tSing {number}\n',
        words,
        senteval.write,
    ),
    Reader("linearised trees", linearised_trees.linearised_trees, tree_unit, words),
    Reader("linearised dependency trees", linearised_trees.linearised_dependency_trees, conllu_unit, words),
    Reader("pair files", with_hypotheses, sentence_unit, lambda pair: pair.premise, has_columns=False),
    Reader(
        *(
            "next sentences",
            partial(sentence_lines.next_sentences, **BLANKS, borders="empty_lines"),
            chapter_unit,
            words,
        ),
        may_have_empty_lines=True,
        has_columns=False,
    ),
    Reader(
        *("repeated sentences", partial(sentence_lines.repeated_sentences, **BLANKS, borders="files"), sentence_unit),
        words,
        has_columns=False,
    ),
    Reader(
        *("table of minimal pairs", partial(read_table, reading=PAIRS), minimal_pair_unit),
        *(lambda one: one.words[0], None, "good\tbad\tkind\n"),
    ),
    Reader(
        *("objects of minimal pairs", partial(read_blimp, reading=PAIRS), minimal_pair_object),
        *(lambda one: one.words[0], None, ""),
        has_columns=False,
    ),
    Reader("parallel text", with_translation, sentence_unit, words, has_columns=False),
]
WITH_FORMS = [reader for reader in READERS if reader.forms]
WITH_WRITER = [reader for reader in READERS if reader.write]
WITHOUT_EMPTY_LINES = [reader for reader in READERS if not reader.may_have_empty_lines]


def of(readers: list[Reader]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("reader", readers, ids=lambda reader: reader.name)


def first_row(unit: str) -> int:
    """The index of the first line of a unit that is a row."""
    return next(index for index, line in enumerate(unit.split("\n")) if "\t" in line)


def lone_carriage_return(unit: str) -> tuple[bytes, int, str]:
    return unit.encode().replace(b"\n", b"\rx\n", 1), 0, "carriage return"


def two_carriage_returns(unit: str) -> tuple[bytes, int, str]:
    return unit.encode().replace(b"\n", b"\r\r\n", 1), 0, "carriage return"


def not_utf8(unit: str) -> tuple[bytes, int, str]:
    return unit.encode().replace(b"\n", b"\xff\n", 1), 0, "not UTF-8"


def nul(unit: str) -> tuple[bytes, int, str]:
    return unit.encode().replace(b"\n", b"\0\n", 1), 0, "NUL"


def short_row(unit: str) -> tuple[bytes, int, str]:
    lines = unit.split("\n")
    lines[first_row(unit)] = lines[first_row(unit)].partition("\t")[0]
    return "\n".join(lines).encode(), first_row(unit), "the row has 1 column"


def long_row(unit: str) -> tuple[bytes, int, str]:
    lines = unit.split("\n")
    lines[first_row(unit)] += "\tsurplus"
    n_columns = lines[first_row(unit)].count("\t") + 1
    return "\n".join(lines).encode(), first_row(unit), f"the row has {n_columns} columns"


def empty_cell(unit: str) -> tuple[bytes, int, str]:
    lines = unit.split("\n")
    head, _, tail = lines[first_row(unit)].rpartition("\t")
    before = head.rpartition("\t")[0]
    lines[first_row(unit)] = f"{before}\t\t{tail}" if before else f"\t{tail}"
    return "\n".join(lines).encode(), first_row(unit), "is empty"


DAMAGES_OF_LINES = [lone_carriage_return, two_carriage_returns, not_utf8, nul]
DAMAGES_OF_COLUMNS = [short_row, long_row, empty_cell]


def each_damaged() -> pytest.MarkDecorator:
    """Draws a third of all pairs, each reader and each damage in its turn; `make real` has the others."""
    pairs = [
        pytest.param(
            *(reader, damage),
            id=f"{reader.name}-{damage.__name__}",
            marks=[] if (place + number) % 3 == 0 else [pytest.mark.real_data],
        )
        for place, reader in enumerate(READERS)
        for number, damage in enumerate((*DAMAGES_OF_LINES, *(DAMAGES_OF_COLUMNS if reader.has_columns else ())))
    ]
    return pytest.mark.parametrize(("reader", "damage"), pairs)


def damaged(reader: Reader, path: Path, damage: Callable) -> tuple[int, str]:
    """Writes three units of which the second is damaged; returns the bad line and a word on it."""
    start = reader.header + reader.unit(1, "talo")
    content, offset, found = damage(reader.unit(2, "talo"))
    path.write_bytes(start.encode() + content + reader.unit(3, "talo").encode())
    return start.count("\n") + 1 + offset, found


@of(WITH_WRITER)
def test_what_was_read_is_written_back_byte_for_byte(reader, tmp_path):
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.write_text(reader.text("talo", "İstanbul", "a\u00a0b"), encoding="utf-8")
    reader.write(reader.read(original, refuse), copy)
    assert copy.read_bytes() == original.read_bytes()


@each_damaged()
def test_a_damaged_place_is_refused_with_file_line_and_what_to_do(reader, damage, tmp_path):
    line, found = damaged(reader, tmp_path / "corpus", damage)
    with pytest.raises(MalformedLine) as error:
        list(reader.read(tmp_path / "corpus", refuse))
    assert (error.value.path, error.value.line) == (tmp_path / "corpus", line)
    assert str(error.value).startswith(f"{tmp_path / 'corpus'}, line {line}: ")
    assert found in error.value.found
    assert str(error.value).endswith("data.on_malformed=skip")


@each_damaged()
def test_in_skip_mode_only_the_damaged_unit_is_missing_and_it_is_listed(reader, damage, tmp_path, caplog):
    (tmp_path / "whole").write_text(reader.text("talo", "talo", "talo"), encoding="utf-8")
    first, _, third = reader.read(tmp_path / "whole", refuse)
    line, _ = damaged(reader, tmp_path / "corpus", damage)
    skipped = Skipped()
    with caplog.at_level(logging.WARNING):
        kept = list(reader.read(tmp_path / "corpus", skipped))
    assert [content_of(unit) for unit in kept] == [content_of(first), content_of(third)]
    assert [(place.path, place.line) for place in skipped.places] == [(tmp_path / "corpus", line)]
    assert f"line {line}: " in caplog.text


def content_of(unit: Any) -> dict[str, Any]:
    """What a unit says, but for where it stands."""
    if isinstance(unit, tuple):  # the number of a line and its cells
        return {"cells": unit[1]}
    return {name: getattr(unit, name) for name in unit.__dataclass_fields__ if name != "line"}


SPELLINGS = {
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "mixed line ends": lambda text: text.replace(b"\n", b"\r\n", text.count(b"\n") // 2),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "both": lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"),
}


@of(READERS)
def test_line_ends_and_a_byte_order_mark_change_nothing_of_what_is_read(reader, tmp_path):
    content = reader.text("talo", "İstanbul", "talo").encode()
    (tmp_path / "corpus").write_bytes(content)
    plain = list(reader.read(tmp_path / "corpus", refuse))
    for name, spelt in SPELLINGS.items():
        (tmp_path / "corpus").write_bytes(spelt(content))
        assert list(reader.read(tmp_path / "corpus", refuse)) == plain, name


@of(READERS)
def test_a_second_byte_order_mark_is_refused(reader, tmp_path):
    (tmp_path / "corpus").write_bytes(b"\xef\xbb\xbf" * 2 + reader.text("talo").encode())
    with pytest.raises(MalformedLine, match="line 1: the text starts with a byte order mark"):
        list(reader.read(tmp_path / "corpus", refuse))


@of(READERS)
@pytest.mark.parametrize("on_malformed", [refuse, Skipped()], ids=["refuse", "skip"])
def test_an_empty_file_is_refused_in_either_mode(reader, on_malformed, tmp_path):
    for nothing in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "corpus").write_bytes(nothing)
        with pytest.raises(MalformedLine, match="line 1: the file is empty"):
            list(reader.read(tmp_path / "corpus", on_malformed))


@of(WITHOUT_EMPTY_LINES)
def test_an_empty_line_where_a_unit_should_start_is_refused(reader, tmp_path):
    start = reader.text("talo")
    (tmp_path / "corpus").write_text(start + "\n" + reader.unit(2, "talo"), encoding="utf-8")
    with pytest.raises(MalformedLine, match="the line is empty") as error:
        list(reader.read(tmp_path / "corpus", refuse))
    assert error.value.line == start.count("\n") + 1


@of(READERS)
def test_a_file_is_read_alike_without_the_last_line_feed(reader, tmp_path):
    content = reader.text("talo", "İstanbul", "talo")
    (tmp_path / "corpus").write_text(content, encoding="utf-8")
    whole = [said(unit) for unit in reader.read(tmp_path / "corpus", refuse)]
    for end in ("\n", "\r\n"):
        (tmp_path / "corpus").write_bytes(content.rstrip("\n").replace("\n", end).encode())
        assert [said(unit) for unit in reader.read(tmp_path / "corpus", refuse)] == whole


def said(unit: Any) -> dict[str, Any]:
    """What a unit says, but for the empty lines after it."""
    return {name: value for name, value in content_of(unit).items() if name != "after"}


@of(WITH_FORMS)
def test_odd_characters_in_a_form_are_kept(reader, tmp_path):
    forms = [f"a{one}b" for one in "\u2028\u2029\x85\xa0\x0b\x1c\u200e\ufeff#"]
    (tmp_path / "corpus").write_text(reader.text(*forms), encoding="utf-8", newline="")
    units = list(reader.read(tmp_path / "corpus", refuse))
    assert all(form in reader.forms(unit) for form, unit in zip(forms, units, strict=False))
    assert len(units) >= len(forms) - 1  # of the last one nothing may be next


@of(WITH_FORMS)
def test_a_huge_line_is_read(reader, tmp_path):
    (tmp_path / "corpus").write_text(reader.text("talo", "ä" * 1_000_000), encoding="utf-8")
    assert max(map(len, reader.forms(list(reader.read(tmp_path / "corpus", refuse))[1]))) == 1_000_000


@of(READERS)
def test_units_come_before_the_rest_of_the_file_is_looked_at(reader, tmp_path):
    damaged(reader, tmp_path / "corpus", not_utf8)
    assert next(iter(reader.read(tmp_path / "corpus", refuse))) is not None


def test_numbered_lines_end_at_line_feeds_only(tmp_path):
    (tmp_path / "text").write_bytes("a\u2028b\n\nc\x85d\n".encode())
    assert list(numbered_lines(tmp_path / "text")) == [(1, "a\u2028b"), (2, ""), (3, "c\x85d")]


def test_a_place_that_is_met_twice_is_listed_once(tmp_path):
    skipped = Skipped()
    for _ in range(2):
        skipped(MalformedLine("corpus", 3, "the row has 1 column", "10"))
    assert [place.line for place in skipped.places] == [3]
