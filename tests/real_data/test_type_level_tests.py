"""Type-level tests of Turkish, made from the files at hand."""

from pathlib import Path

import numpy as np
import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.type_level import make_test, possible_tests
from polyprobe.generation.type_tests.form_pairs import odd_feature_pairs
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions, options_of

pytestmark = pytest.mark.real_data


def turkish(data_folder: Path, options: TypeLevelOptions) -> RankedLexicon:
    return read_lexicon([data_folder / "unimorph/tur/tur.txt"], data_folder / "frequency/tr.txt", options, refuse)


def sizes(lexicon: RankedLexicon, options: TypeLevelOptions) -> dict[str, int]:
    """The items of every test that can be made."""
    made = {}
    for name in possible_tests(lexicon):
        try:
            test = make_test(lexicon, name, options)
        except TooFew:
            continue
        made[name] = sum(map(len, test.splits.values()))
    return made


def test_the_published_sizes_are_met_by_the_tests_that_have_forms_enough(data_folder: Path):
    options = options_of("released", "tr", 1, split="random")
    made = sizes(turkish(data_folder, options), options)
    of_forms = {"Case", "Possession", "Tense", "POS", "TagCount", "CharacterBin", "CharacterCount"}
    assert {name for name in made if name not in ("OddFeat", "SameFeat")} == of_forms
    assert set(made.values()) == {10_000}


def test_person_and_polarity_are_as_large_as_their_forms_allow_and_number_has_no_class_none(data_folder: Path):
    """5,030 labelled forms are 70 % of 7,185 items."""
    options = options_of("released", "tr", 1, split="random", sizes="scaled")
    lexicon = turkish(data_folder, options)
    made = sizes(lexicon, options)
    assert (made["Person"], made["Polarity"]) == (7_100, 7_100)
    with pytest.raises(TooFew, match="every form has the feature"):
        make_test(lexicon, "Number", options)


def test_all_frequent_forms_are_taken_where_the_list_has_too_few(data_folder: Path):
    options = options_of("released", "tr", 1, split="random")
    test = make_test(turkish(data_folder, options), "Case", options)
    labelled = [items.is_frequent[~items.is_none] for items in test.splits.values()]
    assert sum(map(sum, labelled)) == 2198
    assert test.branches == {"all": "all frequent, rare for the rest"}


@pytest.mark.parametrize(
    ("language", "folder", "table"),
    [
        ("tr", "turkish", "tur"),
        ("fi", "finnish", "fin"),
        ("de", "german", "deu"),
        ("es", "spanish", "spa"),
        ("ru", "russian", "rus"),
    ],
)
def test_released_pairs_have_the_labels_of_the_published_ones(data_folder: Path, language, folder, table):
    options = options_of("released", language, 1, split="random", sizes="scaled")
    files = data_folder / f"unimorph/{table}/{table}.txt", data_folder / f"frequency/{language}.txt"
    lexicon = read_lexicon([files[0]], files[1], options, refuse)
    for name in ("OddFeat", "SameFeat"):
        published = data_folder / f"linspector/type/{folder}/{name}/train.txt"
        labels = {line.split("\t")[-1] for line in published.read_text(encoding="utf-8").splitlines()}
        assert set(make_test(lexicon, name, options).candidates.labels) == labels


@pytest.mark.parametrize(("odd_possession", "possessed_of_two"), [("any", {1, 2}), ("possessed", {2})])
def test_possessed_forms_are_paired_with_unpossessed_ones_by_the_article(
    odd_possession: str, possessed_of_two: set[int], data_folder: Path
):
    options = options_of("article", "tr", 1, split="random", odd_possession=odd_possession)
    lexicon = turkish(data_folder, options)
    found = odd_feature_pairs(lexicon, options, np.random.default_rng(1))
    pairs = found.made_of[found.label_ids == found.labels.index("Possession")]
    n_possessed = lexicon.decoded.presence("Possession")[pairs].sum(axis=1)
    assert set(n_possessed.tolist()) == possessed_of_two
    bundles = [lexicon.inflections.bundles[one] for one in lexicon.inflections.bundle_ids[pairs[n_possessed == 1]].flat]
    without = [tuple(code for code in bundle.split(";") if not code.startswith("PSS")) for bundle in bundles]
    assert [set(one) for one in without[::2]] == [set(one) for one in without[1::2]]
