"""Files that a model labels: its answers stand where gold labels stood or should have stood, all else as it was."""

import json

import pytest

from polyprobe.formats.pairs import labelled_pairs
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.roles import conll2009, finnish_propbank, universal_propbank
from polyprobe.formats.treebanks import dependencies, labelled_words

CONLLU = """\
# sent_id = a
# text = zum Haus
1-2	zum	_	_	_	_	_	_	_	SpaceAfter=No
1	zu	zu	ADP	APPR	_	3	case	3:case	_
2	dem	der	DET	ART	_	3	det	_	_
2.1	leer	_	NOUN	_	_	_	_	3:dep	_
3	1 000	haus	NOUN	_	Case=Dat	0	root	_	x#y

# sent_id = b
1	Ja	_	INTJ	_	_	0	root	_	_

"""
POS = "zum##_ zu##ADP ###SYM\nJa##INTJ\n"
ROLES_2009 = """\
1	Hän	_	_	P	P	_	_	2	2	SBJ	SBJ	_	_	A0	A1
2	_	_	_	V	V	_	_	0	0	ROOT	ROOT	Y	go.01	_	_
3	meni	_	_	V	V	_	_	2	2	DERIV	DERIV	Y	be.02	AM-TMP	_

1	Ei	_	_	X	X	_	_	0	0	ROOT	ROOT	_	_

"""
JOINED = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC UP:PRED UP:ARGHEADS UP:ARGSPANS
# sent_id = a
1-2	Hän	_	_	_	_	_	_	_	_	_	_	_
1	Hän	_	PRON	_	_	2	nsubj	_	_	_	_	_
2	meni	_	VERB	_	_	0	root	_	_	go.01	A0:1|AM-TMP:3	_
3	eilen	_	ADV	_	_	2	advmod	_	_	_	_	_

"""
STANDOFF = """\
# global.columns = ID UP:PRED UP:ARGHEADS UP:ARGSPANS
# sent_id = a
1	_	_	_
2	go.01	A0:1|AM-TMP:3	_
3	_	_	_

"""
FINNISH = """\
# sent_id = a
1	Hän	_	PRON	_	_	2	nsubj	2:nsubj|2:PBArg_0	_
2	meni	_	VERB	_	_	0	root	_	PBSENSE=mennä.1|x
3	eilen	_	ADV	_	_	2	advmod	2:PBArgM_tmp	_

