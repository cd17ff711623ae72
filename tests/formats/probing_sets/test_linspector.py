import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets.linspector import (
    FormRow,
    TokenRow,
    read_form_pairs,
    read_forms,
    read_tokens,
)
from polyprobe.formats.reading.malformed import refuse


def read(reader, path, text, on_malformed=refuse):
    path.write_text(text, encoding="utf-8")
    return list(reader(path, on_malformed))


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


@pytest.mark.parametrize("index", ["2", "-1", "x", "01", "1.0", "１", "9" * 5000])
def test_an_index_that_is_no_word_of_the_sentence_is_refused(index, tmp_path):
    with pytest.raises(MalformedLine, match=f'line 1: the index is "{index}", and the sentence has 2 words'):
        read(read_tokens, tmp_path / "test.txt", f"Talo paloi\t{index}\tNom\n")
