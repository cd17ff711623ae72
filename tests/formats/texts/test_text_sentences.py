"""Text for language models: sentences with line and folder; marks of the end are dropped or refused."""

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.texts.text_corpus import TextSentence, text_sentences


def written(folder, text):
    (folder / "fr").mkdir()
    path = folder / "fr/train.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sentence_knows_its_line_and_folder_and_loses_the_mark_of_its_end(tmp_path):
    path = written(tmp_path, "l' auteur rit .\nil rit <eos>\n")
    expected = [TextSentence(("l'", "auteur", "rit", "."), 1, "fr"), TextSentence(("il", "rit"), 2, "fr")]
    assert list(text_sentences(path, refuse)) == expected


@pytest.mark.parametrize("line", ["<eos>", "a <eos> b", "", "a  b"])
def test_a_line_that_is_no_sentence_is_refused_or_counted(line, tmp_path):
    path = written(tmp_path, f"a b\n{line}\nc\n")
    with pytest.raises(MalformedLine, match=r"train\.txt, line 2: "):
        list(text_sentences(path, refuse))
    skipped = Skipped()
    assert [one.line for one in text_sentences(path, skipped)] == [1, 3]
    assert len(skipped.places) == 1


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ('id,text\n1,"a, b"\n2,"c\n d  e"\n', "comma"),
        ('{"id": 1, "text": "a, b"}\n{"id": 2, "text": "c\\n d  e"}\n', None),
    ],
)
def test_a_cell_has_a_sentence_a_line(text, separator, tmp_path):
    path = written(tmp_path, text)
    sentences = [one.words for one in text_sentences(path, refuse, "text", separator)]
    assert sentences == [("a,", "b"), ("c",), ("d", "e")]


def test_a_table_may_have_quoted_cells_between_tabs_and_no_names(tmp_path):
    path = written(tmp_path, '1\t"a\tb"\n2\tc\n')
    sentences = text_sentences(path, refuse, "column2", "tab", "always", ["column1", "column2"])
    assert [one.words for one in sentences] == [("a", "b"), ("c",)]


def test_a_cell_without_a_word_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, '{"text": "a"}\n{"text": " "}\n')
    with pytest.raises(MalformedLine, match="line 2: the text is empty"):
        list(text_sentences(path, refuse, "text"))
