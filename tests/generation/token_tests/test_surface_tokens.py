import pytest

from polyprobe.generation.token_tests.treebank_words import Token, joined, joined_as_released


def words(*pairs: tuple[str, str]) -> list[Token]:
    return [Token(form, form, "X", "_", bundle, 10 + n) for n, (form, bundle) in enumerate(pairs)]


def shown(tokens) -> list[tuple[str, str]]:
    return [(token.form, token.bundle) for token in tokens]


LONG = words(*((f"w{n}", f"B{n}") for n in range(1, 13)))


def test_the_words_of_a_range_are_one_token_with_the_labels_of_both():
    found = joined(words(("bu", "DET"), ("ev", "N;NOM"), ("dir", "V;3"), (".", "")), [(2, 3, "evdir")], ";")
    assert shown(found) == [("bu", "DET"), ("evdir", "N;NOM;V;3"), (".", "")]
    assert (found[1].lemma, found[1].upos, found[1].line) == ("ev+dir", "X+X", 11)


def test_a_word_without_labels_adds_no_separator():
    assert shown(joined(words(("ev", ""), ("dir", "V")), [(1, 2, "evdir")], ";")) == [("evdir", "V")]


def test_a_range_across_nine_and_ten_is_one_token():
    assert shown(joined(LONG, [(9, 10, "x")], ";"))[8:] == [("x", "B9;B10"), ("w11", "B11"), ("w12", "B12")]


def test_the_released_program_leaves_the_first_range_apart_and_melts_others():
    found = shown(joined_as_released(LONG, [(1, 2, "x"), (4, 5, "y")], ""))
    assert found[:4] == [("w1", "B1"), ("w2", "B2"), ("w3", "B3"), ("y", "B4B5")]
    assert len(found) == 11


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ((9, 10, "x"), [("w8", "B8"), ("x", ""), ("x", "B9B10"), ("w11", "B11"), ("w12", "B12")]),
        ((8, 10, "x"), [("x", ""), ("x", "B8"), ("w9", "B9B10"), ("w11", "B11"), ("w12", "B12")]),
        ((10, 11, "x"), [("w8", "B8"), ("w9", "B9"), ("x", "B10B11"), ("w12", "B12")]),
    ],
)
def test_the_released_program_writes_a_range_across_nine_and_ten_twice(span, found):
    assert shown(joined_as_released(LONG, [span], ""))[7:] == found
