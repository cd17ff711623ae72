"""Files of word vectors: every dialect is read back the same, every damage is named."""

import gzip
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.errors import MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.vectors import vector_rows, word2vec_binary, word2vec_text
from polyprobe.formats.vectors.vector_rows import UnreadableVectors
from polyprobe.formats.vectors.word_vectors import opened

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters=" \n\r\ufeff")
WORD = st.text(CHARACTERS, min_size=1, max_size=6)
LETTERS = st.text(st.characters(categories=["L"]), min_size=1, max_size=6)
PHRASE = st.lists(LETTERS, min_size=2, max_size=3).map(" ".join)
NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def tables(draw, words) -> dict[str, np.ndarray]:
    width = draw(st.integers(1, 4))
    vector = st.lists(NUMBER, min_size=width, max_size=width).map(lambda numbers: np.array(numbers, np.float32))
    return draw(st.dictionaries(words, vector, min_size=1, max_size=12))


def text_of(table, with_header: bool, row_end: str) -> bytes:
    width = len(next(iter(table.values())))
    rows = [f"{word} {' '.join(map(repr, vector.tolist()))}{row_end}" for word, vector in table.items()]
    return "".join([f"{len(table)} {width}\n"] * with_header + rows).encode()


def binary_of(table, row_end: bytes) -> bytes:
    width = len(next(iter(table.values())))
    rows = [word.encode() + b" " + vector.astype("<f4").tobytes() + row_end for word, vector in table.items()]
    return f"{len(table)} {width}\n".encode() + b"".join(rows)


def assert_reads_back(read, content: bytes, block_size: int, is_packed: bool, table) -> None:
    """Every second word is asked for; the others must not turn up."""
    wanted = list(table)[::2]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "words"
        path.write_bytes(gzip.compress(content) if is_packed else content)
        patch.setattr(vector_rows, "BLOCK_SIZE", block_size)
        found = read(path, wanted)
    assert list(found.words) == wanted
    np.testing.assert_array_equal(found.vectors, [table[word] for word in wanted])
    assert (found.n_rows, found.n_repeated, found.n_undecodable) == (len(table), 0, 0)


@settings(max_examples=120, deadline=None)
@given(
    table=tables(WORD | PHRASE),
    with_header=st.booleans(),
    row_end=st.sampled_from(["\n", " \n", "\r\n", " \r\n"]),
    block_size=st.sampled_from([1, 5, 40, 1 << 20]),
    is_packed=st.booleans(),
)
def test_a_table_in_any_dialect_of_text_is_read_back(table, with_header, row_end, block_size, is_packed):
    width = len(next(iter(table.values())))

    def read(path, wanted):
        return word2vec_text.read_wanted(path, width, with_header, wanted)

    assert_reads_back(read, text_of(table, with_header, row_end), block_size, is_packed, table)


@settings(max_examples=80, deadline=None)
@given(
    table=tables(WORD).filter(  # beyond these, numbers may be spelt as letters
        lambda table: all(((abs(one) < 1e20) & ((abs(one) > 1e-15) | (one == 0))).all() for one in table.values())
    ),
    row_end=st.sampled_from([b"", b"\n"]),
    block_size=st.sampled_from([8, 40, 1 << 20]),
    is_packed=st.booleans(),
)
def test_a_binary_table_is_read_back_with_and_without_line_feeds(table, row_end, block_size, is_packed):
    assert_reads_back(word2vec_binary.read_wanted, binary_of(table, row_end), block_size, is_packed, table)


@pytest.mark.parametrize("row_end", [b"", b"\n"], ids=["without line feeds", "with"])
@pytest.mark.parametrize("phrase", ["New York", "new tea", "New of", "ice a", "São Paulo", "Ho Chi Minh"])
def test_a_word_with_a_blank_is_refused_by_its_row_in_a_binary_table(phrase, row_end, tmp_path):
    words = ["cat", phrase, "moon", "star"]
    vectors = np.random.default_rng(0).normal(size=(4, 50)).astype(np.float32)
    (tmp_path / "words").write_bytes(binary_of(dict(zip(words, vectors, strict=True)), row_end))
    with pytest.raises(UnreadableVectors, match=r"row [23], .*: a word with a blank\. Expected words without blanks"):
        word2vec_binary.read_wanted(tmp_path / "words", ["star"])


