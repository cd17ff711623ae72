"""Probing sets of the miniature Turkish: labels, shares, and splits that share nothing."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from polyprobe.generation.mini.lexicon import InflectedForm, inventory
from polyprobe.generation.unimorph.decoding import Decisions, Decoded, decode

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
PAIRED = ("OddFeat", "SameFeat")
COMPARED = (*FEATURES, "lemma")


@pytest.fixture(scope="module")
def type_level(mini_folder) -> dict[str, dict[str, list[list[str]]]]:
    """The rows of each test and split."""
    return _rows(mini_folder / "linspector/type/mini")


@pytest.fixture(scope="module")
def token_level(mini_folder) -> dict[str, dict[str, list[list[str]]]]:
    return _rows(mini_folder / "linspector/token/mini")


@pytest.fixture(scope="module")
def analyses() -> dict[str, list[InflectedForm]]:
    found: dict[str, list[InflectedForm]] = {}
    for entry in inventory():
        found.setdefault(entry.form, []).append(entry)
    return found


def test_type_level_sets_have_their_rows(type_level):
    for splits in type_level.values():
        assert {split: len(rows) for split, rows in splits.items()} == {"train": 1400, "dev": 400, "test": 400}


def test_token_level_sets_have_at_least_200_test_rows(token_level):
    assert min(len(splits["test"]) for splits in token_level.values()) >= 200


def test_the_tests_are_those_due(type_level, token_level):
    assert set(type_level) == {*FEATURES, "POS", "TagCount", "CharacterBin", *PAIRED}
    assert set(token_level) == {*FEATURES, "Part of Speech", "TagCount", "CharacterBin"}


@pytest.mark.parametrize("feature", FEATURES)
def test_labels_are_published_names_and_every_split_has_all_equally_often(type_level, feature):
    for rows in type_level[feature].values():
        counts = Counter(label for _, label in rows)
        assert counts.pop("None") == 0.3 * len(rows)
        assert counts.keys() == FEATURES[feature]
        assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("feature", FEATURES)
def test_the_analyses_of_a_form_agree_on_its_label(type_level, analyses, feature):
    for form, name in (row for rows in type_level[feature].values() for row in rows):
        found = {_label(entry.bundle, feature) for entry in analyses[form]} - {None}
        assert found == (set() if name == "None" else {name})


def test_part_of_speech_sets_have_only_forms_with_one_part_of_speech(type_level, analyses):
    for form, name in (row for rows in type_level["POS"].values() for row in rows):
        assert {_label(entry.bundle, "Part of Speech") for entry in analyses[form]} == {name}
    assert {row[1] for row in type_level["POS"]["test"]} == {"Noun", "Verb", "Adjective", "Participle", "Converb"}


def test_no_lemma_is_in_two_splits(type_level, analyses):
    for splits in type_level.values():
        lemmas = {
            split: {entry.lemma for row in rows for form in row[:-1] for entry in analyses[form]}
            for split, rows in splits.items()
        }
        assert not lemmas["train"] & lemmas["dev"]
        assert not lemmas["train"] & lemmas["test"]
        assert not lemmas["dev"] & lemmas["test"]


def test_no_row_occurs_twice(type_level):
    for splits in type_level.values():
        rows = [tuple(row) for rows in splits.values() for row in rows]
        assert len(set(rows)) == len(rows)


def test_character_bins_are_bins_of_length(type_level, token_level):
    for form, name in type_level["CharacterBin"]["train"]:
        assert name == str(1 + sum(len(form) > bound for bound in (4, 8, 12, 16, 20)))
    for sentence, index, name in token_level["CharacterBin"]["train"]:
        assert name == str(1 + sum(len(sentence.split(" ")[int(index)]) > bound for bound in (2, 4, 6, 8, 10)))


def test_tag_count_and_character_bin_share_their_forms(type_level):
    for split in SPLITS:
        counted, binned = type_level["TagCount"][split], type_level["CharacterBin"][split]
        assert [form for form, _ in counted] == [form for form, _ in binned]


def test_pairs_have_every_label_equally_often(type_level):
    for test in PAIRED:
        counts = Counter(row[-1] for row in type_level[test]["train"])
        assert counts.keys() == {*FEATURES, "lemma"}
        assert set(counts.values()) == {200}


def test_odd_pairs_differ_in_what_their_label_says(mini_folder):
    """A person is that of a number: a pair that differs in number alone may stand under either."""
    for name, first, second in _pairs(mini_folder, "OddFeat"):
        differing = {feature for feature in COMPARED if first.get(feature) != second.get(feature)}
        assert differing == {name} or (name == "Person" and differing <= {"Person", "Number"})


def test_same_pairs_share_what_their_label_says(mini_folder):
    for name, first, second in _pairs(mini_folder, "SameFeat"):
        shared = {feature for feature in COMPARED if first.get(feature) == second.get(feature) is not None}
        assert shared == ({"Person", "Number"} if name == "Person" else {name})


def test_most_items_are_words_of_the_text(mini_folder):
    frequent = json.loads((mini_folder / "linspector/type/mini/Tense/statistics.json").read_text(encoding="utf-8"))
    assert min(frequent["frequent_share"].values()) > 0.79


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
        seen = {form for row in splits["train"] for form in row[:-1]}
        assert not [form for row in splits["test"] for form in row[:-1] if form in seen]


def _rows(folder: Path) -> dict[str, dict[str, list[list[str]]]]:
    return {
        test.name: {split: [line.split("\t") for line in _lines(test / f"{split}.txt")] for split in SPLITS}
        for test in folder.iterdir()
    }


def _pairs(folder: Path, test: str) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """The label of each pair, and lemma and values of its forms in the analyses that the pair was made of."""
    for line in _lines(folder / "linspector/type/mini" / test / "origin.jsonl"):
        row = json.loads(line)
        yield row["label"], *({**_decoded(one["bundle"]).values, "lemma": one["lemma"]} for (one,) in row["analyses"])


def _label(bundle: str, feature: str) -> str | None:
    return _decoded(bundle).label(feature, "with_number")


@cache
def _decoded(bundle: str) -> Decoded:
    return decode(bundle, Decisions())


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
