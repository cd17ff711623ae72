import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.probing_sets.senteval import SentEvalRow
from polyprobe.formats.reading.malformed import refuse


def read(path, text, on_malformed=refuse):
    path.write_text(text, encoding="utf-8", newline="")
    return list(senteval.read_xprobe(path, on_malformed))


def test_a_row_is_a_sentence_and_its_label(tmp_path):
    rows = read(tmp_path / "te.txt", 'He ran .\tPast\n" Why ?\tPres\n')
    assert rows == [SentEvalRow(1, None, "Past", "He ran ."), SentEvalRow(2, None, "Pres", '" Why ?')]
    assert rows[1].words == ('"', "Why", "?")


def test_a_row_of_senteval_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match=r"the row has 3 columns\. Expected 2 columns \(sentence, label\)"):
        read(tmp_path / "te.txt", "te\tPAST\tHe ran .\n")
