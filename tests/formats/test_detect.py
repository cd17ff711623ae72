"""The format of a file, by its name and its content."""

import json
import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.detect import detect_format, usual_columns
from tests.formats.small_files import KINDS


def found(tmp_path, content):
    path = tmp_path / "data"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return detect_format(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_recognised_by_its_content(kind, tmp_path):
    for begin in (b"", b"\xef\xbb\xbf"):
        assert found(tmp_path, begin + KINDS[kind].encode()).kind == kind
        assert found(tmp_path, begin + KINDS[kind].replace("\n", "\r\n").encode()).kind == kind


@pytest.mark.parametrize(("name", "kind"), [("a.conllu", "treebank"), ("A.CONLLUP", "treebank"), ("a.txt", "table")])
def test_a_treebank_by_its_name_has_the_errors_of_its_reader(name, kind, tmp_path):
    (tmp_path / name).write_text("1\tcat\tNOUN\n\n2\tdog\tNOUN\n\n", encoding="utf-8")
    assert detect_format(tmp_path / name).kind == kind


@pytest.mark.parametrize(("name", "separators"), [("a.tsv", ("tab",)), ("a.txt", ("tab", "comma"))])
def test_a_name_settles_what_separates_cells(name, separators, tmp_path):
    (tmp_path / name).write_text("a, b\tX\nc, d\tY\n", encoding="utf-8")
    assert detect_format(tmp_path / name).separators == separators


@pytest.mark.parametrize(
    ("content", "columns", "separators"),
    [
        ("word,label\na,X\n", ("word", "label"), ("comma",)),
        ('"Word";"Class"\n"a;b";X\n', ("Word", "Class"), ("semicolon",)),
        ("sep=;\nkelime;durum\na;X\nb;X\nc;X\nd;Y\n;\n", ("kelime", "durum"), ("semicolon",)),
        ("kelime\tdurum\na\tX\nb\tX\nc\tX\nd\tY\n", ("kelime", "durum"), ("tab",)),  # X recurs, durum does not
        ('text,label\n"a\nb",X\nc,Y\n', ("text", "label"), ("comma",)),
        ("word,label,,\na,X,,\nb,Y,,\n", ("word", "label"), ("comma",)),
        ("word\tlabel\na\tX\t\nb\tY\t\n", ("word", "label"), ("tab",)),
        ('text\tlabel\n"a\tX\nb"\tY\n', ("text", "label"), ("tab",)),  # no quoting
        ("word\tlabel\na\n" + "b\tX\n" * 8, ("word", "label"), ("tab",)),  # a bad row is no other format
        ("id,text,label\n" + '1,"a\nb, c",X\n' * 150, ("id", "text", "label"), ("comma",)),  # cut inside
        ("id,text,label\n" + f'1,"a\n{"b, " * 9000}",X\n' * 3, ("id", "text", "label"), ("comma",)),
    ],
)
def test_names_and_separators_of_a_table(content, columns, separators, tmp_path):
    table = found(tmp_path, content)
    assert (table.kind, table.columns, table.separators) == ("table", columns, separators)


@pytest.mark.parametrize(
    ("content", "quotes", "columns"),
    [
        ('"text"\t"label"\n"a ""b"""\t"X"\n', None, ("text", "label")),
        ('"text"\t"label"\n"a, b"\t1\n"c, d"\t2\n', None, ("text", "label")),
        ('"text"\t"label"\n"a\nb"\t"X"\n"c"\t"Y"\n', None, ("text", "label")),
        ('"text"\t"label"\n"a"\t"X"\n', "csv", ()),
        ('text\tlabel\n"a"\tX\n', None, ("text", "label")),
        ('text\tlabel\n"a\tb"\tX\n', "always", ("text", "label")),
    ],
)
def test_cells_between_tabs_are_quoted_where_all_names_and_nearly_all_cells_are(content, quotes, columns, tmp_path):
    (tmp_path / "data").write_text(content)
    table = detect_format(tmp_path / "data", quotes=quotes)
    is_quoted = quotes == "always" or (quotes is None and content.startswith('"'))
    assert (table.columns, table.separators, table.quotes) == (columns, ("tab",), "always" if is_quoted else "csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "text,label\nyes, it is,A\nno, not so,B\n",
            "line 2: the row has 3 columns. Expected 2 columns, separated by commas",
        ),
        ("a\tb\nc\td\te\nf\tg\th\ti\n", "line 2: the row has 3 columns. Expected 2 columns, separated by tabs"),
        ('{\n  "form": "a"\n}\n', "JSON over several lines"),
        ('{"meta": {},\n "items": []}\n', "JSON over several lines"),
        ("<?xml version='1.0'?>\n<a/>\n", "XML"),
        ("\n \n\n", "line 1: the file has no text: all its lines are blank"),
    ],
)
def test_what_is_no_running_text_is_refused_by_what_is_wrong(content, words, tmp_path):
    with pytest.raises(MalformedLine, match=re.escape(words)):
        found(tmp_path, content)


@pytest.mark.parametrize(
    "text", ["Text, more text\nand so on\nor, so, not\n", "<unk> of x\n", "a\n\tb\n", "[ Music ]\n"]
)
def test_running_text_may_have_commas_and_signs(text, tmp_path):
    assert found(tmp_path, text).kind == "text"


ROW = "1\ta" + "\t_" * 4 + "\t0" + "\t_" * 3


