"""Probing sets of the miniature Turkish: labels, shares, and splits that share nothing."""

from collections import Counter

import pytest

from src.generation.mini.bundles import label
from src.generation.mini.paired_sets import is_odd_pair, is_same_pair, paired_sets
from src.generation.mini.paradigms import InflectedForm, inventory
from src.generation.mini.probing_sets import forms_by_split, length_bin, token_level_sets, type_level_sets
from src.generation.mini.sentences import sentences_by_split

SPLITS = ("train", "dev", "test")
PERSONS = {f"{person} person {number}" for person in ("First", "Second", "Third") for number in ("Singular", "Plural")}
CASES = {"Nominative", "Accusative", "Dative", "Locative", "Ablative", "Genitive"}
POSSESSORS = {f"Possession by {possessor}" for possessor in ("1.sg", "2.sg", "3.sg", "1.pl", "2.pl")}
FEATURES = {
    "Case": CASES,
    "Number": {"Singular", "Plural"},
    "Possession": POSSESSORS,
    "Person": PERSONS,
    "Tense": {"Past", "Present", "Future"},
    "Polarity": {"Positive", "Negative"},
}


@pytest.fixture(scope="module")
def forms():
    return forms_by_split(seed=3)


@pytest.fixture(scope="module")
def type_level(forms):
    return type_level_sets(forms, seed=3)


@pytest.fixture(scope="module")
def pairs(forms):
    return paired_sets(forms, seed=3)


@pytest.fixture(scope="module")
def token_level():
    return token_level_sets(sentences_by_split(seed=3), seed=3)


@pytest.fixture(scope="module")
def analyses():
    found: dict[str, list[InflectedForm]] = {}
    for entry in inventory():
        found.setdefault(entry.form, []).append(entry)
    return found


def test_type_level_sets_have_their_rows(type_level, pairs):
    for splits in (*type_level.values(), *pairs.values()):
        assert {split: len(rows) for split, rows in splits.items()} == {"train": 1400, "dev": 400, "test": 400}


def test_token_level_sets_have_at_least_200_test_rows(token_level):
    assert min(len(splits["test"]) for splits in token_level.values()) >= 200


def test_the_tests_are_those_due(type_level, token_level):
    assert set(type_level) == {*FEATURES, "POS", "TagCount", "CharacterBin"}
    assert set(token_level) == {*FEATURES, "Part of Speech", "TagCount", "CharacterBin"}


@pytest.mark.parametrize("feature", FEATURES)
def test_labels_are_published_names_and_every_split_has_all(type_level, feature):
    for rows in type_level[feature].values():
        assert {label for _, label in rows} == FEATURES[feature] | {"None"}


@pytest.mark.parametrize("feature", FEATURES)
def test_30_percent_of_the_rows_are_none(type_level, feature):
    shares = [sum(label == "None" for _, label in rows) / len(rows) for rows in type_level[feature].values()]
    assert shares == [0.3] * 3


@pytest.mark.parametrize("feature", FEATURES)
def test_forms_have_one_analysis_of_the_feature(type_level, analyses, feature):
    for form, name in (row for rows in type_level[feature].values() for row in rows):
        found = [value for value in (label(entry.bundle, feature) for entry in analyses[form]) if value]
        assert found == ([] if name == "None" else [name])


def test_part_of_speech_sets_have_only_forms_with_one_analysis(type_level, analyses):
    for form, name in (row for rows in type_level["POS"].values() for row in rows):
        assert [label(entry.bundle, "Part of Speech") for entry in analyses[form]] == [name]
    assert {row[1] for row in type_level["POS"]["test"]} == {"Noun", "Verb", "Adjective", "Participle", "Converb"}


def test_no_lemma_is_in_two_splits(type_level, pairs, analyses):
    for splits in (*type_level.values(), *pairs.values()):
        lemmas = {
            split: {entry.lemma for row in rows for form in row[:-1] for entry in analyses[form]}
            for split, rows in splits.items()
        }
        assert not lemmas["train"] & lemmas["dev"]
        assert not lemmas["train"] & lemmas["test"]
        assert not lemmas["dev"] & lemmas["test"]


