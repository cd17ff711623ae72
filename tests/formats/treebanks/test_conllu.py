import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.treebanks import conllu
from tests.formats.written_units import write_rows

SENTENCE = [
    "# sent_id = b1.1",
    "# text = Ettei # talo",
    "1-2\tEttei\t_\t_\t_\t_\t_\t_\t_\t_",
    "1\tettä\tettä\tSCONJ\tC\t_\t3\tmark\t3:mark\t_",
    "2\tei\tei\tAUX\tV\tPolarity=Neg\t3\taux\t3:aux\t_",
    "2.1\t_\t_\t_\t_\t_\t_\t_\t0:root\t_",
    "3\t#\ttalo\tNOUN\tN\tCase=Nom\t0\troot\t0:root\tA=1|B=2",
]


def read(path, lines, on_malformed=refuse):
    path.write_text("".join(f"{line}\n" for line in (*lines, "")), encoding="utf-8")
    return list(conllu.read(path, on_malformed))


def with_line(index, line):
    return [*SENTENCE[:index], line, *SENTENCE[index + 1 :]]


def test_comments_ranges_and_empty_nodes_are_kept_and_words_have_integer_ids(tmp_path):
    [sentence] = read(tmp_path / "corpus", SENTENCE)
    assert sentence.comments == tuple(SENTENCE[:2])
    assert [row.id for row in sentence.rows] == ["1-2", "1", "2", "2.1", "3"]
    assert [word.form for word in sentence.words] == ["että", "ei", "#"]
    assert (sentence.identifier, sentence.line, sentence.first_row_line) == ("b1.1", 1, 3)


def test_a_sentence_without_sent_id_goes_by_its_number(tmp_path):
    sentences = read(tmp_path / "corpus", [*SENTENCE, "", *SENTENCE[1:]])
    assert [sentence.identifier for sentence in sentences] == ["b1.1", "2"]
    assert [sentence.line for sentence in sentences] == [1, 9]


def test_a_head_outside_the_sentence_is_refused_with_what_was_expected(tmp_path):
    with pytest.raises(MalformedLine) as error:
        read(tmp_path / "corpus", with_line(4, "2\tei\tei\tAUX\tV\t_\t4\taux\t_\t_"))
    assert str(error.value) == (
        f'{tmp_path / "corpus"}, line 5: HEAD is "4", but the sentence has 3 words. '
        'Expected 0 (root) to 3, or "_". To count and leave out such places: data.on_malformed=skip'
    )


@pytest.mark.parametrize("head", ["x", "-1", "1.5", "01", "２", " 1", "9" * 5000])
def test_a_head_that_is_no_plain_integer_is_refused(head, tmp_path):
    with pytest.raises(MalformedLine, match="HEAD is"):
        read(tmp_path / "corpus", with_line(4, f"2\tei\tei\tAUX\tV\t_\t{head}\taux\t_\t_"))


@pytest.mark.parametrize(
    ("index", "identifier"),
    [(3, "2"), (3, "0"), (3, "01"), (3, "１"), (3, "x"), (4, "1"), (6, "4"), (5, "2.2"), (5, "1.1"), (5, "2.0")],
)
def test_an_id_out_of_order_is_refused(index, identifier, tmp_path):
    row = "\t".join([identifier, *SENTENCE[index].split("\t")[1:]])
    with pytest.raises(MalformedLine, match=f'line {index + 1}: ID is "{identifier}"'):
        read(tmp_path / "corpus", with_line(index, row))


@pytest.mark.parametrize("identifier", ["1-1x", "2-3", "1-4", "1-0", "1-", "-2", f"1-{'9' * 5000}"])
def test_a_range_that_does_not_cover_the_next_words_is_refused(identifier, tmp_path):
    with pytest.raises(MalformedLine, match="line 3: ID is"):
        read(tmp_path / "corpus", with_line(2, "\t".join([identifier, *SENTENCE[2].split("\t")[1:]])))


def test_ranges_that_overlap_are_refused(tmp_path):
    second = "2-3\tx" + "\t_" * 8
    with pytest.raises(MalformedLine, match="line 5: ID is"):
        read(tmp_path / "corpus", [*SENTENCE[:4], second, *SENTENCE[4:]])


def test_a_missing_empty_line_at_the_end_is_told(tmp_path, caplog):
    (tmp_path / "corpus").write_text("".join(f"{line}\n" for line in SENTENCE), encoding="utf-8")
    (one,) = conllu.read(tmp_path / "corpus", refuse)
    assert len(one.rows) + len(one.comments) == len(SENTENCE)
    assert "corpus, line 7: no empty line follows the last sentence; it is read as it stands." in caplog.text


