"""Forms of the miniature Turkish: those written by hand, and properties that every form has."""

import re
from collections import Counter
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from polyprobe.generation.mini.lexicon import inventory, joined, name_form, names, nouns, stem_of, verb_forms, verbs
from polyprobe.generation.unimorph.decoding import Decisions, decode

BY_HAND = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "forms_by_hand.tsv").read_text(encoding="utf-8").splitlines()[1:]
]
FRONT_NOUNS = {"saat", "kalp", "hayal", "rol", "gol", "harf"}
BACK, ROUNDED, HIGH, VOWELS = set("aıou"), set("oöuü"), set("ıiuü"), set("aeıioöuü")


@pytest.fixture(scope="module")
def form_of() -> dict[tuple[str, str], str]:
    return {(entry.lemma, entry.bundle): entry.form for entry in inventory()}


@pytest.mark.parametrize(("form", "lemma", "bundle"), BY_HAND)
def test_forms_are_those_written_by_hand(form_of, form, lemma, bundle):
    assert form_of[lemma, bundle] == form


def test_at_least_15000_forms_are_tagged():
    assert len(inventory()) >= 15_000


def test_every_slot_of_a_paradigm_has_one_form():
    slots = Counter((entry.lemma, entry.bundle) for entry in inventory())
    assert max(slots.values()) == 1


def test_paradigms_are_complete():
    of_part = Counter((entry.lemma, entry.bundle.split(";")[0][:1]) for entry in inventory())
    assert {part: {n for (_, p), n in of_part.items() if p == part} for part in "NVA"} == {
        "N": {84},
        "V": {70},
        "A": {12},
    }


def test_suffix_vowels_harmonise_with_the_vowel_before_them():
    for entry in inventory():
        if entry.lemma not in FRONT_NOUNS:
            assert _unharmonious(entry.form, _root(entry)) == [], entry


def test_d_is_never_written_after_a_voiceless_consonant():
    assert [entry.form for entry in inventory() if re.search("[çfhkpsşt]d", entry.form)] == []


def test_vowels_meet_only_where_they_do_in_the_root():
    for entry in inventory():
        assert _hiatuses(entry.form) <= _hiatuses(entry.lemma), entry


def test_softened_consonants_stand_only_before_vowels():
    softening = [noun for noun in nouns() if noun.stem.before_vowel != noun.stem.form]
    assert len(softening) > 40
    for noun in softening:
        assert joined(noun.stem, "(y)I").form.startswith(noun.stem.before_vowel)
        assert joined(noun.stem, "DA").form.startswith(noun.stem.form)


@pytest.mark.parametrize(
    ("name", "case", "form"),
    [("Ayşe", "ACC", "Ayşe'yi"), ("Mehmet", "GEN", "Mehmet'in"), ("Zeynep", "LOC", "Zeynep'te"),
     ("İstanbul", "DAT", "İstanbul'a"), ("Ankara", "ABL", "Ankara'dan"), ("Ali", "NOM", "Ali")],
)  # fmt: skip
def test_names_have_an_apostrophe_and_no_softening(name, case, form):
    assert name_form(next(known for known in names() if known.lemma == name), case).form == form


def test_a_stem_may_have_front_suffixes_after_a_back_vowel():
    assert joined(stem_of("hayal", ["front"]), "(y)I").form == "hayali"


def test_a_form_has_ud_features():
    verb = next(known for known in verbs() if known.root == "git")
    feats = {entry.form: entry.feats for entry in verb_forms(verb)}
    assert feats["gidiyoruz"] == "Aspect=Prog|Mood=Ind|Number=Plur|Person=1|Polarity=Pos|Tense=Pres"
    noun = next(entry for entry in inventory() if entry.form == "evimizde")
    assert noun.feats == "Case=Loc|Number=Sing|Number[psor]=Plur|Person=3|Person[psor]=1"


def test_every_code_of_a_bundle_is_known_and_no_two_are_of_one_dimension():
    decoded = {entry.bundle: decode(entry.bundle, Decisions()) for entry in inventory()}
    assert not [one for one in decoded.values() if one.unknown or one.undecided]
    assert all(len(one.values) == bundle.count(";") + 1 for bundle, one in decoded.items())


def _root(entry) -> str:
    return entry.lemma[:-3] if entry.bundle.startswith("V") else entry.lemma


def _unharmonious(form: str, root: str) -> list[str]:
    """The vowels of the suffixes that do not agree with the vowel before them; the o of -yor agrees with nothing."""
    start = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(form, root, strict=False)))
    vowels = [(place, letter) for place, letter in enumerate(form) if letter in VOWELS]
    return [
        letter
        for (_, previous), (place, letter) in pairwise(vowels)
        if place >= start and not _agrees(previous, letter) and not form[place - 1 :].startswith("yor")
    ]


def _agrees(previous: str, vowel: str) -> bool:
    rounds = (previous in ROUNDED) == (vowel in ROUNDED) if vowel in HIGH else vowel not in ROUNDED
    return rounds and (previous in BACK) == (vowel in BACK)


def _hiatuses(form: str) -> int:
    return sum(first in VOWELS and second in VOWELS for first, second in pairwise(form))
