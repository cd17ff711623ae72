"""Tagged words from CoNLL-U."""

import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.treebanks.labelled_words import (
    LabelledWords,
    universal_pos_sentences,
)

TREE = (
    "# sent_id = 1\n1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\tzu\tADP\t_\t_\t2\tcase\t_\t_\n"
    "2\tHaus\tHaus\tNOUN\t_\t_\t0\troot\t_\t_\n2.1\tist\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
)


def test_multiword_tokens_and_empty_nodes_are_no_words(tmp_path):
    (tmp_path / "dev.conllu").write_text(TREE, encoding="utf-8")
    assert list(universal_pos_sentences(tmp_path / "dev.conllu", refuse)) == [
        LabelledWords(("zu", "Haus"), ("ADP", "NOUN"), 1)
    ]


def test_a_word_without_tag_is_a_bad_place_with_its_line(tmp_path):
    path = tmp_path / "dev.conllu"
    path.write_text(TREE + TREE.replace("NOUN", "_"), encoding="utf-8")
    with pytest.raises(MalformedLine, match='line 10: the word "Haus" has no UPOS'):
        list(universal_pos_sentences(path, refuse))
    skipped = Skipped()
    assert len(list(universal_pos_sentences(path, skipped))) == 1
    assert len(skipped.places) == 1


def test_tags_of_the_treebanks_own_set_are_read_from_their_column(tmp_path):
    (tmp_path / "vi").write_text(
        "1\tHà Nội\tHà Nội\tPROPN\tNp\t_\t2\tnsubj\t_\t_\n2\tđẹp\tđẹp\tADJ\tA\t_\t0\troot\t_\t_\n\n", encoding="utf-8"
    )
    assert list(universal_pos_sentences(tmp_path / "vi", refuse, "xpos")) == [
        LabelledWords(("Hà Nội", "đẹp"), ("Np", "A"), 1)
    ]
    with pytest.raises(UnknownChoice, match='column "xps" is unknown'):
        list(universal_pos_sentences(tmp_path / "vi", refuse, "xps"))
