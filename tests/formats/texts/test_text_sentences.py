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
