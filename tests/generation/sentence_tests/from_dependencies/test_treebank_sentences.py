import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import read_treebank
from tests.generation.sentence_tests.from_dependencies.small_treebanks import (
    conllu_sentence,
    read_sentence,
    treebank_of,
)

DEL_TREN = """
    Sale salir VERB Mood=Ind|Tense=Pres 0 root
    2-3 del
    de de ADP _ 4 case
    el el DET Gender=Masc|Number=Sing 4 det
    Tren tren NOUN Number=Sing 1 obl
    4.1 vacío
    . . PUNCT _ 1 punct
"""


def test_words_are_tokens_and_labels_rest_on_syntactic_words(tmp_path):
    sentence = read_sentence(tmp_path, DEL_TREN)
    assert sentence.words == ("Sale", "del", "Tren", ".")
    assert [word.form for word in sentence.tree] == ["sale", "de", "el", "tren", "."]
    assert [word.token for word in sentence.tree] == [0, 1, 1, 2, 3]
    assert [word.is_token for word in sentence.tree] == [True, False, False, True, True]
    assert sentence.tree[2].features == {"Gender": "Masc", "Number": "Sing"}


def test_the_root_and_the_dependents_of_a_word_are_found(tmp_path):
    sentence = read_sentence(tmp_path, DEL_TREN)
    assert sentence.root == 0
    assert list(sentence.dependents(3)) == [1, 2]


def test_a_blank_inside_a_token_becomes_a_no_break_space(tmp_path):
    path = tmp_path / "blank.conllu"
    path.write_text("1\t25 000\t25 000\tNUM\t_\t_\t0\troot\t_\t_\n\n")
    sentence = read_treebank([path], "unicode", refuse)[0]
    assert sentence.words == ("25\u00a0000",)
    assert not sentence.tree[0].is_token


def test_a_place_is_file_line_and_identifier(tmp_path):
    folder = tmp_path / "fi_tdt"
    folder.mkdir()
    treebank = treebank_of(folder, conllu_sentence(DEL_TREN), conllu_sentence(DEL_TREN, "sent_id = b2"))
    assert [dict(one.place) for one in treebank] == [
        {"file": "fi_tdt/treebank.conllu", "line": 1, "sentence": "1"},
        {"file": "fi_tdt/treebank.conllu", "line": 9, "sentence": "b2"},
    ]


def test_turkish_words_are_lower_cased_as_the_language_does(tmp_path):
    path = tmp_path / "tr.conllu"
    path.write_text(conllu_sentence("Işık ışık NOUN _ 0 root"))
    assert read_treebank([path], "turkish", refuse)[0].tree[0].form == "ışık"


FAULTS = {
    "two roots": ("a a NOUN _ 0 root\nb b NOUN _ 0 root", "are roots"),
    "a feature without value": ("a a NOUN Case 0 root", 'FEATS is "Case"'),
}


@pytest.mark.parametrize(("rows", "message"), FAULTS.values(), ids=FAULTS)
def test_a_sentence_that_is_no_tree_is_refused_or_left_out(tmp_path, rows, message):
    path = tmp_path / "faulty.conllu"
    path.write_text(conllu_sentence(DEL_TREN) + conllu_sentence(rows))
    with pytest.raises(MalformedLine, match=message):
        read_treebank([path], "unicode", refuse)
    skipped = Skipped()
    assert len(read_treebank([path], "unicode", skipped)) == 1
    assert len(skipped.places) == 1
