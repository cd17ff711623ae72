"""Paired tests beside their definitions, applied to every pair of triples of a small lexicon."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.drawing import Candidates
from polyprobe.generation.type_tests.form_pairs import odd_feature_pairs, same_feature_pairs
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.type_level_options import options_of

LEXICON = """ev	evde	N;LOC;SG
ev	evler	N;NOM;PL
ev	ev	N;NOM;SG
ev	evlerde	N;LOC;PL
ev	evim	N;NOM;SG;PSS1S
ev	evin	N;NOM;SG;PSS2S
ev	evimde	N;LOC;SG;PSS1S
ev	evin	N;GEN;SG
at	atta	N;LOC;SG
at	at	N;NOM;SG
at	atlar	N;NOM;PL
git	gider	V;IND;3;SG;PRS;POS
git	giderler	V;IND;3;PL;PRS;POS
git	giderim	V;IND;1;SG;PRS;POS
git	gitti	V;IND;3;SG;PST;POS
git	gitmedim	V;IND;1;SG;PST;NEG
al	aldı	V;IND;3;SG;PST;POS
al	almadı	V;IND;3;SG;PST;NEG
"""
WORDS = "ev\nevler\nevde\ngider\n"


@pytest.fixture
def lexicon(tmp_path: Path) -> RankedLexicon:
    (tmp_path / "lexicon").write_text(LEXICON, encoding="utf-8")
    (tmp_path / "words").write_text(WORDS, encoding="utf-8")
    return read_lexicon([tmp_path / "lexicon"], tmp_path / "words", options(), refuse)


def options(**changes):
    every = {"split": "random", "sizes": "scaled", "sampling_factors": "none", **changes}
    return options_of("article", "xx", 1, **every)


def rows(lexicon: RankedLexicon, candidates: Candidates) -> set[tuple[str, str, str]]:
    triples = [(lemma, form) for lemma, form, _ in triples_of_lexicon()]
    pairs = zip(candidates.made_of.tolist(), candidates.label_ids.tolist(), strict=True)
    return {(triples[a][1], triples[b][1], candidates.labels[label]) for (a, b), label in pairs}


def triples_of_lexicon() -> list[tuple[str, str, dict[str, str]]]:
    dimension = {"N": "Part of Speech", "V": "Part of Speech", "IND": "Mood", "POS": "Polarity", "NEG": "Polarity"}
    dimension |= dict.fromkeys(("LOC", "NOM", "GEN"), "Case") | dict.fromkeys(("PRS", "PST"), "Tense")
    dimension |= {"SG": "Number", "PL": "Number", "1": "Person", "3": "Person", "PSS1S": "Possession"}
    dimension |= {"PSS2S": "Possession"}
    cells = (line.split("\t") for line in LEXICON.splitlines())
    return [(lemma, form, {dimension[code]: code for code in b.split(";")}) for lemma, form, b in cells]


FEATURES = ("Case", "Number", "Person", "Polarity", "Possession", "Tense")


def with_person(values: dict[str, str], feature: str) -> dict[str, str]:
    """A person is one with its number, and all numbers are alike."""
    if feature != "Person" or "Person" not in values:
        return values
    return {**values, "Person": values["Person"] + values["Number"], "Number": "any"}


def odd_by_definition(possession: str) -> Iterator[tuple[str, str, str]]:
    every = triples_of_lexicon()
    for feature in FEATURES:
        for (lemma, form, values), (other_lemma, other_form, other_values) in permutations(every, 2):
            a, b = with_person(values, feature), with_person(other_values, feature)
            has_feature = any if (feature, possession) == ("Possession", "any") else all
            if lemma != other_lemma or form == other_form or not has_feature((feature in a, feature in b)):
                continue
            rest, other_rest = ({name: v for name, v in one.items() if name != feature} for one in (a, b))
            surplus = len(other_rest.keys() - rest.keys())
            agrees = rest.items() <= other_rest.items() and surplus <= (has_feature is all and feature == "Possession")
            if a.get(feature) != b.get(feature) and agrees:
                yield form, other_form, feature


@pytest.mark.parametrize("possession", ["any", "possessed"])
def test_odd_pairs_are_those_of_the_definition_in_one_order(lexicon, possession):
    expected = set(odd_by_definition(possession))
    candidates = odd_feature_pairs(lexicon, options(odd_possession=possession), np.random.default_rng(1))
    found = {row for row in rows(lexicon, candidates) if row[2] != "lemma"}
    assert found <= expected
    assert {frozenset(row[:2]) for row in found} == {frozenset(row[:2]) for row in expected}
    with_persons = {frozenset(row[:2]) for row in found if row[2] == "Person"}
    assert with_persons == {frozenset(pair) for pair in combinations(("gider", "giderim", "giderler"), 2)}
    is_unpossessed_there = {"ev", "evim"} in [set(row[:2]) for row in found]
    assert is_unpossessed_there == (possession == "any")


def test_odd_pairs_of_lemmas_share_the_bundle(lexicon):
    bundles = {(form, lemma): values for lemma, form, values in triples_of_lexicon()}
    lemmas = {form: lemma for lemma, form, _ in triples_of_lexicon()}
    found = [
        row
        for row in rows(lexicon, odd_feature_pairs(lexicon, options(), np.random.default_rng(1)))
        if row[2] == "lemma"
    ]
    assert {row[:2] for row in found} == {("evde", "atta"), ("evler", "atlar"), ("ev", "at"), ("gitti", "aldı")}
    for first, second, _ in found:
        assert bundles[first, lemmas[first]] == bundles[second, lemmas[second]]


def test_same_pairs_share_the_feature_and_nothing_else_and_no_lemma(lexicon):
    by_form: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for lemma, form, values in triples_of_lexicon():
        by_form.setdefault(form, []).append((lemma, values))
    n_found = 0
    for seed in range(20):
        for first, second, label in rows(lexicon, same_feature_pairs(lexicon, options(), np.random.default_rng(seed))):
            n_found += 1
            assert first != second
            assert any(is_same_pair(a, b, label) for a in by_form[first] for b in by_form[second]), (
                first,
                second,
                label,
            )
    assert n_found > 50


def is_same_pair(a: tuple[str, dict[str, str]], b: tuple[str, dict[str, str]], label: str) -> bool:
    passed = {"Part of Speech", label} | ({"Number"} if label == "Person" else set())
    others = [name for name in a[1] if name not in passed and a[1][name] == b[1].get(name)]
    if label == "lemma":
        return a[0] == b[0] and not others
    first, second = with_person(a[1], label), with_person(b[1], label)
    return a[0] != b[0] and label in first and first[label] == second.get(label) and not others


@pytest.mark.parametrize(("size", "most"), [(1, 0), (2, 2), (10, 100)])
def test_a_large_group_is_cut_to_a_sample(lexicon, size, most):
    """Two lemmas have forms with a case: of samples of two, each gives at most one pair."""
    plain = options()
    cut = replace(plain, language=replace(plain.language, group_size={"other": size}))
    found = [rows(lexicon, odd_feature_pairs(lexicon, cut, np.random.default_rng(seed))) for seed in range(20)]
    of_case = [sum(row[2] == "Case" for row in of_seed) for of_seed in found]
    assert max(of_case) <= most
    assert any(of_case) == (most > 0)


UNKNOWN = """ev	evdim	N;1S;SG;PST
ev	evimdir	N;1S;SG;PRS
ev	evsindir	N;2S;SG;PRS
al	aldım	V;1;SG;PST
git	gitti	V;3;PL;PST
"""


def lexicon_of(folder: Path, table: str) -> RankedLexicon:
    (folder / "table").write_text(table, encoding="utf-8")
    (folder / "words").write_text(WORDS, encoding="utf-8")
    return read_lexicon([folder / "table"], folder / "words", options(), refuse)


def test_pairs_that_differ_in_an_unknown_code_differ_in_more_than_the_feature(tmp_path):
    """The codes 1S and 2S, persons of nominal predicates, stand in no schema."""
    of_persons = lexicon_of(tmp_path, UNKNOWN)
    forms = {"passed_over": set(), "left_out": set()}
    for rule, found in forms.items():
        pairs = odd_feature_pairs(of_persons, options(unknown_codes=rule), np.random.default_rng(1))
        spelt = of_persons.inflections.forms
        found.update(frozenset(spelt[form] for form in pair) for pair in of_persons.inflections.form_ids[pairs.made_of])
    assert forms["left_out"] == {frozenset(("evdim", "evimdir"))}
    assert forms["passed_over"] == {frozenset(("evdim", "evimdir")), frozenset(("evdim", "evsindir"))}


def test_forms_with_an_unknown_code_share_a_feature_with_none(tmp_path):
    of_persons = lexicon_of(tmp_path, UNKNOWN)
    nouns = {form for form, spelt in enumerate(of_persons.inflections.forms) if spelt.startswith("ev")}
    found = {"passed_over": set(), "left_out": set()}
    for rule, forms in found.items():
        for seed in range(20):
            pairs = same_feature_pairs(of_persons, options(unknown_codes=rule), np.random.default_rng(seed))
            forms.update(of_persons.inflections.form_ids[pairs.made_of].ravel().tolist())
    assert found["passed_over"] & nouns
    assert not found["left_out"] & nouns


POSITIVE_UNTAGGED = """al	aldı	V;3;SG;PST
al	almadı	V;3;SG;PST;NEG
al	alır	V;3;SG;PRS
al	almak	V
"""


@pytest.mark.parametrize(("made_with", "pairs"), [({}, {"aldı-almadı"}), ({"untagged": ["Possession"]}, set())])
def test_a_value_that_has_no_tag_is_one_where_the_language_says_so(made_with, pairs, tmp_path):
    """Turkish of UniMorph 2.0 tags no positive polarity (article, Tables 3 and 4)."""
    verbs = lexicon_of(tmp_path, POSITIVE_UNTAGGED)
    chosen = options(set_by_language=made_with)
    found = odd_feature_pairs(verbs, chosen, np.random.default_rng(1))
    of_polarity = [found.labels[label] == "Polarity" for label in found.label_ids.tolist()]
    forms = verbs.inflections.form_ids[found.made_of[of_polarity]].tolist()
    assert {"-".join(sorted(verbs.inflections.forms[form] for form in pair)) for pair in forms} == pairs


BLANKS = """al	alm	V;IPFV
al	alp	V;PFV
sanoa	sanoo	V;POS;PRS
sanoa	ei sano	V;NEG;PRS
kysyä	kysyi	V;POS;PST
"""


@pytest.mark.parametrize(("features", "odd", "same"), [("any", {"Aspect"}, set()), ("published", set(), {"Polarity"})])
def test_published_sets_pair_no_aspects_and_count_the_labels_of_forms_with_a_blank(tmp_path, features, odd, same):
    """Finnish forms of negative polarity are two words: those that are one share the polarity all the same."""
    (tmp_path / "lexicon").write_text(BLANKS, encoding="utf-8")
    (tmp_path / "words").write_text(WORDS, encoding="utf-8")
    chosen = options(paired_features=features)
    lexicon = read_lexicon([tmp_path / "lexicon"], tmp_path / "words", chosen, refuse)
    assert set(odd_feature_pairs(lexicon, chosen, np.random.default_rng(1)).labels) - {"lemma"} == odd
    assert set(same_feature_pairs(lexicon, chosen, np.random.default_rng(1)).labels) - {"lemma"} == same
