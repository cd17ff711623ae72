"""What is set for a language, by the released program or in its own file."""

import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.generation.made_tests.language_rules import language_rules, set_by_language
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.generation.type_tests.type_level_options import options_of


def own(**made_with):
    """What the file of a language sets, the size of its tests aside."""
    return set_by_language({"code": "xx", "made_with": made_with}, False)


def test_the_file_of_a_language_says_what_the_capital_of_i_is():
    set_here = set_by_language({"code": "xx"}, True)
    assert language_rules("xx", "article", set_here).dotless_i
    assert not language_rules("tr", "article", own()).dotless_i
    assert options_of("article", "xx", 1, set_here).case == "turkish"


def test_a_file_is_laid_over_what_is_set_for_its_language_or_for_any():
    set_here = own(sizes="scaled", odd_feat={"Case": 0.25}, frequent_words=300_000, ignored={"Tense": ["Participle"]})
    unknown, turkish = (language_rules(language, "article", set_here) for language in ("xx", "tr"))
    assert (unknown.odd_feat, unknown.frequent_words) == ({"Case": 0.25}, 300_000)
    assert (unknown.group_size, unknown.not_compared) == ({"other": 10}, [])
    assert turkish.odd_feat == {"Mood": 0, "Case": 0.25, "Tense": 0.9, "lemma": 0.6, "Voice": 0, "Gender": 0}
    assert turkish.not_compared == ["Mood", "Interrogativity"]
    assert token_options_of("article", "xx", 1, set_here).ignored == {"Tense": ["Participle"]}
    assert language_rules("tr", "article", None).odd_feat["Case"] == 0.6


def test_a_language_may_say_what_intr_is():
    assert options_of("article", "xx", 1, own(intr="interrogative")).decoding.intr == "interrogative"


@pytest.mark.parametrize(
    ("made_with", "error", "words"),
    [
        ({"odd_feats": {}}, UnknownChoice, r'lang\.made_with "odd_feats" is unknown\. Did you mean odd_feat'),
        ({"odd_feat": {"Case": 2}}, BadValue, r"lang\.made_with\.odd_feat\.Case must be a share"),
        ({"odd_feat": {"Cas": 0.5}}, UnknownChoice, r'made_with\.odd_feat "Cas" is unknown\. Did you mean Case'),
    ],
)
def test_a_fault_in_the_file_is_told_with_its_key(made_with, error, words):
    with pytest.raises(error, match=words):
        options_of("article", "xx", 1, own(**made_with))


def test_factors_may_be_set_for_lemmas_and_sizes_for_any_other_feature():
    set_here = own(odd_feat={"lemma": 0.5}, group_size={"other": 5})
    rules = options_of("article", "xx", 1, set_here).language
    assert (rules.odd_feat, rules.group_size) == ({"lemma": 0.5}, {"other": 5})
