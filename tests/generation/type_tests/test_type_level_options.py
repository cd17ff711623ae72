import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.generation.type_tests.type_level_options import options_of


def test_article_and_released_rules_differ_in_options_with_names():
    article, released = (options_of(rules, "tr", 1, {"dotless_i": True}) for rules in ("article", "released"))
    assert (article.ambiguity, released.ambiguity) == ("values", "occurrences")
    assert (article.same_feature_sample, released.same_feature_sample) == (500, 400)
    assert (article.tag_count_sample, released.tag_count_sample) == ("unambiguous", "first_triple")
    assert (article.decoding.two_labels, released.decoding.two_labels) == ("specific", "last")
    assert (article.decoding.intr, released.decoding.intr) == ("interrogative", "valency")
    assert (article.case, released.case) == ("turkish", "unicode")
    assert article.split == released.split == "lemma"


def test_an_option_changes_the_rules_alone_that_it_names():
    changed = options_of("article", "tr", 1, ambiguity="occurrences", decoding={"prox": "case"})
    assert (changed.ambiguity, changed.decoding.prox) == ("occurrences", "case")
    assert changed.decoding.two_labels == "specific"
    assert changed.same_feature_sample == 500


def test_a_language_has_its_own_words_groups_and_factors_and_others_the_common_ones():
    russian, unknown = options_of("article", "ru", 1).language, options_of("article", "xx", 1).language
    assert russian.frequent_words == 1_000_000
    assert options_of("released", "ru", 1).language.frequent_words == 750_000
    assert russian.ignored == {"Case": ["Participle"], "Gender": ["Participle"]}
    assert (russian.odd_feat["lemma"], russian.group_size) == (0.8, {"Case": 2, "other": 5})
    assert (unknown.frequent_words, unknown.group_size, unknown.odd_feat) == (500_000, {"other": 10}, {})


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"split": "lemmas"}, UnknownChoice, r"type_level\.split .*Did you mean lemma"),
        ({"items": {"train": 700, "dev": 0, "test": 100}}, BadValue, r"type_level\.items\.dev"),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_key(changes, error, words):
    with pytest.raises(error, match=words):
        options_of("article", "tr", 1, **changes)