def test_comments_without_rows_are_refused(tmp_path):
    with pytest.raises(MalformedLine, match="line 2: the sentence has comments and no row"):
        read(tmp_path / "corpus", SENTENCE[:2])


def test_a_comment_inside_a_sentence_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match=r"line 5: a comment follows the words\. Expected an empty line"):
        read(tmp_path / "corpus", [*SENTENCE[:4], "# a remark", *SENTENCE[4:]])


def test_columns_beyond_ten_are_named_by_the_first_line(tmp_path):
    header = f"# global.columns = {' '.join([*conllu.COLUMNS, 'X:ONE', 'X:TWO'])}"
    [sentence] = read(tmp_path / "corpus", [header, "1\ttalo" + "\t_" * 8 + "\ta\tb"])
    assert sentence.columns[10:] == ("X:ONE", "X:TWO")
    assert sentence.rows[0].extra == ("a", "b")


def test_the_columns_hold_for_the_file_even_if_its_first_sentence_is_left_out(tmp_path):
    row = "1\ttalo" + "\t_" * 9
    skipped = Skipped()
    header = f"# global.columns = {' '.join([*conllu.COLUMNS, 'X:ONE'])}"
    sentences = read(tmp_path / "corpus", [header, "1\ttalo", "", row], skipped)
    assert [sentence.number for sentence in sentences] == [2]
    assert [place.line for place in skipped.places] == [2]


def test_other_columns_than_those_of_conllu_are_refused(tmp_path):
    with pytest.raises(MalformedLine, match="line 1: the columns are ID FORM"):
        read(tmp_path / "corpus", ["# global.columns = ID FORM", "1\ttalo"])


def test_blanks_at_the_edges_of_cells_are_no_part_of_them_but_stay_in_the_file(tmp_path, caplog):
    lines = ["1\ttalo \t\u00a0talo\tNOUN\u00a0\tN\t Case=Nom \t0\troot \t_\tGloss=a b ", "2\t\u3000\t_\tX" + "\t_" * 6]
    [sentence] = read(tmp_path / "corpus", lines)
    [stripped] = conllu.read_stripped(tmp_path / "corpus", refuse)
    first = conllu.Row("1", "talo", "talo", "NOUN", "N", "Case=Nom", "0", "root", "_", "Gloss=a b")
    assert stripped.rows[0] == first
    assert stripped.rows[1].form == "\u3000"
    assert "corpus: blanks at the edges of cells are left out: 7, the first on line 1." in caplog.text
    write_rows([sentence], tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "corpus").read_bytes()


@pytest.mark.parametrize("names", ["ID FORM UPOS PARSEME:MWE", "ID UPOS X:Y FORM HEAD"])
def test_columns_in_another_order_are_read_by_their_names_and_written_back(names, tmp_path):
    cells = {"ID": "1", "FORM": "talo", "UPOS": "NOUN", "HEAD": "0"}
    row = "\t".join(cells.get(name, "a") for name in names.split())
    [sentence] = read(tmp_path / "corpus", [f"# global.columns = {names}", row])
    assert sentence.words[0] == conllu.Row("1", "talo", upos="NOUN", head="0" if "HEAD" in names else "_", extra=("a",))
    write_rows([sentence], tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "corpus").read_bytes()


def test_further_columns_that_no_comment_names_are_kept_where_the_whole_first_sentence_has_them(tmp_path):
    rows = [f"{number}\ta" + "\t_" * 8 + "\t0:x" for number in (1, 2)]
    [sentence] = read(tmp_path / "corpus", rows)
    assert [row.extra for row in sentence.rows] == [("0:x",), ("0:x",)]
    with pytest.raises(MalformedLine, match="line 1: the row has 11 columns"):
        read(tmp_path / "corpus", [rows[0], rows[1].removesuffix("\t0:x")])


def test_a_tab_at_the_end_of_every_row_is_left_out(tmp_path, caplog):
    [sentence] = read(tmp_path / "corpus", [f"{line}\t" for line in SENTENCE[2:]])
    assert sentence.rows[0].cells[-1] == "_"
    assert "empty last cells are left out: 5, the first on line 1." in caplog.text


def test_a_sentence_that_no_empty_line_ends_is_named(tmp_path):
    with pytest.raises(
        MalformedLine, match=r"line 2: ID is .1., and 1 words precede it: no empty line ends the sentence"
    ):
        read(tmp_path / "corpus", ["1\ta" + "\t_" * 8] * 2)
