"""Tests from columns of tables: what a row is, in which split, what is refused."""

import json
import re

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.items import Form, Sentence, TokenInContext
from polyprobe.probing.suites.own import own_table
from polyprobe.probing.suites.tests import load_test
from polyprobe.splits import SPLITS

LANG = {"code": "xx", "name": "X", "generator": None}
SHIPPED = {
    "format": "table",
    "columns": None,
    "word": "word",
    "sentence": "sentence",
    "index": None,
    "split": None,
    "group": None,
    "separator": None,
    "quotes": "csv",
    "least_per_label": 1,
    "most_per_label": None,
    "shares": [80, 10, 10],
    "split_seed": 1,
}
WORDS = "".join(f"w{n},{'XY'[n % 2]}\n" for n in range(40))


def written(tmp_path, content, name="mine.csv"):
    (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / name


def loaded(path, level="type", label="label", handler=refuse, **options):
    suite = own_table(str(path), label, "table", level, False, **SHIPPED | options)
    return load_test(suite, LANG, label, path.parent, None, handler)


def items(test, split):
    return [one[0] for one in getattr(test, split).items]


def test_words_are_forms_and_dealt_out_by_form(tmp_path):
    test = loaded(written(tmp_path, f"word,label\n{WORDS}{WORDS}"))
    sizes = [len(getattr(test, split).items) for split in SPLITS]
    assert sum(sizes) == 80
    assert sizes[0] in range(62, 67)
    found = [set(items(test, split)) for split in SPLITS]
    assert not found[0] & found[1] | found[0] & found[2] | found[1] & found[2]
    assert Form("w0") in set.union(*found)
    assert test.note == "train, dev and test split 80:10:10 by form (suite.split_seed=1)"


def test_another_seed_deals_out_otherwise_and_is_another_version(tmp_path):
    path = written(tmp_path, f"word,label\n{WORDS}")
    one, other = loaded(path), loaded(path, split_seed=2)
    assert items(one, "test") != items(other, "test")
    assert one.version != other.version
    assert items(one, "test") == items(loaded(path), "test")


def test_rows_of_a_group_are_in_one_split(tmp_path):
    rows = "".join(f"w{n},{'XY'[n % 2]},l{n // 8}\n" for n in range(80))
    test = loaded(written(tmp_path, f"word,label,lemma\n{rows}"), group="lemma")
    lemmas = [{int(form.form[1:]) // 8 for form in items(test, split)} for split in SPLITS]
    assert sum(map(len, lemmas)) == len(set.union(*lemmas)) == 10


def test_a_column_says_the_split_in_any_usual_spelling(tmp_path):
    rows = "a,X,train\nb,Y,Train\nc,X,valid\nd,Y,dev\ne,X,te\nf,Y,test\n"
    test = loaded(written(tmp_path, f"word,label,part\n{rows}"), split="part")
    assert [[form.form for form in items(test, split)] for split in SPLITS] == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert test.note is None
    with pytest.raises(MalformedLine, match=r'line 2: the part is "x". Expected train, dev or test'):
        loaded(written(tmp_path, "word,label,part\na,X,x\n"), split="part")


def test_a_folder_has_a_file_for_each_split(tmp_path):
    for name, form in (("words_train.tsv", "a"), ("words_val.tsv", "b"), ("words_test.tsv", "c")):
        written(tmp_path, f"word\tlabel\n{form}1\tX\n{form}2\tY\n", name)
    test = loaded(tmp_path)
    assert [items(test, split) for split in SPLITS] == [[Form(f"{one}1"), Form(f"{one}2")] for one in "abc"]
    written(tmp_path, "", "more_test.csv")
    with pytest.raises(PolyprobeError, match=r"Expected one file each for train, dev and test"):
        loaded(tmp_path)


@pytest.mark.parametrize(
    ("word", "index", "place"), [("word", None, 2), ("word", "where", 2), ("absent", "at", 1), (None, "at", 1)]
)
def test_a_word_is_found_in_its_sentence_or_by_its_place(word, index, place, tmp_path):
    rows = "".join(f'"no {n} kala .",kala,2,1,{"XY"[n % 2]}\n' for n in range(40))
    path = written(tmp_path, f"sentence,word,where,at,label\n{rows}")
    test = loaded(path, "token", word=word, index=index)
    assert all(one == TokenInContext(one.words, place) for one in items(test, "train"))


@pytest.mark.parametrize(
    ("first", "last", "line", "found", "expected"),
    [
        (0, "the gate,gate,1,X", None, None, None),
        (
            1,
            "the gate,gate,2,X",
            2,
            'the index is 2, where "." stands, and the word is "gate0"',
            "indices start at 0",
        ),
        (0, "the gate,gate,2,X", 42, 'the index is "2", and the sentence has 2 words', "0 to 1"),
        (0, "the gate,the,1,X", 42, 'the index is 1, where "gate" stands, and the word is "the"', "indices start at 0"),
    ],
)
def test_the_word_of_a_row_stands_at_its_index_from_0(first, last, line, found, expected, tmp_path):
    rows = "".join(f"the gate{n} .,gate{n},{first + 1},{'XY'[n % 2]}\n" for n in range(40))
    path = written(tmp_path, f"sentence,word,index,label\n{rows}{last}\n")
    if line is None:
        assert loaded(path, "token", index="index").train.items
        return
    with pytest.raises(MalformedLine) as refused:
        loaded(path, "token", index="index")
    assert (refused.value.line, refused.value.found) == (line, found)
    assert refused.value.expected.endswith(expected)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a b,c,X", '"c" is nowhere in its sentence'),
        ("ab cd,abc,X", r"(perhaps ab)"),
        ("a a,a,X", '"a" is 2 times in its sentence. Expected each word once'),
        ("a b,a, ", "the label is empty"),
        ("a b,a", "the row has 2 columns. Expected 3 columns, separated by commas"),
        ('"a b,a,X', "a quotation mark is not closed"),
    ],
)
def test_a_bad_row_is_refused_with_its_line_or_skipped(row, words, tmp_path):
    good = "".join(f"s{n} b,b,{'XY'[n % 2]}\n" for n in range(60))
    path = written(tmp_path, f"sentence,word,label\n{good}{row}\n")
    with pytest.raises(MalformedLine, match=re.escape(words)) as refused:
        loaded(path, "token")
    assert refused.value.line == 62
    handler = Skipped()
    assert len(loaded(path, "token", handler=handler).train.items) in range(44, 53)
    assert len(handler.places) == 1


def test_sentences_are_cut_at_blanks_and_equal_ones_stay_together(tmp_path):
    rows = "".join(f'"a  {n % 20} .",{"XY"[n % 2]}\n' for n in range(40))
    test = loaded(written(tmp_path, f"sentence,label\n{rows}"), "sentence")
    assert Sentence(("a", "3", ".")) in {*items(test, "train"), *items(test, "dev"), *items(test, "test")}
    assert not set(items(test, "train")) & set(items(test, "test"))
    assert "surplus blanks removed in 40 sentences" in test.note


def test_objects_are_read_by_their_keys(tmp_path):
    rows = [{"word": f"w{n}", "label": n % 2, "more": [1]} for n in range(40)]
    test = loaded(written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows)), format="objects")
    assert test.labels == ("0", "1")
    with pytest.raises(MalformedLine, match=r"line 1: the line has no case\. Expected an object such as"):
        loaded(tmp_path / "mine.csv", label="case", format="objects")