def test_no_row_occurs_twice(type_level, pairs):
    for splits in (*type_level.values(), *pairs.values()):
        items = [frozenset(row[:-1]) for rows in splits.values() for row in rows]
        assert len(set(items)) == len(items)


def test_character_bins_are_bins_of_length(type_level, token_level):
    for form, name in type_level["CharacterBin"]["train"]:
        assert name == str(1 + sum(len(form) > bound for bound in (4, 8, 12, 16, 20)))
    for sentence, index, name in token_level["CharacterBin"]["train"]:
        assert name == str(1 + sum(len(sentence.split(" ")[int(index)]) > bound for bound in (2, 4, 6, 8, 10)))


def test_a_bound_belongs_to_the_bin_below_it():
    assert [length_bin("a" * n, (4, 8)) for n in (1, 4, 5, 8, 9)] == ["1", "1", "2", "2", "3"]


def test_tag_count_and_character_bin_share_their_forms(type_level):
    for split in SPLITS:
        counted, binned = type_level["TagCount"][split], type_level["CharacterBin"][split]
        assert [form for form, _ in counted] == [form for form, _ in binned]


def test_pairs_are_what_their_label_says(pairs, analyses):
    for test, is_pair in (("OddFeat", is_odd_pair), ("SameFeat", is_same_pair)):
        for first, second, name in (row for rows in pairs[test].values() for row in rows):
            assert any(is_pair(ours, theirs, name) for ours in analyses[first] for theirs in analyses[second])


def test_pairs_have_every_label_equally_often(pairs):
    for splits in pairs.values():
        counts = Counter(row[-1] for row in splits["train"])
        assert counts.keys() == {*FEATURES, "lemma"}
        assert set(counts.values()) == {200}


@pytest.mark.parametrize(
    ("first", "second", "odd", "same"),
    [
        (("ev", "N;LOC;SG"), ("ev", "N;ABL;SG"), "Case", None),
        (("ev", "N;LOC;SG"), ("okul", "N;LOC;SG"), "lemma", None),
        (("ev", "N;LOC;SG"), ("ev", "N;ABL;PL"), None, "lemma"),
        (("ev", "N;LOC;SG"), ("okul", "N;LOC;PL"), None, "Case"),
        (("ev", "N;LOC;SG"), ("ev", "N;LOC;SG;PSS1S"), None, None),
        (("gel", "V;IND;1;SG;PST;POS;DECL"), ("gel", "V;IND;1;PL;PST;POS;DECL"), "Person", None),
        (("gel", "V;IND;1;SG;PST;POS;DECL"), ("git", "V;IND;1;SG;FUT;NEG;DECL"), None, "Person"),
        (("gel", "V;IND;1;SG;PST;POS;DECL"), ("git", "V;IND;1;PL;FUT;NEG;DECL"), None, None),
        (("gel", "V;IND;1;PL;PST;POS;DECL"), ("ev", "N;NOM;PL"), None, None),
    ],
)
def test_pairs_are_classed_by_their_features(first, second, odd, same):
    ours, theirs = (InflectedForm(str(n), lemma, bundle, "_") for n, (lemma, bundle) in enumerate((first, second)))
    names = [*FEATURES, "lemma"]
    assert [name for name in names if is_odd_pair(ours, theirs, name)] == ([odd] if odd else [])
    assert [name for name in names if is_same_pair(ours, theirs, name)] == ([same] if same else [])


def test_token_level_splits_share_no_sentence(token_level):
    sentences = {split: {row[0] for splits in token_level.values() for row in splits[split]} for split in SPLITS}
    assert not sentences["train"] & (sentences["dev"] | sentences["test"])
    assert not sentences["dev"] & sentences["test"]


def test_token_level_sets_have_no_none_and_an_index_inside_the_sentence(token_level):
    for splits in token_level.values():
        for sentence, index, name in (row for rows in splits.values() for row in rows):
            assert name != "None"
            assert 0 <= int(index) < len(sentence.split(" "))


def test_a_lookup_of_forms_is_no_better_than_the_majority_at_type_level(type_level):
    for splits in type_level.values():
        seen = {form for form, _ in splits["train"]}
        assert not [form for form, _ in splits["test"] if form in seen]
