import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.roles import universal_propbank
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition

EMPTY = "\t_" * 8
JOINED = [
    f"# global.columns = {' '.join(universal_propbank.JOINED_COLUMNS)}",
    "# sent_id = b1.1",
    f"1-2\tEttei{EMPTY}\t_\t_\t_",
    "1\tettä\t_\tSCONJ\t_\t_\t3\tmark\t_\t_\t_\t_\t_",
    "2\tei\t_\tAUX\t_\t_\t3\taux\t_\t_\tno.01\tA2:3\tA2:3-3",
    f"2.1\t_{EMPTY}\t_\t_\t_",
    "3\ttuli\t_\tVERB\t_\t_\t0\troot\t_\t_\tcome.01\tAM-NEG:2|A1:1|C:V:3\tAM-NEG:2-2|A1:1-1|C:V:3-3",
]
PROPOSITIONS = (
    Proposition(1, "no.01", (Argument(2, "A2"),)),
    Proposition(2, "come.01", (Argument(0, "A1"), Argument(1, "AM-NEG"), Argument(2, "C:V"))),
)
SENTENCE = LabelledSentence("b1.1", 3, ("että", "ei", "tuli"), ("SCONJ", "AUX", "VERB"), PROPOSITIONS)


def text(lines):
    return "".join(f"{line}\n" for line in (*lines, ""))


def read(path, lines, on_malformed=refuse):
    path.write_text(text(lines), encoding="utf-8")
    return list(universal_propbank.universal_propbank_sentences(path, on_malformed))


def with_last_row(heads, sense="come.01", identifier="3"):
    return [*JOINED[:-1], f"{identifier}\ttuli\t_\tVERB\t_\t_\t0\troot\t_\t_\t{sense}\t{heads}\t_"]


def standoff(sentences):
    """A stand-off file and its treebank, of sentences of two words given as (sent_id, heads)."""
    rows = [f"# global.columns = {' '.join(universal_propbank.STANDOFF_COLUMNS)}"]
    for sent_id, heads in sentences:
        rows += [f"# sent_id = {sent_id}", "1\t_\t_\t_", f"2\tcome.01\t{heads}\t_", ""]
    return "".join(f"{row}\n" for row in rows)


def treebank(sent_ids):
    rest = "\t_" * 6
    return "".join(f"# sent_id = {s}\n1\t{s}{EMPTY}\n2\ttuli\t_\tVERB{rest}\n\n" for s in sent_ids)


def joined(folder, standoff_text, treebank_text, on_malformed=refuse):
    (folder / "roles").write_text(standoff_text, encoding="utf-8")
    (folder / "words").write_text(treebank_text, encoding="utf-8")
    return list(
        universal_propbank.universal_propbank_standoff_sentences(folder / "roles", folder / "words", on_malformed)
    )


def test_words_have_integer_ids_and_arguments_come_in_the_order_of_the_words(tmp_path):
    assert read(tmp_path / "corpus", JOINED) == [SENTENCE]


def test_an_argument_that_points_to_no_word_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match='line 7: the argument "A1:4" points to no word; the sentence has 3 words'):
        read(tmp_path / "corpus", with_last_row("AM-NEG:2|A1:4"))


@pytest.mark.parametrize("target", ["0", "4", "2.1", "1-2", "x", "", "02", "２", "9" * 5000])
def test_in_skip_mode_only_the_argument_without_word_is_left_out(target, tmp_path):
    skipped = Skipped()
    [sentence] = read(tmp_path / "corpus", with_last_row(f"A1:{target}|AM-NEG:2"), skipped)
    assert sentence.propositions[1].arguments == (Argument(1, "AM-NEG"),)
    assert [place.line for place in skipped.places] == [7]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (with_last_row("A1:1", sense="_"), "without UP:PRED"),
        (with_last_row("A1"), 'the item "A1"'),
        (with_last_row("A1:1||A2:2"), 'the item ""'),
        (with_last_row(":1"), 'the item ":1"'),
        ([*JOINED[:2], f"1-2\tEttei{EMPTY}\tno.01\t_\t_", *JOINED[3:]], 'the row "1-2" has the predicate "no.01"'),
    ],
)
def test_a_predicate_that_cannot_be_read_costs_the_sentence(lines, found, tmp_path):
    skipped = Skipped()
    assert [sentence.identifier for sentence in read(tmp_path / "corpus", [*lines, "", *JOINED[1:]], skipped)] == [
        "b1.1"
    ]
    assert found in skipped.places[0].found


def test_a_file_without_columns_of_roles_is_refused_whatever_the_mode(tmp_path):
    with pytest.raises(MalformedLine, match="no column UP:PRED and no UP:ARGHEADS"):
        read(tmp_path / "corpus", [f"1\ttalo{EMPTY}"], Skipped())


@pytest.mark.parametrize("order", [["a", "b", "c"], ["c", "a", "b"], ["b"], ["c", "b", "a"]])
def test_a_standoff_file_is_joined_by_sent_id_in_any_order(order, tmp_path):
    sentences = joined(tmp_path, standoff([(sent_id, "A1:1") for sent_id in order]), treebank("abc"))
    assert [sentence.words for sentence in sentences] == [(sent_id, "tuli") for sent_id in order]
    assert sentences[0].propositions == (Proposition(1, "come.01", (Argument(0, "A1"),)),)


@pytest.mark.parametrize("sent_ids", ["ax", "aa"], ids=["unknown", "repeated"])
def test_a_sentence_that_the_treebank_lacks_is_a_bad_place(sent_ids, tmp_path):
    roles = standoff([(sent_id, "_") for sent_id in sent_ids])
    skipped = Skipped()
    assert len(joined(tmp_path, roles, treebank("ab"), skipped)) == 1
    assert [(place.path.name, place.line) for place in skipped.places] == [("roles", 6)]
    with pytest.raises(MalformedLine, match="is not in"):
        joined(tmp_path, roles, treebank("ab"))


@pytest.mark.parametrize("rows", ["1\ta{0}\n", "1\ta{0}\n2\ttuli{0}\n3\t.{0}\n", "1-2\tx{0}\n1\ta{0}\n2\ttuli{0}\n"])
def test_other_ids_than_in_the_treebank_are_a_bad_place(rows, tmp_path):
    words = f"# sent_id = a\n{rows.format(EMPTY)}\n"
    with pytest.raises(MalformedLine, match="are not those of sentence a"):
        joined(tmp_path, standoff([("a", "_")]), words)


def test_a_bad_place_in_the_treebank_is_refused_with_the_treebank_named(tmp_path):
    with pytest.raises(MalformedLine, match="words, line 2: the row has 2 columns"):
        joined(tmp_path, standoff([("a", "_")]), "# sent_id = a\n1\ta\n\n")


def test_a_joined_file_is_no_standoff_file(tmp_path):
    with pytest.raises(MalformedLine, match="Expected ID UP:PRED UP:ARGHEADS UP:ARGSPANS"):
        joined(tmp_path, text(JOINED), treebank("a"))
