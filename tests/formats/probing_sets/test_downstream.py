"""The raw files of SentEval's downstream tasks: what is read, and what is said of damaged ones."""

from functools import partial

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import downstream
from polyprobe.formats.probing_sets.downstream import DownstreamItem, as_shown_by_cat
from polyprobe.formats.reading.malformed import Skipped, raised
from polyprobe.formats.reading.tokenised import words_of

SICK = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tE_AB\tE_BA\tA\tB\tDA\tDB\tSemEval_set\r\n"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
SENTENCES = partial(downstream.read, "sentences", encoding="cp1252", labels=["positive"])
SST2 = partial(downstream.read, "label_last", labels=("0", "1"))
SST5 = partial(downstream.read, "label_first", labels=("0", "1", "2", "3", "4"))
QUESTIONS = partial(downstream.read, "questions", encoding="cp1252")
PARAPHRASES = partial(downstream.read, "paraphrases")
ENTAILMENT = partial(downstream.read, "sick_labels", chosen_set="TRAIN")
RELATEDNESS = partial(downstream.read, "sick_scores", chosen_set="TRAIN")
SIMILARITIES = partial(downstream.read, "similarities")
BENCHMARK = partial(downstream.read, "benchmark")


def sick_row(label="NEUTRAL", score="4.5", chosen_set="TRAIN", first="A dog", end="\r\n"):
    return f"1\t{first}\tTwo dogs\t{label}\t{score}\tx\tx\tA\tB\tF\tF\t{chosen_set}{end}"


def file_of(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(tmp_path, reader, content, on_malformed=raised):
    return reader(file_of(tmp_path, content), on_malformed, words=words_of)


def one(label, *sentences, line=1):
    return DownstreamItem(tuple(words_of(sentence) for sentence in sentences), label, line)


READ = {
    "sentences": (SENTENCES, b"good \xe9 \nbad\n", [one("positive", "good é"), one("positive", "bad", line=2)]),
    "a blank line has no words": (SENTENCES, b"good\n \n", [one("positive", "good"), one("positive", "", line=2)]),
    "a question": (QUESTIONS, b"NUM:dist How far \xf0 ?\n", [one("NUM", "How far ð ?")]),
    "label behind a tab": (SST2, "hide new 0 \t0\n", [one("0", "hide new 0")]),
    "label before a blank": (SST5, "4 a 3 star film\n", [one("4", "a 3 star film")]),
    "paraphrases": (
        PARAPHRASES,
        "\ufeff" + MRPC + '1\t70\t71\tHe "won".\tHe won.\r\n',
        [one("1", 'He "won".', "He won.", line=2)],
    ),
    "a last line without its end": (ENTAILMENT, SICK + sick_row(end=""), [one("NEUTRAL", "A dog", "Two dogs", line=2)]),
    "one set alone": (
        RELATEDNESS,
        SICK + sick_row(chosen_set="TEST") + sick_row(score="1"),
        [one(1.0, "A dog", "Two dogs", line=3)],
    ),
    "a pair without a score": (
        SIMILARITIES,
        "3.8\ta b\tc\n\td\te\n",
        [one(3.8, "a b", "c"), one(None, "d", "e", line=2)],
    ),
    "seven columns or nine": (
        BENCHMARK,
        'main\tMSRvid\t2012\t1\t5.000\tA "man\tB\nmain\tn\t2013\t2\t0\tC\tD\tlicence\tsource\n',
        [one(5.0, 'A "man', "B"), one(0.0, "C", "D", line=2)],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_items_are_read_with_their_lines(name, tmp_path):
    reader, content, items = READ[name]
    assert read(tmp_path, reader, content) == items


DAMAGED = {
    "MR as UTF-8": (
        partial(SENTENCES, encoding="utf-8"),
        b"fine\ncaf\xe9\n",
        "line 2: byte 4 of the line (0xe9) is not UTF-8. Expected text in UTF-8.",
    ),
    "unknown question": (QUESTIONS, b"NOM:x Who ?\n", 'line 1: the label is "NOM". Expected one of ABBR, DESC, ENTY'),
    "question without words": (QUESTIONS, b"NUM:x\n", "line 1: the sentence is empty. Expected words."),
    "no label behind": (SST2, "hide new\n", 'line 1: the label is "hide new". Expected one of 0, 1.'),
    "no label before": (SST5, "5 stars\n", 'line 1: the label is "5". Expected one of 0, 1, 2, 3, 4.'),
    "a column too few": (
        PARAPHRASES,
        MRPC + "1\t70\t71\tHe won.\r\n",
        "line 2: the row has 4 columns. Expected 5, separated by tabs.",
    ),
    "another header": (
        PARAPHRASES,
        "Quality\tID\tID\tString\tString\r\n",
        "line 1: the header is Quality, ID, ID, String, String. Expected Quality, #1 ID",
    ),
    "an empty sentence": (ENTAILMENT, SICK + sick_row(first=" "), "line 2: the sentence is empty. Expected words."),
    "an unknown label": (ENTAILMENT, SICK + sick_row(label="MAYBE"), 'line 2: the label is "MAYBE". Expected one of'),
    "an unknown set": (
        ENTAILMENT,
        SICK + sick_row(chosen_set="DEV"),
        'line 2: the set is "DEV". Expected one of TRAIN',
    ),
    "a score too low": (
        RELATEDNESS,
        SICK + sick_row(score="0.5"),
        'line 2: the score is "0.5". Expected a number from 1',
    ),
    "no score": (
        BENCHMARK,
        "m\tf\ty\t1\t\ta\tb\n",
        'line 1: the score is "". Expected a number from 0',
    ),
    "a score that is none": (
        SIMILARITIES,
        "nan\ta\tb\n",
        'line 1: the score is "nan". Expected a number',
    ),
    "eight columns": (
        BENCHMARK,
        "m\tf\ty\t1\t2\ta\tb\tc\n",
        "line 1: the row has 8 columns. Expected 7 or 9, separated by tabs.",
    ),
    "no file content": (SENTENCES, b"", "line 1: the file is empty."),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told_with_file_line_and_what_was_expected(name, tmp_path):
    reader, content, found = DAMAGED[name]
    with pytest.raises(MalformedLine) as told:
        read(tmp_path, reader, content)
    assert f"{tmp_path / 'file'}, {found}" in str(told.value)


def test_a_bad_line_is_left_out_and_counted_where_that_is_wished(tmp_path):
    skipped = Skipped()
    items = read(tmp_path, SST2, "good\t1\nbad\t7\nworse\t0\n", skipped)
    assert [item.line for item in items] == [1, 3]
    assert [place.line for place in skipped.places] == [2]


def test_a_bad_header_is_refused_even_where_bad_lines_are_skipped(tmp_path):
    with pytest.raises(MalformedLine, match="the header is"):
        read(tmp_path, ENTAILMENT, sick_row(), Skipped())


def test_characters_beyond_ascii_are_shown_as_by_cat():
    assert as_shown_by_cat("caf\xe9 \x85 \xff \x80 \xa0") == "cafM-i M-^E M-^? M-^@ M- "
    assert as_shown_by_cat("plain\ttext") == "plain\ttext"
