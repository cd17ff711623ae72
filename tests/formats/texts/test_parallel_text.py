import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.texts.sentence_lines import TargetedSentence, parallel_sentences


@pytest.fixture
def files(tmp_path):
    return tmp_path / "a.en", tmp_path / "a.fr"


def read(files, english, french, on_malformed=refuse, tokenised_by="moses"):
    for file, content in zip(files, (english, french), strict=True):
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(parallel_sentences(files[0], on_malformed, files[1], tokenised_by, ["en", "fr"]))


def test_each_side_is_cut_by_the_rules_of_its_language(files):
    (pair,) = read(files, "It's Brian's, isn't it?\n", "C'est l'eau de Brian, n'est-ce pas?\n")
    assert pair.words == ("It", "'s", "Brian", "'s", ",", "isn", "'t", "it", "?")
    assert pair.target == ("C'", "est", "l'", "eau", "de", "Brian", ",", "n'", "est-ce", "pas", "?")


def test_signs_are_written_as_they_are_and_not_as_in_xml(files):
    (pair,) = read(files, 'Q&A [1] <2> "3|4"\n', "a\n")
    assert pair.words == ("Q", "&", "A", "[", "1", "]", "<", "2", ">", '"', "3", "|", "4", '"')


@pytest.mark.parametrize("character", ["\x85", "\xa0", "\u2028"])
def test_only_a_line_feed_ends_a_line(files, character):
    text = f"a{character}b c.\nd\n"
    assert [one.words for one in read(files, text, "x\ny\n", tokenised_by="blanks")] == [
        (f"a{character}b", "c."),
        ("d",),
    ]
    assert [one.words for one in read(files, text, "x\ny\n")] == [("a", "b", "c", "."), ("d",)]


@pytest.mark.parametrize(
    ("english", "french", "place", "counts"),
    [
        ("a\nb\nc\n", "x\n", "a.en, line 2", "the file has 3 lines, {1} has 1"),
        ("a\n", "x\ny\n", "a.fr, line 2", "the file has 2 lines, {0} has 1"),
    ],
)
@pytest.mark.parametrize("on_malformed", [refuse, Skipped()], ids=["refuse", "skip"])
def test_files_of_unequal_length_are_refused_with_both_counts(files, english, french, place, counts, on_malformed):
    with pytest.raises(MalformedLine, match=rf"{place}: the line has no counterpart: {counts.format(*files)}\. "):
        read(files, english, french, on_malformed)


@pytest.mark.parametrize(
    ("damaged", "found"),
    [("", "the line is empty"), (" \xa0", "the line has no word"), (b"\x85", "is not UTF-8"), ("y\rz", "a carriage")],
)
def test_a_bad_line_of_either_file_leaves_out_the_pair(files, damaged, found):
    damaged = damaged if isinstance(damaged, bytes) else damaged.encode()
    contents = ["a\nb\nc\n", b"x\n" + damaged + b"\nz\n"]
    for order in (1, -1):
        with pytest.raises(MalformedLine, match=f"{files[::order][1].name}, line 2: .*{found}"):
            read(files, *contents[::order])
        skipped = Skipped()
        kept = read(files, *contents[::order], skipped)
        assert [one.line for one in kept] == [1, 3]
        assert [(place.path, place.line) for place in skipped.places] == [(files[::order][1], 2)]


def test_carriage_returns_and_a_byte_order_mark_change_nothing(files):
    plain = read(files, "a b\nc\n", "x\ny z\n")
    assert plain == [TargetedSentence(("a", "b"), ("x",), 1), TargetedSentence(("c",), ("y", "z"), 2)]
    assert read(files, b"\xef\xbb\xbfa b\r\nc\r\n", b"\xef\xbb\xbfx\r\ny z\n") == plain


def test_a_way_of_cutting_that_is_unknown_is_refused_with_the_known_ones(files):
    with pytest.raises(UnknownChoice, match=r'tokenised_by "mose" is unknown\. Did you mean moses\? Known: blanks'):
        read(files, "a\n", "b\n", tokenised_by="mose")


def test_equal_words_are_one_object(files):
    first, second = read(files, "abc def\nabc\n", "x\nabc\n")
    assert first.words[0] is second.words[0] is second.target[0]
