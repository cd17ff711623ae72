import pytest

from polyprobe.errors import BadValue, MalformedLine, UnknownChoice
from polyprobe.formats.entities.entity_columns import ColumnFormat, entity_column_sentences
from polyprobe.formats.entities.span_tags import Span, spans_of
from polyprobe.formats.reading.malformed import refuse

FINER = {"separator": "tab", "columns": ["token", "tag", "nested"]}
GERMEVAL = {"separator": "tab", "columns": ["number", "token", "tag", "nested"]}
CONLL2002 = {"separator": "space", "columns": ["token", "xpos", "tag"]}
CONLL2003 = {"separator": "space", "columns": ["token", "xpos", "chunk", "tag"]}

FINER_TEXT = "<HEADLINE>\t\t\n\t\t\nApple\tB-ORG\tO\n<\tO\tO\n\t\t\n\t\t\n<BODY>\t\t\n<3—\tI-PRO\tO\n"
GERMEVAL_TEXT = "#\thttp://a\t[2010]\t\n1\tGleich\tO\tO\n2\t#\tO\tO\n\n#\thttp://b\t[2011]\t\n1\tKöln\tB-LOC\tO\n"
CONLL2003_TEXT = (
    "-DOCSTART- -X- -X- O\n\nAli N I-NP I-PER\ngeldi V I-VP O\n\n-DOCSTART- -X- -X- O\n\nVan N I-NP I-LOC\n\n"
)


def read(path, text, layout, on_malformed=refuse):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(entity_column_sentences(path, on_malformed, **layout))


def words_and_tags(sentences):
    return [(" ".join(sentence.words), " ".join(sentence.labels)) for sentence in sentences]


def test_markup_is_no_token_but_a_token_may_start_with_its_sign(tmp_path):
    sentences = read(tmp_path / "corpus", FINER_TEXT, FINER)
    assert words_and_tags(sentences) == [("Apple <", "B-ORG O"), ("<3—", "I-PRO")]


def test_a_comment_is_no_token_but_its_sign_may_be_one(tmp_path):
    sentences = read(tmp_path / "corpus", GERMEVAL_TEXT, GERMEVAL)
    assert words_and_tags(sentences) == [("Gleich #", "O O"), ("Köln", "B-LOC")]


def test_lines_of_new_documents_are_no_sentences(tmp_path):
    sentences = read(tmp_path / "corpus", CONLL2003_TEXT, CONLL2003)
    assert words_and_tags(sentences) == [("Ali geldi", "I-PER O"), ("Van", "I-LOC")]
    assert [sentence.line for sentence in sentences] == [3, 8]


def test_markup_ends_a_sentence_that_no_empty_line_ends(tmp_path):
    text = "Apple\tB-ORG\tO\n<BODY>\t\t\nIrlanti\tB-LOC\tO\n"
    assert len(read(tmp_path / "corpus", text, FINER)) == 2


def test_the_nested_column_is_read_where_it_is_asked_for(tmp_path):
    text = "Suomen\tB-ORG\tB-LOC\nPankki\tI-ORG\tO\n"
    [sentence] = read(tmp_path / "corpus", text, {"separator": "tab", "columns": ["token", "outer", "tag"]})
    assert sentence.labels == ("B-LOC", "O")


def test_an_i_after_o_is_read_as_it_stands(tmp_path):
    [sentence] = read(tmp_path / "corpus", "dedi V O\nAli N I-PER\n", CONLL2002)
    assert sentence.labels == ("O", "I-PER")