@pytest.mark.parametrize(
    "content",
    [
        "# global.columns = ID FORM UPOS PARSEME:MWE\n1\ta\tNOUN\t*\n\n",
        "# newdoc\n#global.columns=ID FORM HEAD\n1\ta\t0\n\n",
        f"{ROW}\t2:holder\n\n",
        f"{ROW}\t\n\n",
    ],
    ids=["plus", "written otherwise", "eleven columns", "a tab at the end"],
)
def test_a_treebank_may_have_other_columns(content, tmp_path):
    assert found(tmp_path, content).kind == "treebank"


def test_columns_with_usual_names_say_what_they_are_for(tmp_path):
    table = found(tmp_path, "ID,Text,Gold_Label,partition\n1,a,X,train\n")
    assert usual_columns(table) == {"sentence": "Text", "label": "Gold_Label", "split": "partition"}
    table = found(tmp_path, "word,token,tag,class\na,b,X,Y\n")
    assert usual_columns(table) == {"word": "word"}  # tag or class


def test_values_of_objects_are_texts_and_keys_those_of_all(tmp_path):
    objects = found(tmp_path, KINDS["objects"])
    assert (objects.columns, objects.rows) == (("form", "label"), (("a", "1"), ("b", "2")))


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("Bern N I-NP I-LOC|met V I-VP O", "token column2 column3 tag"),
        ("Bern N I-NP I-LOC|met V I-NP O", "token column2 column3 tag"),  # the same in all rows
        ("Bern N I-LOC I-NC|met V O I-VC", "token column2 tag column4"),
        ("Bern B-LOC O|met O O", "token tag column3"),
        ("Bern O B-LOC|met O O", "token column2 tag"),
        ("1 Bern S-LOC|2 met O", "column1 token tag"),
        ("B-LOC Bern|O met", "tag token"),
        ("Bern N B-NP|met V B-VP", "token column2 tag"),  # chunks alone are what there is
        ("Bern B-LOC B-PER|met O O", "token column2 column3"),
        ("Bern B-NP O|met B-VP O", "token column2 column3"),  # perhaps no entity in the first rows
        ("B-LOC Bern N|O met V", "tag column2 column3"),
        ("Bern B|met O", "token tag"),
    ],
)
def test_the_column_of_entities_is_told_by_its_tags_or_left_open(rows, columns, tmp_path):
    for sign in "\t", " ":
        rows_of_sentences = rows.replace(" ", sign).replace("|", "\n")
        entities = found(tmp_path, f"{rows_of_sentences}\n\n{rows_of_sentences}\n")
        assert (entities.kind, " ".join(entities.columns)) == ("entities", columns)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("a\tO\nb\tB\nc\tI\n", "table"),  # words and labels: no sentences
        ("tr\tI\ta b\nva\tO\tb c\nte\tO\tc d\n", "senteval"),
        ("a\tS-Nom\n\nb\tE-Gen\n", "table"),  # no word is outside
        ("a\tB-PER\n" * 9 + "a\tOE\n", "entities"),  # a bad row is no other format
        ("Anna|NNP|I-PER met|VBD|O\n", "pipes"),
    ],
)
def test_labels_that_look_like_tags_are_no_entities(content, kind, tmp_path):
    assert found(tmp_path, content).kind == kind


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfea\0", "text in UTF-16. Expected text in UTF-8: `iconv -f UTF-16 -t utf-8 "),
        ("a\tb\n".encode("utf-16-le"), "text in UTF-16. Expected text in UTF-8: `iconv -f UTF-16LE -t utf-8 "),
        ("a\tb\n".encode("utf-32"), "text in UTF-32"),
        ("a\tcaf\xe9\n".encode("latin-1"), "Of Windows or Latin-1 text it is made by `iconv -f WINDOWS-1252 -t utf-8 "),
        (b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml", "an Excel workbook. Expected text in UTF-8: save it as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1", "an old Office program"),
        (b"a\tX\nb\0\tY\n", "line 2: the line has a NUL character"),
        (b"\x89PNG\0\xe4\n", "the file is no text"),
        (b"a\tX\nb\xe4\tY\n", "line 2: "),
        (b"\x1f\x8b\x08", "packed by gzip"),
        (json.dumps([{"form": "a"}]).encode(), "one JSON list. Expected JSON objects, one per line"),
    ],
)
def test_what_is_no_text_is_refused(content, words, tmp_path):
    with pytest.raises(MalformedLine, match=re.escape(words)):
        found(tmp_path, content)


@pytest.mark.parametrize(("ending", "kind"), [(".xlsx", "an Excel workbook"), (".ods", "a spreadsheet"), ("", "a zip")])
def test_a_workbook_is_known_by_its_name(ending, kind, tmp_path):
    (tmp_path / f"book{ending}").write_bytes(b"PK\x03\x04\xd8")
    with pytest.raises(MalformedLine, match=f"the file is {kind}"):
        detect_format(tmp_path / f"book{ending}")


@pytest.mark.parametrize("line", [b"kala\tNom\n", b"k\xc3\xa4\xc3\xa4"])
def test_the_start_of_a_large_file_is_looked_at_alone(line, tmp_path):
    with open(tmp_path / "data", "wb") as file:
        file.write(line * 20_000)
        file.seek(200_000_000)
        file.write(b"\0")  # a hole: 200 MB that take no place
    assert detect_format(tmp_path / "data").kind == ("table" if b"\t" in line else "text")


def test_binary_vectors_are_vectors(tmp_path):
    assert found(tmp_path, b"2 2\na \0\0\0\0\0\0\x80?\nb \0\0\0\0\0\0\x80?\n").kind == "vectors"
    assert found(tmp_path, b"\xba\x16\x4f\x2f\x0c\0\0\0").kind == "vectors"