TABLE = {word: np.array([row, 0.5, -1], np.float32) for row, word in enumerate(["talo", "a\u00a0b", "\u2028", "x y"])}
ONE_FIELD = {word: vector for word, vector in TABLE.items() if " " not in word}


@pytest.mark.parametrize(
    ("format", "content", "n_rows"),
    [
        ("word2vec_text", text_of(TABLE, True, "\n"), 4),
        ("glove_text", text_of(TABLE, False, "\n"), None),
        ("word2vec_binary", binary_of(ONE_FIELD, b""), 3),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_format_is_seen_from_the_first_bytes(tmp_path, format, content, n_rows, pack):
    (tmp_path / "words").write_bytes(pack(content))
    file = opened(tmp_path / "words", None)
    assert (file.format, file.width, file.n_rows) == (format, 3, n_rows)
    assert file.read_wanted(["\u2028"]).words == ("\u2028",)
    np.testing.assert_array_equal(file.read_first(2), [[0, 0.5, -1], [1, 0.5, -1]])


@pytest.mark.parametrize(
    "content",
    [b"5 1\na 1\nb 2\na 3\nc nan\na 4\n", b"5 1\n" + b"".join(
        word + b" " + np.float32(number).tobytes()
        for word, number in [(b"a", 1), (b"b", 2), (b"a", 3), (b"c", np.nan), (b"a", 4)]
    )],
    ids=["text", "binary"],
)  # fmt: skip
def test_of_a_repeated_word_the_first_counts_and_the_others_are_counted(tmp_path, caplog, content):
    (tmp_path / "words").write_bytes(content)
    found = opened(tmp_path / "words", None).read_wanted(["a", "b"])
    assert (found.words, found.vectors.tolist(), found.n_repeated) == (("a", "b"), [[1], [2]], 2)
    assert "2 rows repeat a wanted word; the first counts" in caplog.text


def test_words_that_are_not_utf8_are_left_out_and_counted(tmp_path, caplog):
    (tmp_path / "words").write_bytes(b"4 1\ncaf\xe9 1\ncaf\xc3\xa9 2\n\xff 3\nb 4\n")
    found = opened(tmp_path / "words", None).read_wanted(["café", "b"])
    assert (found.words, found.vectors.tolist(), found.n_undecodable) == (("café", "b"), [[2], [4]], 2)
    assert "the words of 2 rows are not UTF-8" in caplog.text


GOOD = "3 2\na 1 2\nb 3 4\nc 5 6\n"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (GOOD.replace("b 3 4", "b 3"), 3, '"b" has 1 numbers. Expected 2 in every row'),
        (GOOD.replace("c 5 6", "c 5.0 6.0 7.0"), 4, '"c" has 3 numbers'),
        (GOOD.replace("b 3 4", "b 3").replace("c 5 6", "c x 5 6"), 3, '"b" has 1 numbers'),
        (GOOD.replace("b 3 4", "b 3 nan"), 3, 'number 2 of "b" is "nan". Expected a finite number'),
        (GOOD.replace("b 3 4", "b 1e39 4"), 3, 'number 1 of "b" is "1e39"'),
        (GOOD.replace("b 3 4", "b  4"), 3, 'number 1 of "b" is ""'),
        (GOOD.replace("b 3 4", "b 1_0 4"), 3, 'number 1 of "b" is "1_0"'),
        (GOOD.replace("b 3 4", "b 0.1 .-4"), 3, 'number 2 of "b" is ".-4"'),
        (GOOD.replace("3 2", "4 2"), 1, "the header says 4 words, but 3 rows follow"),
        (GOOD.replace("3 2", "3 3"), 2, '"a" has 2 numbers. Expected 3'),
        (GOOD.replace("3 2", "3 0"), 1, "Expected a header"),
        (GOOD[:-3] + "\n", 4, '"c" has 1 numbers'),
        ("a 1 2\nb 3\n", 2, '"b" has 1 numbers'),
        ("a b c\n", 1, "Expected a word and its numbers, separated by blanks, or a header"),
        ("", 1, "no line feed"),
    ],
)
def test_a_bad_line_of_text_is_named_with_what_was_expected(tmp_path, content, line, words):
    path = tmp_path / "words.vec"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(MalformedLine, match=re.escape(f"words.vec, line {line}: ") + ".*" + re.escape(words)):
        opened(path, None).read_wanted(["a", "b", "c"])


