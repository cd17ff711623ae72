import pytest

from polyprobe.generation.syllables.segments import splitter

SYLLABLES = [
    ("tr", "akş", ("", "a", "kş")),
    ("tr", "türk", ("t", "ü", "rk")),
    ("es", "que", ("q", "ue", "")),
    ("eu", "baia", ("b", "ai", "a")),  # two letters at once, tried before one
    ("en", "quick", ("qu", "i", "ck")),  # no nucleus ui behind q, no u behind q
    ("en", "fruit", ("fr", "ui", "t")),
    ("en", "qui", ("qu", "i", "")),
    ("en", "yes", ("y", "e", "s")),  # y before a vowel is no nucleus
    ("en", "they", ("th", "e", "y")),  # ey only where more follows
    ("en", "keys", ("k", "ey", "s")),
    ("en", "tious", ("ti", "ou", "s")),  # neither io nor i before ou
    ("en", "nth", ("nth", "", "")),
    ("de", "und", ("", "u", "nd")),
    ("german_released", "und", ("und", "", "")),
    ("de", "quer", ("q", "u", "er")),
    ("general", "дом", ("д", "о", "м")),
    ("general", "sault", ("s", "au", "lt")),
    ("general", "hm", ("hm", "", "")),
]


@pytest.mark.parametrize(("language", "syllable", "parts"), SYLLABLES)
def test_a_syllable_is_split_at_its_leftmost_nucleus(language, syllable, parts):
    assert splitter(language)(syllable) == parts
