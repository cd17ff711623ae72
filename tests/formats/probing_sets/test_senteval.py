import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.probing_sets.senteval import SentEvalRow
from polyprobe.formats.reading.lines import UnwritableText
from polyprobe.formats.reading.malformed import refuse


def read(path, text, on_malformed=refuse):
    path.write_text(text, encoding="utf-8", newline="")
    return list(senteval.read(path, on_malformed))


def test_a_row_is_partition_label_and_sentence(tmp_path):
    rows = read(tmp_path / "tense.txt", "tr\tPAST\tHe ran .\nva\tPRES\tHe runs .\nte\tPAST\tIt was .\n")
    assert rows == [
        SentEvalRow(1, "train", "PAST", "He ran ."),
        SentEvalRow(2, "dev", "PRES", "He runs ."),
        SentEvalRow(3, "test", "PAST", "It was ."),
    ]
    assert rows[0].words == ("He", "ran", ".")


def test_a_lone_quotation_mark_is_a_character(tmp_path):
    rows = read(tmp_path / "tense.txt", 'tr\tPAST\t" Go , he said .\ntr\tPRES\tWhy ? "\nte\t"\t"\n')
    assert [row.words for row in rows] == [('"', "Go", ",", "he", "said", "."), ("Why", "?", '"'), ('"',)]
    assert rows[2].label == '"'


def test_surplus_blanks_give_no_word_and_are_written_back(tmp_path):
    rows = read(tmp_path / "voice.txt", "tr\t0\t Он  ушёл . \n")
    assert rows[0].words == ("Он", "ушёл", ".")
    senteval.write(rows, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "tr\t0\t Он  ушёл . \n"


@pytest.mark.parametrize("partition", ["dev", "TR", "train", "tr ", "０"])
def test_an_unknown_partition_is_refused_with_line_and_the_valid_ones(partition, tmp_path):
    with pytest.raises(MalformedLine) as error:
        read(tmp_path / "tense.txt", f"tr\tPAST\tHe ran .\n{partition}\tPAST\tHe ran .\n")
    assert str(error.value).startswith(
        f'{tmp_path / "tense.txt"}, line 2: the partition is "{partition}". '
        "Expected tr (train), va (dev) or te (test). To count"
    )


@pytest.mark.parametrize(("sentence", "found"), [("", "the sentence is empty"), ("  ", "the sentence is empty")])
def test_an_empty_sentence_is_refused(sentence, found, tmp_path):
    with pytest.raises(MalformedLine, match=f"line 1: {found}"):
        read(tmp_path / "tense.txt", f"tr\tPAST\t{sentence}\n")


@pytest.mark.parametrize(("row", "n"), [("tr\tHe ran .", 2), ("tr\tPAST\tHe\tran .", 4)])
def test_a_row_without_three_fields_is_refused(row, n, tmp_path):
    with pytest.raises(
        MalformedLine, match=rf"line 1: the row has {n} columns\. Expected 3 columns \(partition tr/va/te, "
    ) as raised:
        read(tmp_path / "tense.txt", f"{row}\n")
    assert "in a file for each split: suite.format=linspector or xprobe" in str(raised.value)


def test_rows_are_counted_by_split_without_reading_them(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"tr\t0\ta\nva\t0\tb\ntr\t1\t\xff\nte\t0\tc")
    assert senteval.sizes(tmp_path / "x.txt") == {"train": 2, "dev": 1, "test": 1}


@pytest.mark.parametrize("row", [SentEvalRow(1, "va", "0", "a"), SentEvalRow(1, "dev", "0", " ")])
def test_what_could_not_be_read_back_is_not_written(row, tmp_path):
    with pytest.raises(UnwritableText):
        senteval.write([row], tmp_path / "x.txt")
    assert not (tmp_path / "x.txt").exists()