"""


def tags(sentences):
    return [one.labels for one in sentences]


def arcs(sentences):
    return [(one.heads, one.relations) for one in sentences]


def propositions(sentences):
    return [one.propositions for one in sentences]


# Each: the text, the text without gold labels, what gives a file to label, the reader, what of an example is an answer.
IN_PLACE = {
    "CoNLL-U, tags": (
        CONLLU,
        CONLLU.replace("\tADP\t", "\t_\t").replace("\tDET\t", "\t_\t").replace("\tINTJ\t", "\t_\t"),
        labelled_words.universal_pos_sentences_to_label,
        labelled_words.universal_pos_sentences,
        tags,
    ),
    "CoNLL-U, trees": (
        CONLLU,
        CONLLU.replace("3\tcase", "_\t_").replace("3\tdet", "_\t_").replace("0\troot", "_\t_"),
        dependencies.dependency_sentences_to_label,
        dependencies.dependency_sentences,
        arcs,
    ),
    "FORM##UPOS": (
        POS,
        "zum##_ zu##_ ###_\nJa##_\n",
        labelled_words.linspector_pos_sentences_to_label,
        labelled_words.linspector_pos_sentences,
        tags,
    ),
    "CoNLL-2009, rows": (
        ROLES_2009,
        ROLES_2009.replace("\tA0\tA1\n", "\t_\t_\n").replace("AM-TMP", "_"),
        conll2009.conll2009_row_sentences_to_label,
        conll2009.conll2009_row_sentences,
        propositions,
    ),
    "CoNLL-2009, words": (
        ROLES_2009,
        ROLES_2009.replace("\tA0\tA1\n", "\n").replace("\tAM-TMP\t_\n", "\n").replace("go.01\t_\t_\n", "go.01\n"),
        conll2009.conll2009_word_sentences_to_label,
        conll2009.conll2009_word_sentences,
        propositions,
    ),
    "Universal PropBank": (
        JOINED,
        JOINED.replace("A0:1|AM-TMP:3", "_"),
        universal_propbank.universal_propbank_sentences_to_label,
        universal_propbank.universal_propbank_sentences,
        propositions,
    ),
    "Finnish PropBank": (
        FINNISH,
        FINNISH.replace("|2:PBArg_0", "").replace("2:PBArgM_tmp", "_"),
        finnish_propbank.finnish_propbank_sentences_to_label,
        finnish_propbank.finnish_propbank_sentences,
        propositions,
    ),
}
EACH = pytest.mark.parametrize(("text", "bare", "to_label", "read", "answers"), IN_PLACE.values(), ids=IN_PLACE)


@EACH
def test_right_answers_give_the_file_byte_for_byte_with_and_without_gold(text, bare, to_label, read, answers, tmp_path):
    (tmp_path / "gold").write_text(text, encoding="utf-8")
    (tmp_path / "bare").write_text(bare, encoding="utf-8")
    assert text != bare
    right = answers(read(tmp_path / "gold", refuse))
    for name in ("gold", "bare"):
        file = to_label(tmp_path / name, refuse)
        file.write(right, tmp_path / "written")
        assert (tmp_path / "written").read_text(encoding="utf-8") == text


SPELLINGS = {
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "mixed line ends": lambda text: text.replace(b"\n", b"\r\n", 1),
    "no line feed at the end": lambda text: text.removesuffix(b"\n"),
    "no empty line at the end": lambda text: text.rstrip(b"\n"),
    "neither, and CRLF": lambda text: text.rstrip(b"\n").replace(b"\n", b"\r\n"),
}
SPELT = pytest.mark.parametrize("spelt", SPELLINGS.values(), ids=SPELLINGS)


@SPELT
@EACH
def test_line_ends_and_a_byte_order_mark_are_written_as_they_were(text, bare, to_label, read, answers, spelt, tmp_path):
    (tmp_path / "gold").write_text(text, encoding="utf-8")
    right = answers(read(tmp_path / "gold", refuse))
    for source in (text, bare):
        (tmp_path / "source").write_bytes(spelt(source.encode()))
        to_label(tmp_path / "source", refuse).write(right, tmp_path / "written")
        assert (tmp_path / "written").read_bytes() == spelt(text.encode())


def test_lines_keep_their_ends_where_a_sentence_before_them_is_left_out(tmp_path):
    text = POS + "no item\nEi##X\nJoo##Y\n"
    ends = ["\r\n", "\n", "\n", "\r\n", "\n"]
    lines = [line + end for line, end in zip(text.splitlines(), ends, strict=True)]
    (tmp_path / "source").write_bytes("".join(lines).encode())
    file = labelled_words.linspector_pos_sentences_to_label(tmp_path / "source", Skipped())
    file.write(tags(file.examples), tmp_path / "written")
    assert (tmp_path / "written").read_bytes().decode() == "".join([*lines[:2], *lines[3:]])


@EACH
def test_what_a_model_reads_is_what_the_reader_gives(text, bare, to_label, read, answers, tmp_path):
    (tmp_path / "gold").write_text(text, encoding="utf-8")
    assert list(to_label(tmp_path / "gold", refuse).examples) == list(read(tmp_path / "gold", refuse))


def test_the_role_of_a_word_with_several_rows_stands_in_its_last_one(tmp_path):
    (tmp_path / "gold").write_text(ROLES_2009, encoding="utf-8")
    file = conll2009.conll2009_word_sentences_to_label(tmp_path / "gold", refuse)
    assert [one.words for one in file.examples] == [("Hän", "meni"), ("Ei",)]
    file.write(propositions(file.examples), tmp_path / "written")
    last = (tmp_path / "written").read_text(encoding="utf-8").splitlines()[2]
    assert last.endswith("be.02\tAM-TMP\t_")


def test_a_standoff_file_is_labelled_with_the_words_of_its_treebank(tmp_path):
    columns = "\n".join("\t".join(line.split("\t")[:10]) for line in JOINED.splitlines()[1:] if "1-2" not in line)
    (tmp_path / "treebank").write_text(columns + "\n", encoding="utf-8")
    (tmp_path / "bare").write_text(STANDOFF.replace("A0:1|AM-TMP:3", "_"), encoding="utf-8")
    (tmp_path / "joined").write_text(JOINED, encoding="utf-8")
    read = universal_propbank.universal_propbank_standoff_sentences_to_label
    file = read(tmp_path / "bare", tmp_path / "treebank", refuse)
    assert [one.words for one in file.examples] == [("Hän", "meni", "eilen")]
    file.write(
        propositions(universal_propbank.universal_propbank_sentences(tmp_path / "joined", refuse)), tmp_path / "written"
    )
    assert (tmp_path / "written").read_text(encoding="utf-8") == STANDOFF
    (tmp_path / "bare").write_bytes(STANDOFF.replace("A0:1|AM-TMP:3", "_").replace("\n", "\r\n").encode())
    file.write(
        propositions(universal_propbank.universal_propbank_sentences(tmp_path / "joined", refuse)), tmp_path / "written"
    )
    assert (tmp_path / "written").read_bytes() == STANDOFF.replace("\n", "\r\n").encode()


def test_roles_without_a_name_in_finnish_propbank_are_counted_and_left_out(tmp_path, caplog):
    (tmp_path / "bare").write_text(FINNISH.replace("2:PBArgM_tmp", "_"), encoding="utf-8")
    joined = JOINED.replace("AM-TMP:3", "R-A1:3")
    (tmp_path / "joined").write_text(joined, encoding="utf-8")
    file = finnish_propbank.finnish_propbank_sentences_to_label(tmp_path / "bare", refuse)
    file.write(
        propositions(universal_propbank.universal_propbank_sentences(tmp_path / "joined", refuse)), tmp_path / "written"
    )
    assert (tmp_path / "written").read_text(encoding="utf-8") == FINNISH.replace("2:PBArgM_tmp", "_")
    assert "1 arguments have a role without a name" in caplog.text


TABLE = {
    "separator": "tab",
    "quotes": "none",
    "line_end": "lf",
    "columns": None,
    "premise": "a",
    "hypothesis": "b",
    "label": "gold",
    "labels": {0: "entailment", 1: "neutral", 2: "contradiction", -1: None},
    "where": {"lang": "tr"},
}
CSV = {**TABLE, "separator": "comma", "quotes": "csv", "line_end": "crlf", "where": {}}
NO_HEADER = {**TABLE, "columns": ["a", "b", "gold"], "where": {}}
ANSWERS = ["neutral", "contradiction"]
# Each: layout, text, what is written for the answers.
TABLES = {
    "replaced": (
        TABLE,
        "gold\tlang\ta\tb\n0\ttr\tBir var.\tYok.\n2\ten\tOne.\tNo.\n-1\ttr\tİki\tÜç\n",
        "gold\tlang\ta\tb\n1\ttr\tBir var.\tYok.\n2\ttr\tİki\tÜç\n",
    ),
    "a label of nobody": (
        TABLE,
        "gold\tlang\ta\tb\nhidden\ttr\tBir\tYok\n\ttr\tİki\tÜç\n",
        "gold\tlang\ta\tb\n1\ttr\tBir\tYok\n2\ttr\tİki\tÜç\n",
    ),
    "added": (CSV, 'a,b\r\n"Bir, var",Yok\r\nİki,Üç\r\n', 'a,b,gold\r\n"Bir, var",Yok,1\r\nİki,Üç,2\r\n'),
    "no header": (NO_HEADER, "Bir\tYok\t0\nİki\tÜç\t0\n", "Bir\tYok\t1\nİki\tÜç\t2\n"),
    "no header and no label": (NO_HEADER, "Bir\tYok\nİki\tÜç\n", "Bir\tYok\t1\nİki\tÜç\t2\n"),
}


@SPELT
@pytest.mark.parametrize("line_end", ["lf", "crlf"])
@pytest.mark.parametrize("name", ["replaced", "no header and no label"])
def test_pairs_keep_line_ends_and_byte_order_mark_whatever_the_layout_says(name, line_end, spelt, tmp_path):
    layout, text, expected = TABLES[name]
    (tmp_path / "pairs").write_bytes(spelt(text.encode()))
    file = labelled_pairs.table_pairs_to_label(tmp_path / "pairs", refuse, **{**layout, "line_end": line_end})
    file.write(ANSWERS, tmp_path / "written")
    assert (tmp_path / "written").read_bytes() == spelt(expected.encode())


@SPELT
def test_json_pairs_keep_line_ends_and_byte_order_mark(spelt, tmp_path):
    text = '{"premise": "Да", "hypothesis": "Нет", "label": "yes"}\n' * 2
    (tmp_path / "pairs").write_bytes(spelt(text.encode()))
    file = labelled_pairs.object_pairs_to_label(tmp_path / "pairs", refuse, {"yes": "entailment"})
    file.write(["entailment"] * 2, tmp_path / "written")
    assert (tmp_path / "written").read_bytes() == spelt(text.encode())


@pytest.mark.parametrize(("layout", "text", "expected"), TABLES.values(), ids=TABLES)
def test_labels_of_pairs_are_replaced_or_added_in_the_spelling_of_the_table(layout, text, expected, tmp_path):
    (tmp_path / "pairs").write_bytes(text.encode())
    file = labelled_pairs.table_pairs_to_label(tmp_path / "pairs", refuse, **layout)
    file.write(ANSWERS, tmp_path / "written")
    assert (tmp_path / "written").read_bytes().decode() == expected


def test_labels_of_json_pairs_are_replaced_or_added(tmp_path):
    objects = [{"premise": "Да", "hypothesis": "Нет", "idx": 0}, {"premise": "А", "hypothesis": "Б", "label": "?"}]
    (tmp_path / "pairs").write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    labels = {"entailment": "entailment", "not_entailment": "not_entailment"}
    file = labelled_pairs.object_pairs_to_label(tmp_path / "pairs", refuse, labels)
    assert [one.label for one in file.examples] == [None, None]
    file.write(["entailment", "not_entailment"], tmp_path / "written")
    written = [json.loads(line) for line in (tmp_path / "written").read_text(encoding="utf-8").splitlines()]
    assert written == [{**objects[0], "label": "entailment"}, {**objects[1], "label": "not_entailment"}]
