"""Minimal pairs in tables: separators, quotes, names of columns, and the words that a file names."""

import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets.pair_rows import PairColumns, PairReading, named_spans
from polyprobe.formats.minimal_sets.pair_rows import read_table as read
from polyprobe.formats.reading.malformed import Skipped, refuse


def reading(fields=(), between=" ", **columns):
    return PairReading(PairColumns(**{"good": "good", "bad": "bad", **columns}), fields, between)


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "pairs.csv"
        path.write_bytes(text.encode())
        return path

    return written


def sentences(path, handler=refuse, said=None):
    return [[variant.sentence for variant in one.variants] for one in read(path, handler, said or reading())]


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_the_separator_is_the_one_by_which_the_first_line_has_the_columns(file, separator):
    text = "id|bad|good|kind\n1|hen eat|hen eats|x\n2|cow eat|cow eats|y".replace("|", separator)
    (first, second) = read(file(text), refuse, reading(("kind", "absent")))
    assert [variant.sentence for variant in first.variants] == ["hen eats", "hen eat"]
    assert (first.number, second.number) == (1, 2)
    assert (dict(first.fields), dict(second.fields)) == ({"kind": "x"}, {"kind": "y"})


def test_a_quoted_cell_has_separators_quotation_marks_and_line_feeds(file):
    text = 'good,bad\n"Hens, ""fat"" ones,\neat.","Hens, ""fat"" ones,\neats."\nHe said "no".,He say "no".\n'
    path = file(text)
    assert sentences(path) == [
        ['Hens, "fat" ones, eat.', 'Hens, "fat" ones, eats.'],
        ['He said "no".', 'He say "no".'],
    ]


def test_blanks_too_many_are_none(file):
    assert sentences(file("good,bad\n hen  eats. ,hen eat.  \n")) == [["hen eats.", "hen eat."]]


def test_identical_sentences_are_a_set_that_says_so_whatever_the_named_words(file):
    (one,) = read(file("good,bad,g,b\nhen eats,hen eats,eats,eats\n"), refuse, reading(focus=["g", "b"]))
    assert one.has_identical
    assert one.focus == ((2, 2), (2, 2))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("hen eats", "the row has 1 column"),
        ("hen eats,", "bad is empty"),
        (" ,hen eat", "good is empty"),
        ('hen eats,"hen eat', "a quotation mark is not closed"),
    ],
)
def test_a_bad_row_is_refused_with_its_line_or_left_out_alone(file, row, found):
    path = file(f"good,bad\ncow eats,cow eat\n{row}\nhens eat,hens eats\n")
    with pytest.raises(MalformedLine, match=re.escape(f"line 3: {found}")):
        sentences(path)
    handler = Skipped()
    assert sentences(path, handler) == [["cow eats", "cow eat"], ["hens eat", "hens eats"]]
    assert len(handler.places) == 1


def test_an_open_quotation_mark_in_a_long_file_costs_its_row_alone(file):
    rows = "hen eats,hen eat\n" * 500
    handler = Skipped()
    assert len(sentences(file(f'good,bad\n{rows}"hen eats,hen eat\n{rows}'), handler)) == 1000
    assert [place.line for place in handler.places] == [502]


def spans(good, bad, *named):
    return named_spans([good.split(" "), bad.split(" ")], named)


def test_named_words_are_found_without_case_and_punctuation():
    assert spans("Не станет, он", "Станет он", "не", "станет") == ((0, 1), (0, 1))
    assert spans("«Его» видел", "«Её» видел", "его", "её") == ((0, 1), (0, 1))
    assert spans("жил в основе", "жил в основи", "ос\u00adнове", "ос\u00adнови") == ((2, 3), (2, 3))


def test_of_several_places_those_are_meant_that_leave_equal_sentences():
    good, bad = "Он не знал что не надо", "Он знал не что не надо"
    assert spans(good, bad, "не", "не") == ((1, 2), (2, 3))
    assert spans("Уюк не станет мужем Росы!", "Уюк станет мужем не Росы!", "не", "не") == ((1, 2), (3, 4))


def test_named_words_in_a_part_that_both_sentences_share_are_not_meant():
    assert spans("не рад не я", "не рад мы я", "не", "мы") == ((2, 3), (2, 3))


def test_words_that_are_not_there_leave_what_differs():
    assert spans("bir hen", "hen", "bir", "∅") is None
    assert spans("bana verdi", "beni verdi", "bana", "benle") is None


def test_several_named_words_are_found_together():
    assert spans("doğum gününü unuttum", "doğum gününe unuttum", "doğum gününü", "doğum gününe") == ((0, 2), (0, 2))