@pytest.mark.parametrize("tag", ["OE", "B", "I-", "PER", "S-PER", "o"])
def test_a_tag_of_no_known_scheme_is_refused(tag, tmp_path):
    with pytest.raises(MalformedLine, match=f'line 2: the tag is "{tag}". Expected "O", or "B-" or "I-" and a type'):
        read(tmp_path / "corpus", f"Ali N O\nVan N {tag}\n" + "Van N B-LOC\n" * 60, CONLL2002)


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ("B-LOC I-LOC I-LOC B-LOC O B-PER", "BIO"),
        ("I-LOC I-LOC I-LOC B-LOC O I-PER", "BIO"),
        ("B-LOC I-LOC E-LOC S-LOC O S-PER", "IOBES"),
        ("B-LOC I-LOC L-LOC U-LOC O U-PER", "BILOU"),
        ("B-LOC M-LOC E-LOC S-LOC O S-PER", "BMES"),
        ("B-LOC M-LOC E-LOC W-LOC O W-PER", "BMES"),
        ("B_LOC I_LOC I_LOC B_LOC O B_PER", "BIO written as B_PER"),
        ("LOC-B LOC-I LOC-I LOC-B O PER-B", "BIO written as PER-B"),
        ("LOC_B LOC_M LOC_E LOC_S O PER_S", "BMES written as PER_B"),
        ("b-LOC i-LOC l-LOC u-LOC o u-PER", "BILOU written as b-per"),
        ("B-LOC I-LOC I-LOC B-LOC O S-PER", "IOBES"),  # neighbours in two schemes: no letter means two things
    ],
)
def test_spans_are_the_same_in_whatever_scheme_a_file_has_them(tags, name, tmp_path, caplog):
    (tmp_path / "corpus").write_text("".join(f"w {tag}\n" for tag in tags.split()), encoding="utf-8")
    (sentence,) = entity_column_sentences(tmp_path / "corpus", refuse, "space")
    assert spans_of(sentence.labels) == [Span(0, 3, "LOC"), Span(3, 4, "LOC"), Span(5, 6, "PER")]
    assert name == "BIO" or f"the tags are {name};" in caplog.text


def test_tags_without_types_are_spans_of_one_type(tmp_path):
    (tmp_path / "corpus").write_text("w B\nw I\nw B\nw O\n", encoding="utf-8")
    (sentence,) = entity_column_sentences(tmp_path / "corpus", refuse, "space")
    assert spans_of(sentence.labels) == [Span(0, 2, "ENTITY"), Span(2, 3, "ENTITY")]


def test_another_scheme_than_bio_is_said_once(tmp_path, caplog):
    (tmp_path / "corpus").write_text("w S-PER\n", encoding="utf-8")
    for _ in range(2):
        list(entity_column_sentences(tmp_path / "corpus", refuse, "space"))
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'corpus'}: the tags are IOBES; the same spans are read as from B-, I- and O."
    ]


def test_several_blanks_separate_as_one_and_are_told(tmp_path, caplog):
    [sentence] = read(tmp_path / "corpus", "Ali  N O\nVan N   B-LOC \n", CONLL2002)
    assert (sentence.words, sentence.labels) == (("Ali", "Van"), ("O", "B-LOC"))
    assert "rows with several blanks between cells, or blanks at an end: 2, the first on line 1." in caplog.text


def test_a_tab_among_blanks_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match="line 2: a cell has a tab"):
        read(tmp_path / "corpus", "Ali N O\nVan\tX N B-LOC\n", CONLL2002)


def test_a_tab_at_the_end_of_every_row_and_blanks_around_tags_are_left_out_and_told(tmp_path, caplog):
    [sentence] = read(tmp_path / "corpus", "Ali\tO \t\nVan\tB-LOC\u00a0\t\n", {})
    assert sentence.labels == ("O", "B-LOC")
    assert "blanks at the edges of cells are left out: 2, the first on line 1." in caplog.text
    assert "empty last cells are left out: 2, the first on line 1." in caplog.text


def test_a_long_file_without_an_empty_line_is_one_sentence(tmp_path):
    with pytest.raises(
        MalformedLine, match=r"line 1: all of the file is one sentence of 120 words\. Expected an empty"
    ):
        read(tmp_path / "corpus", "Ali N O\n" * 120, CONLL2002)


def test_the_columns_must_say_which_are_token_and_tag():
    with pytest.raises(BadValue, match="columns must be"):
        ColumnFormat("tab", ["token", "outer"])
    with pytest.raises(UnknownChoice, match='separator "comma" is unknown'):
        ColumnFormat("comma", ["token", "tag"])