@pytest.mark.parametrize("change", [("b 3 4", "b 3"), ("b 3 4", "b 3.0 4.0 5.0"), ("3 2\n", "9 2\n")])
def test_a_wrong_number_of_columns_is_noticed_in_rows_that_nobody_wants(tmp_path, change):
    (tmp_path / "words").write_text(GOOD.replace(*change), encoding="utf-8")
    with pytest.raises(MalformedLine):
        opened(tmp_path / "words", None).read_wanted(["a"])


BINARY = binary_of({"a": np.array([1, 2], np.float32), "b": np.array([3, np.nan], np.float32)}, b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BINARY, 'row 2, "b", has a value that is not finite'),
        (BINARY[:-1], "the file ends within row 2. Expected 2 whole rows of 2"),
        (BINARY[:14], "the header says 2 words, but 1 rows follow"),
        (BINARY.replace(b"\xc0\x7f", bytes(2)) + b"c 12345678", "the header says 2 words, but 3 rows follow"),
        (b"2 2\n" + bytes(1 << 21), "row 1 has no blank within 1 MiB"),
    ],
    ids=["nan", "cut in a row", "cut between rows", "a row too many", "no blank"],
)
def test_a_damaged_binary_file_is_named_with_what_was_found(tmp_path, content, words):
    (tmp_path / "words.bin").write_bytes(content)
    with pytest.raises(UnreadableVectors, match=re.escape(words)):
        opened(tmp_path / "words.bin", "word2vec_binary").read_wanted(["a", "b"])


@pytest.mark.parametrize("content", [GOOD.encode() * 1000, BINARY * 1000], ids=["text", "binary"])
@pytest.mark.parametrize("damage", [lambda packed: packed[:-20], lambda packed: packed[:-8] + bytes(8)])
def test_a_gzip_file_that_is_cut_off_or_fails_its_checksum_is_refused(tmp_path, content, damage):
    (tmp_path / "words.gz").write_bytes(damage(gzip.compress(content)))
    with pytest.raises(PolyprobeError, match=r"words\.gz.*the gzip content is truncated or damaged"):
        opened(tmp_path / "words.gz", None).read_wanted(["zzz"])


def test_a_cut_off_gzip_file_is_named_with_its_line(tmp_path):
    rows = "".join(f"w{number} {number}.5\n" for number in range(300_000))
    (tmp_path / "words.gz").write_bytes(gzip.compress(f"300000 1\n{rows}".encode(), 1)[:-100])
    with pytest.raises(MalformedLine, match=r"words\.gz, line \d{6}: the gzip content is truncated"):
        opened(tmp_path / "words.gz", None).read_wanted(["zzz"])


def test_a_file_that_is_not_there_and_a_format_that_does_not_exist_are_refused(tmp_path):
    with pytest.raises(UnreadableVectors, match="there is no such file"):
        opened(tmp_path / "absent.vec", None)
    with pytest.raises(UnreadableVectors, match=f"{tmp_path}: it is a folder. Expected a file of word vectors"):
        opened(tmp_path, None)
    with pytest.raises(UnknownChoice, match=r'encoder\.format "glove" is unknown. Did you mean glove_text'):
        opened(tmp_path / "absent.vec", "glove")


