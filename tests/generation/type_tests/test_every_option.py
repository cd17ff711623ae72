"""Every option of type-level tests, each on a lexicon of a few lines: what it changes is what is said of it."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.type_level import make_test
from polyprobe.generation.type_tests.form_pairs import odd_feature_pairs, same_feature_pairs
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.single_forms import (
    counted_candidates,
    feature_candidates,
    part_of_speech_candidates,
)
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions, options_of
from polyprobe.generation.unimorph.decoding import Decisions
from polyprobe.splits import SPLITS

PLAIN = {"split": "random", "sizes": "scaled", "sampling_factors": "none", "least_of_label": 1}
SMALL = {"train": 210, "dev": 60, "test": 30}

Observe = Callable[[RankedLexicon, TypeLevelOptions], Any]


def forms_of(feature: str) -> Observe:
    """Observes the forms with one label of a feature."""

    def observe(lexicon, options):
        found = feature_candidates(lexicon, feature, options)
        return spelt(lexicon, found.chosen(np.flatnonzero(~found.is_none)))

    return observe


def spelt(lexicon, candidates) -> dict[str, str]:
    forms = lexicon.inflections.form_ids[candidates.made_of[:, 0]]
    labels = candidates.label_ids.tolist()
    return {lexicon.inflections.forms[f]: candidates.labels[n] for f, n in zip(forms.tolist(), labels, strict=True)}


def parts_of_speech(lexicon, options):
    return spelt(lexicon, part_of_speech_candidates(lexicon, options))


def counted(lexicon, options):
    return spelt(lexicon, counted_candidates(lexicon, "TagCount", options))


def with_unknown_codes(lexicon, options):
    """Observes what triples with an unknown code can be in: TagCount, None of Tense."""
    tense = feature_candidates(lexicon, "Tense", options)
    return counted(lexicon, options), set(spelt(lexicon, tense.chosen(np.flatnonzero(tense.is_none))))


def pairs_by(find: Callable[..., Any], label: str, seeds: int = 20) -> Observe:
    """Observes the pairs with a label, whichever comes first, that any of many draws gives."""

    def observe(lexicon, options):
        found = set()
        for seed in range(seeds):
            candidates = find(lexicon, options, np.random.default_rng(seed))
            forms = lexicon.inflections.form_ids[candidates.made_of]
            for pair, number in zip(forms, candidates.label_ids.tolist(), strict=True):
                if candidates.labels[number] == label:
                    found.add("-".join(sorted(lexicon.inflections.forms[form] for form in pair)))
        return found

    return observe


def most_pairs(find: Callable[..., Any], label: str) -> Observe:
    """Observes how many pairs with a label one draw gives at most."""

    def observe(lexicon, options):
        counts = []
        for seed in range(20):
            candidates = find(lexicon, options, np.random.default_rng(seed))
            counts.append(sum(candidates.labels[number] == label for number in candidates.label_ids.tolist()))
        return max(counts)

    return observe


def drawn(what: Callable[[RankedLexicon, Any], Any]) -> Observe:
    """Observes something of the test of Case."""

    def observe(lexicon, options):
        try:
            return what(lexicon, make_test(lexicon, "Case", options))
        except TooFew:
            return "too few"

    return observe


def items(lexicon, test) -> list[int]:
    return [len(test.splits[split]) for split in SPLITS]


def n_none(lexicon, test) -> int:
    return sum(int(test.splits[split].is_none.sum()) for split in SPLITS)


def n_frequent(lexicon, test) -> int:
    return sum(int((test.splits[s].is_frequent & ~test.splits[s].is_none).sum()) for s in SPLITS)


def lemmas_in_two_splits(lexicon, test) -> bool:
    lemmas = [set(lexicon.inflections.lemma_ids[test.splits[split].made_of[:, 0]].tolist()) for split in SPLITS]
    return bool(lemmas[0] & (lemmas[1] | lemmas[2]))


def has_all_datives(lexicon, test) -> bool:
    datives = test.candidates.labels.index("Dative")
    return sum(int((test.splits[split].label_ids == datives).sum()) for split in SPLITS) == 50


NOUNS = "ev ev N;NOM;SG|ev evler N;NOM;PL|ev evlerde N;LOC;PL|at atlar N;NOM;PL|at atlar N;ACC;PL"
POSSESSED = "ev ev N;NOM;SG|ev evim N;NOM;SG;PSS1S|ev evin N;NOM;SG;PSS2S"
BORDER = "at at N;SG|ev ev N;SG|at ata N;SG|kol kol N;SG"  # the first of each half are forms of one lemma
VERBS = "al aldı V;PST;SG|al alır V;PRS;SG|git gitti V;PST;PL|git gider V;PRS;PL|gel geldi V;PST;PL|gel gelir V;PRS;SG"
LARGE = "|".join(  # 300 nouns with a case, a third of them dative, and 300 verbs
    [f"n{n} n{n} N;{'DAT' if n % 3 == 0 else 'NOM'}|n{n} n{n}x N;NOM" for n in range(150)]
    + [f"v{n} v{n} V;PST|v{n} v{n}x V;PRS" for n in range(150)]
)
WORDS = " ".join(f"n{n}" for n in range(100))


class Case(NamedTuple):
    """A lexicon, what is observed of it, and what is to be seen by the value of the option."""

    lexicon: str
    observe: Observe
    expected: Mapping[Any, Any]
    words: str = "ev"
    others: Mapping[str, Any] = {}
    language: str = "xx"


CASES = {
    "ambiguity": Case(
        NOUNS,
        forms_of("Number"),
        {
            "values": {"ev": "Singular", "evler": "Plural", "evlerde": "Plural", "atlar": "Plural"},
            "occurrences": {"ev": "Singular", "evler": "Plural", "evlerde": "Plural"},
        },
    ),
    "unknown_codes": Case(
        "ev evim N;XX;SG|ev ev N;YY;SG|al al V;SG|al aldı V;PST;SG|al alır V;PRS;SG",
        with_unknown_codes,
        {
            "left_out": ({"al": "2", "aldı": "3", "alır": "3"}, {"al"}),
            "passed_over": ({"al": "2", "aldı": "3", "alır": "3", "ev": "2", "evim": "2"}, {"al", "ev", "evim"}),
        },
    ),
    "repeated_pairs": Case(
        "ev ev N;NOM;SG|ev evi N;ACC;SG|ev evi N;NOM;PL",
        lambda lexicon, options: len(odd_feature_pairs(lexicon, options, np.random.default_rng(1))),
        {"kept": 2, "left_out": 1},
    ),
    "tag_count_sample": Case(
        NOUNS,
        counted,
        {
            "unambiguous": dict.fromkeys(("ev", "evler", "evlerde"), "3"),
            "first_triple": dict.fromkeys(("ev", "evler", "evlerde", "atlar"), "3"),
        },
    ),
    "paired_features": Case(
        "al aldı V;PFV|al alırdı V;IPFV",
        pairs_by(odd_feature_pairs, "Aspect"),
        {"any": {"aldı-alırdı"}, "published": set()},
    ),
    "odd_possession": Case(
        POSSESSED,
        pairs_by(odd_feature_pairs, "Possession"),
        {"any": {"ev-evim", "ev-evin", "evim-evin"}, "possessed": {"evim-evin"}},
    ),
    "odd_lemma_pairs": Case(
        BORDER,
        pairs_by(odd_feature_pairs, "lemma"),
        {"checked": {"ev-kol"}, "as_drawn": {"at-ata", "ev-kol"}},
    ),
    "same_lemma_pairs": Case(
        "ev evler N;NOM;PL|ev ev N;NOM;SG|ev evi N;ACC;SG",
        pairs_by(same_feature_pairs, "lemma"),
        {"checked": {"evi-evler"}, "as_drawn": {"evi-evler", "ev-evler", "ev-evi"}},
    ),
    "same_feature_sample": Case(VERBS, most_pairs(same_feature_pairs, "Tense"), {1: 1, 2: 2}),
    "pair_frequency": Case(
        VERBS,
        lambda lexicon, options: odd_feature_pairs(lexicon, options, np.random.default_rng(1)).frequent_share,
        {"share": 0.8, "coin": None},
    ),
    "lower_case": Case(
        "IŞIK IŞIK N;SG",
        lambda lexicon, _: lexicon.ranks.tolist(),
        {"language": [1], "python": [0]},
        "ışık",
        {"set_by_language": {"dotless_i": True}},
    ),
    "normalization": Case(
        "göl g\u00f6l N;SG|göl go\u0308l N;SG",
        lambda lexicon, _: len(lexicon.inflections.forms),
        {"nfc": 1, "kept": 2},
    ),
    "sampling_factors": Case(
        VERBS, most_pairs(same_feature_pairs, "Tense"), {"released": 0, "none": 4}, "ev", {}, "tr"
    ),
    "decoding.schema": Case(
        "a a N;REMT|a b N;SG",
        lambda lexicon, _: "Deixis" in lexicon.decoded.features(),
        {"whole": True, "released": False},
    ),
    "decoding.two_labels": Case(
        "al alan V.PTCP;V|al al V",
        parts_of_speech,
        {"specific": {"alan": "Participle", "al": "Verb"}, "last": {"alan": "Verb", "al": "Verb"}},
    ),
    "decoding.prox": Case(
        "a a N;PROX",
        lambda lexicon, _: lexicon.decoded.features(),
        {"deixis": ("Deixis", "Part of Speech"), "case": ("Case", "Part of Speech")},
    ),
    "decoding.intr": Case(
        "a a V;INTR",
        lambda lexicon, _: lexicon.decoded.features(),
        {"valency": ("Part of Speech", "Valency"), "interrogative": ("Interrogativity", "Part of Speech")},
    ),
    "decoding.unknown_part": Case(
        "ev eve N;AT+XX|ev ev N;NOM",
        forms_of("Case"),
        {"itself": {"eve": "At", "ev": "Nominative"}, "label": {"ev": "Nominative"}},
    ),
    "decoding.person": Case(
        "al alır V;3;SG|al almak V;3",
        forms_of("Person"),
        {"with_number": {"alır": "Third person Singular"}, "alone": {"alır": "Third person", "almak": "Third person"}},
    ),
    "least_of_label": Case(
        NOUNS,
        forms_of("Case"),
        {
            1: {"ev": "Nominative", "evler": "Nominative", "evlerde": "Locative"},
            3: {"ev": "Nominative", "evler": "Nominative"},
        },
    ),
    "none_share": Case(LARGE, drawn(n_none), {0.0: 0, 0.3: 90, 0.5: 150}, WORDS, {"items": SMALL}),
    "frequent_share": Case(LARGE, drawn(n_frequent), {0.2: 42, 0.4: 84, 0.8: 100}, WORDS, {"items": SMALL}),
    "odd_half": Case(
        "|".join(f"n{n} n{n} N;SG" for n in range(20)), most_pairs(odd_feature_pairs, "lemma"), {100: 10, 3: 3}
    ),
    "same_lemma_sample": Case(
        "|".join(f"n{n} n{n} N;SG|n{n} n{n}x N;PL" for n in range(9)),
        lambda lexicon, options: most_pairs(same_feature_pairs, "lemma")(lexicon, options) >= 9,
        {400: True, 1: False},
    ),
    "sizes": Case(
        LARGE,
        drawn(items),
        {"scaled": [280, 80, 40], "published": "too few"},
        WORDS,
        {"items": {"train": 700, "dev": 200, "test": 100}},
    ),
    "split": Case(
        LARGE, drawn(lemmas_in_two_splits), {"lemma": False, "random": True}, WORDS, {"items": SMALL, "none_share": 0.0}
    ),
    "balance": Case(LARGE, drawn(has_all_datives), {"labels": True, "none": False}, WORDS, {"items": SMALL}),
}


@pytest.mark.parametrize("option", CASES)
def test_an_option_changes_what_is_said_of_it(option, tmp_path):
    case = CASES[option]
    (tmp_path / "lexicon").write_text(case.lexicon.replace(" ", "\t").replace("|", "\n") + "\n", encoding="utf-8")
    (tmp_path / "words").write_text(case.words.replace(" ", "\n") + "\n", encoding="utf-8")
    for value, expected in case.expected.items():
        name, _, part = option.partition(".")
        change = {name: {part: value} if part else value}
        options = options_of("article", case.language, 1, **{**PLAIN, **case.others, **change})
        lexicon = read_lexicon([tmp_path / "lexicon"], tmp_path / "words", options, refuse)
        assert case.observe(lexicon, options) == expected, value


def test_no_option_is_forgotten():
    of_every_test = {"seed", "language", "items"}
    names = {field.name for field in dataclasses.fields(TypeLevelOptions)}
    assert {option.partition(".")[0] for option in CASES} == names - of_every_test
    assert {f"decoding.{field.name}" for field in dataclasses.fields(Decisions)} <= set(CASES)
