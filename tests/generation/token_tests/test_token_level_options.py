import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.generation.token_tests.token_level_options import token_options_of


def test_the_article_and_the_released_program_differ_in_named_options():
    article, released = (token_options_of(rules, "ru", 1) for rules in ("article", "released"))
    assert (article.sentence_lengths, released.sentence_lengths) == ("all", "near_mean")
    assert (article.multiword_labels, released.multiword_labels) == ("separated", "melted")
    assert (article.decoding.two_labels, released.decoding.two_labels) == ("specific", "last")
    assert article.ignored == released.ignored == {"Case": ["Participle"], "Gender": ["Participle"]}
    assert article.split == released.split == "sentence"


def test_an_option_of_its_own_changes_a_rule():
    changed = token_options_of("released", "tr", 1, multiword="surface", decoding={"prox": "deixis"})
    assert (changed.multiword, changed.decoding.prox, changed.decoding.two_labels) == ("surface", "deixis", "last")


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"labels": "unimroph"}, UnknownChoice, r"token_level\.labels .*unimorph"),
        ({"ignored": {"Case": "Participle"}}, BadValue, r"token_level\.ignored\.Case must be a list of names"),
        ({"ignored": {"Cas": ["Noun"]}}, UnknownChoice, r'token_level\.ignored "Cas" is unknown\. Did you mean Case'),
        ({"ignored": {"Case": ["Nuon"]}}, UnknownChoice, r'ignored\.Case "Nuon" is unknown\. Did you mean Noun'),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_key(changes, error, words):
    with pytest.raises(error, match=words):
        token_options_of("article", "tr", 1, **changes)
