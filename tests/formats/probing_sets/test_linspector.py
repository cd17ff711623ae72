import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets.linspector import (
    FormRow,
    TokenRow,
    read_form_pairs,
    read_forms,
    read_tokens,
)
from polyprobe.formats.reading.malformed import Skipped, refuse


def read(reader, path, text, on_malformed=refuse):
    path.write_text(text, encoding="utf-8")
    return list(reader(path, on_malformed))


def test_a_label_may_have_blanks(tmp_path):
    rows = read(read_forms, tmp_path / "test.txt", "Aa\u00a0gemacht\tThird person Singular\n")
    assert rows == [FormRow(1, ("Aa\u00a0gemacht",), "Third person Singular")]


def test_a_line_that_starts_with_a_hash_is_a_row(tmp_path):
    rows = read(read_tokens, tmp_path / "test.txt", "# talo\t1\tNom\n#\t0\tNom\n")
    assert rows == [TokenRow(1, ("#", "talo"), 1, "Nom"), TokenRow(2, ("#",), 0, "Nom")]


def test_both_forms_of_a_pair_are_read(tmp_path):
    rows = read(read_form_pairs, tmp_path / "test.txt", "talo\ttaloissa\tlemma\n")
    assert rows == [FormRow(1, ("talo", "taloissa"), "lemma")]


def test_three_columns_where_two_are_due_are_refused_with_what_was_expected(tmp_path):
    with pytest.raises(MalformedLine) as error:
        read(read_forms, tmp_path / "test.txt", "talo\tNom\ntalo\ttaloissa\tlemma\n")
    assert str(error.value) == (
        f"{tmp_path / 'test.txt'}, line 2: the row has 3 columns. Expected 2 columns (form, label), separated by tabs. "
        "To count and leave out such places: data.on_malformed=skip"
    )


def test_two_columns_where_three_are_due_are_refused(tmp_path):
    with pytest.raises(MalformedLine, match=r"Expected 3 columns \(first form, second form, label\)"):
        read(read_form_pairs, tmp_path / "test.txt", "talo\tNom\n")


@pytest.mark.parametrize("index", ["2", "-1", "x", "01", "1.0", "１", "9" * 5000])
def test_an_index_that_is_no_word_of_the_sentence_is_refused(index, tmp_path):
    with pytest.raises(MalformedLine, match=f'line 1: the index is "{index}", and the sentence has 2 words'):
        read(read_tokens, tmp_path / "test.txt", f"Talo paloi\t{index}\tNom\n")


def test_a_file_of_form_pairs_read_as_tokens_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match="Expected 0 to 0"):
        read(read_tokens, tmp_path / "test.txt", "talo\ttaloissa\tlemma\n")


def test_in_skip_mode_a_bad_index_costs_the_row(tmp_path):
    skipped = Skipped()
    rows = read(read_tokens, tmp_path / "test.txt", "Talo  paloi\t0\tNom\nTalo\t1\tNom\nTalo\t0\tNom\n", skipped)
    assert rows == [TokenRow(3, ("Talo",), 0, "Nom")]
    assert [place.line for place in skipped.places] == [1, 2]