def test_names_may_be_given_where_the_first_line_is_a_row(tmp_path):
    test = loaded(written(tmp_path, WORDS), columns=["word", "label"])
    assert sum(len(getattr(test, split).items) for split in SPLITS) == 40


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("word,label\n", {}, "nothing is left. No row has it. Expected at least two labels"),
        ("word,label\na,X\nb,X\n", {}, "one label is left, X. The rows have X (2)"),
        ("word,label\na,X\nb,Y\n", {}, "has no row, split by form. Expected at least one in each"),
        ("word,label\na,X\nb,Y\nc,Y\n", {"least_per_label": 2}, "one label is left, Y"),
        ("wort,label\na,X\n", {}, "the first line has no column word, separated by commas"),
    ],
)
def test_what_makes_no_test_is_refused(content, options, words, tmp_path):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        loaded(written(tmp_path, content), **options)


def test_rows_of_rare_labels_are_left_out_and_noted(tmp_path):
    test = loaded(written(tmp_path, f"word,label\n{WORDS}z,Z\n"), least_per_label=2)
    assert test.labels == ("X", "Y")
    assert test.note.startswith("skipped 1 label of fewer than 2 rows")


def test_rows_that_nearly_all_have_a_label_of_their_own_are_refused_with_the_key(tmp_path):
    measured = "".join(f"w{n},{n / 40:.3f}\n" for n in range(38)) + "w38,0.5\nw39,0.5\n"
    with pytest.raises(PolyprobeError) as error:
        loaded(written(tmp_path, f"word,label\n{measured}"))
    assert str(error.value) == (
        "label: nothing can be learned, since 38 of 40 rows have a label of their own (numbers, which a probe takes "
        "for classes). Expected labels that several rows share: suite.least_per_label=2 leaves such rows out."
    )
    named = "".join(f"w{n},c{n}\n" for n in range(40))
    with pytest.raises(PolyprobeError, match="since 40 of 40 rows have a label of their own"):
        loaded(written(tmp_path, f"word,label\n{named}"))


def test_numbers_and_rare_labels_are_a_note_and_a_warning(tmp_path, caplog):
    grades = "".join(f"w{n},{n % 20 / 4}\n" for n in range(60))
    said = "labels look like numbers: 20 different ones, each a class of its own"
    assert said in loaded(written(tmp_path, f"word,label\n{grades}")).note
    rare = WORDS + "".join(f"v{n},c{n}\n" for n in range(20))
    assert "20 of 22 labels occur once" in loaded(written(tmp_path, f"word,label\n{rare}")).note
    assert [record.getMessage() for record in caplog.records] == [
        f"label: {said}.",
        "label: 20 of 22 labels occur once.",
    ]


def test_a_label_of_test_that_train_lacks_is_noted(tmp_path):
    rows = "a,X,train\nb,Y,train\nc,X,dev\nd,Z,test\n"
    assert loaded(written(tmp_path, f"word,label,part\n{rows}"), split="part").note == (
        "rows with a label that train lacks: 1 of test"
    )