@pytest.mark.parametrize("header", ["2 2\n", ""])
@pytest.mark.parametrize(
    ("spelt", "noted"),
    [
        (lambda text: text.replace(b"\n", b"\r\n"), [True, False]),
        (lambda text: b"\xef\xbb\xbf" + text, [False, True]),
        (lambda text: gzip.compress(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")), [True, True]),
    ],
    ids=["CRLF", "byte order mark", "both, packed"],
)
def test_line_ends_and_a_byte_order_mark_change_no_vectors(header, spelt, noted, tmp_path, caplog):
    (tmp_path / "words").write_bytes(spelt(f"{header}talo 1 2\nja 3 4\n".encode()))
    found = opened(tmp_path / "words", None).read_wanted(["talo", "ja"])
    assert (found.words, found.vectors.tolist()) == (("talo", "ja"), [[1, 2], [3, 4]])
    notes = ("2 of 2 rows end with CRLF", "starts with a byte order mark")
    assert [note in caplog.text for note in notes] == noted


def test_a_carriage_return_inside_a_row_is_refused_with_its_line(tmp_path):
    (tmp_path / "words").write_bytes(b"2 2\r\ntalo 1 2\r\nj\ra 3 4\r\n")
    with pytest.raises(MalformedLine, match="line 3: the line has a carriage return"):
        opened(tmp_path / "words", None).read_wanted(["talo"])


@pytest.mark.parametrize(
    ("header", "format", "found"),
    [
        ("10 900000000", "word2vec_binary", r"vectors of 900,000,000 numbers\. Expected at most 100,000"),
        ("10 900000000", "word2vec_text", "vectors of 900,000,000 numbers"),
        ("900000000 300", "word2vec_binary", r"claims 900,000,000 rows of 300 numbers, but it has \d+ bytes"),
        ("900000000 300", "word2vec_text", r"claims 900,000,000 rows of 300 numbers, but it has \d+ bytes"),
        ("9" * 5000 + " 2", "word2vec_text", "Expected a header"),
        ("2 " + "9" * 5000, "word2vec_binary", "Expected a header"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_header_that_claims_what_the_file_has_no_room_for_is_refused_at_once(tmp_path, header, format, found, pack):
    path = tmp_path / "words"
    path.write_bytes(pack(header.encode() + b"\n" + BINARY))
    with pytest.raises(PolyprobeError, match=found):
        opened(path, format)


def test_a_binary_file_is_held_to_its_header_by_whoever_reads_it(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"3 900000000\na " + bytes(1000))
    with pytest.raises(UnreadableVectors, match="vectors of 900,000,000 numbers"):
        word2vec_binary.read_first(path, 1)


def test_vectors_without_the_last_line_feed_are_read_and_that_is_told(tmp_path, caplog):
    (tmp_path / "words.vec").write_text(GOOD[:-1], encoding="utf-8")
    assert opened(tmp_path / "words.vec", None).read_wanted(["c"]).vectors.tolist() == [[5, 6]]
    assert "words.vec: the last line has no line feed (the file may be truncated)." in caplog.text


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"word,0.1,0.2\n", '"word,0.1,0.2"; it looks like CSV, with commas between cells.'),
        (b'{"word": [0.1, 0.2]}\n', '"{"word": [0.1, 0.2]}"; it looks like JSON.'),
        (b"[\n", '"["; it looks like JSON.'),
        (b"\x80\x04\x95\x01\n", "; it is no text."),
    ],
)
def test_a_file_of_another_kind_is_shown_and_named(content, found, tmp_path):
    (tmp_path / "words.vec").write_bytes(content)
    with pytest.raises(MalformedLine, match="line 1: the first line is .*" + re.escape(found)) as raised:
        opened(tmp_path / "words.vec", None)
    assert "b'" not in str(raised.value)
