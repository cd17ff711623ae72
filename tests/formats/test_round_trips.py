"""Whatever can be written is read back the same."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.formats.probing_sets import linspector as probing
from polyprobe.formats.reading.lines import UnwritableText, write_lines
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles import conll2009, finnish_propbank, universal_propbank
from polyprobe.formats.roles.conll2009 import Conll2009Sentence
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.formats.treebanks import conllu, labelled_words
from polyprobe.formats.treebanks.conllu import ConlluSentence
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from tests.formats.written_units import (
    write_conll2009,
    write_finnish,
    write_forms,
    write_rows,
    write_tokens,
    write_universal,
)

CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0\ufeff"), min_size=1, max_size=6)
WORD = CELL.filter(lambda cell: " " not in cell)
NAME = CELL.filter(lambda cell: cell not in ("_", "-") and "|" not in cell)
FINNISH_ROLE = st.sampled_from(["A0", "A1", "A12", "AM-TMP", "AM-LOC"])

few = settings(max_examples=40, deadline=None)


def written_and_read(write, read, units: list) -> list:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "corpus"
        write(units, path)
        return list(read(path, refuse))


def without_line(units: list) -> list:
    return [replace(unit, line=0) for unit in units]


@st.composite
def conllu_sentences(draw, number: int) -> ConlluSentence:
    n_words = draw(st.integers(1, 4))
    heads = [*map(str, range(n_words + 1)), "_"]
    ids = ["0.1"] if draw(st.booleans()) else []
    for word in range(1, n_words + 1):
        ids += [f"{word}-{word + 1}"] if word + 1 == n_words and draw(st.booleans()) else []
        ids += [str(word), *(f"{word}.{node}" for node in range(1, draw(st.integers(0, 2)) + 1))]
    cells = st.tuples(CELL, CELL, CELL, CELL, CELL, st.sampled_from(heads), CELL, CELL, CELL)
    comments = tuple(f"#{comment}" for comment in draw(st.lists(CELL, max_size=2)))
    return ConlluSentence(number, 0, comments, tuple(conllu.Row(id, *draw(cells)) for id in ids))


@st.composite
def conll2009_sentences(draw, number: int) -> Conll2009Sentence:
    predicates = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    heads = [*map(str, range(len(predicates) + 1)), "_"]
    rows = tuple(
        conll2009.Row(
            str(index),
            *draw(st.tuples(*[CELL] * 7)),
            draw(st.sampled_from(heads)),
            *draw(st.tuples(*[CELL] * 4)),
            draw(NAME) if is_predicate else draw(st.sampled_from("_-")),
            draw(st.tuples(*[CELL] * sum(predicates))),
        )
        for index, is_predicate in enumerate(predicates, start=1)
    )
    return ConlluSentence(number, 0, (), rows, conll2009.COLUMNS)


@st.composite
def labelled_sentences(draw, number: int, role: st.SearchStrategy[str]) -> LabelledSentence:
    words = draw(st.lists(CELL, min_size=1, max_size=4))
    positions = st.lists(st.integers(0, len(words) - 1), unique=True).map(sorted)
    propositions = tuple(
        Proposition(predicate, draw(NAME), tuple(Argument(word, draw(role)) for word in draw(positions)))
        for predicate in draw(positions)
    )
    return LabelledSentence(str(number), 0, tuple(words), tuple(draw(CELL) for _ in words), propositions)


@st.composite
def files_of(draw, unit, *arguments) -> list:
    return [draw(unit(number, *arguments)) for number in range(1, draw(st.integers(1, 3)) + 1)]


@few
@given(files_of(conllu_sentences))
def test_conllu(sentences):
    assert without_line(written_and_read(write_rows, conllu.read, sentences)) == sentences


@few
@given(files_of(conll2009_sentences))
def test_conll2009(sentences):
    assert without_line(written_and_read(write_rows, conll2009.read, sentences)) == sentences


@few
@given(files_of(labelled_sentences, NAME))
def test_propositions_in_universal_propbank(sentences):
    read = written_and_read(write_universal, universal_propbank.universal_propbank_sentences, sentences)
    assert without_line(read) == sentences


@few
@given(files_of(labelled_sentences, FINNISH_ROLE))
def test_propositions_in_finnish_propbank(sentences):
    read = written_and_read(write_finnish, finnish_propbank.finnish_propbank_sentences, sentences)
    assert without_line(read) == sentences


@few
@given(files_of(labelled_sentences, NAME))
def test_propositions_in_conll2009(sentences):
    read = written_and_read(write_conll2009, conll2009.conll2009_row_sentences, sentences)
    assert without_line(read) == sentences


@few
@given(st.lists(st.tuples(CELL, CELL), min_size=1))
def test_forms(cells):
    rows = [probing.FormRow(line, (form,), label) for line, (form, label) in enumerate(cells, start=1)]
    assert written_and_read(write_forms, probing.read_forms, rows) == rows


@few
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1))
def test_form_pairs(cells):
    rows = [probing.FormRow(line, tuple(forms), label) for line, (*forms, label) in enumerate(cells, start=1)]
    assert written_and_read(write_forms, probing.read_form_pairs, rows) == rows


@few
@given(st.lists(st.tuples(st.lists(WORD, min_size=1).map(tuple), st.integers(0), CELL), min_size=1))
def test_tokens(cells):
    rows = [probing.TokenRow(n, words, at % len(words), label) for n, (words, at, label) in enumerate(cells, start=1)]
    assert written_and_read(write_tokens, probing.read_tokens, rows) == rows


def write_tagged(sentences: list[LabelledWords], path: Path) -> None:
    items = (zip(one.words, one.labels, strict=True) for one in sentences)
    write_lines((" ".join(f"{word}##{tag}" for word, tag in of_sentence) for of_sentence in items), path)


@few
@given(st.lists(st.lists(st.tuples(WORD, WORD.filter(lambda tag: "#" not in tag)), min_size=1), min_size=1))
def test_tagged_words(sentences):
    units = [LabelledWords(*zip(*items, strict=True), line) for line, items in enumerate(sentences, start=1)]
    assert written_and_read(write_tagged, labelled_words.linspector_pos_sentences, units) == units


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb", "a\r", "a\0b", "\ufeffa", "\ud800"])
def test_a_form_that_would_be_read_back_otherwise_is_not_written(form, tmp_path):
    with pytest.raises(UnwritableText):
        write_forms([probing.FormRow(1, (form,), "label")], tmp_path / "forms")
    assert list(tmp_path.iterdir()) == []
