"""Which forms a test of one feature keeps, beside a plain reading of the rules of the article and of its program."""

import unicodedata
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tests.generation.kept_forms import kept_forms

FEATURES = {
    "Case": {"NOM": "Nominative", "ACC": "Accusative", "AT": "At", "ABL": "Ablative", "IN": "In", "ESS": "Essive"},
    "Number": {"SG": "Singular", "PL": "Plural"},
    "Person": {"1": "First person", "3": "Third person"},
    "Part of Speech": {"N": "Noun", "V": "Verb", "V.PTCP": "Participle"},
    "Tense": {"PRS": "Present", "PST": "Past"},
    "Possession": {"PSS1S": "Possession by 1.sg"},
    "Interrogativity": {"DECL": "Declarative", "INT": "Interrogative"},
    "Valency": {"INTR": "Intransitive"},
}
CODES = {code: (name, value) for name, codes in FEATURES.items() for code, value in codes.items()}
PROX = {"article": ("Deixis", "Proximate"), "released": ("Case", "Proximate")}
UNKNOWN = ("2S", "3P", "GEADJ", "XX")
JOINED = ("AT+ABL", "{ACC/NOM}", "IN+ESS", "acc/nom", "AT+XX")
Triple = tuple[str, str, str]


def decoded(bundle: str, rules: str) -> dict[str, str]:
    """The values of a bundle; unknown codes say nothing, and of two labels of a dimension the last one counts."""
    codes, values = {**CODES, "PROX": PROX[rules]}, {}
    for label in bundle.upper().replace("{", "").replace("}", "").replace("/", "+").replace("|", ";").split(";"):
        parts = label.split("+")
        if label in UNKNOWN or label == "":
            continue
        if rules == "article" and label == "V" and values.get("Part of Speech") == "Participle":
            continue  # a participle is a verb, too: wherever it stands it says more
        if rules == "released" and not all(part in codes for part in parts):
            continue  # "AT+XX": a label with an unknown part is unknown; by the article what is known counts
        known = [part for part in parts if part in codes]
        values[codes[known[0]][0]] = "+".join(sorted(codes[part][1] for part in known))
    return values


def kept_by_definition(triples: list[Triple], feature: str, rules: str) -> dict[str, str]:
    labels: dict[str, list[str]] = {}
    has_part_of_speech: dict[str, bool] = {}
    for _, form, bundle in triples:
        values = decoded(bundle, rules)
        if feature == "Person" and "Number" in values and "Person" in values:
            values["Person"] += f" {values['Number']}"
        elif feature == "Person":
            values.pop("Person", None)
        if " " in form or feature not in values:
            continue
        spelling = unicodedata.normalize("NFC", form) if rules == "article" else form
        labels.setdefault(spelling, []).append(values[feature])
        has_part_of_speech[spelling] = "Part of Speech" in values
    if rules == "article":
        return {form: of_form[0] for form, of_form in labels.items() if len(set(of_form)) == 1}
    is_needed = any(len(of_form) > 1 for of_form in labels.values())  # where forms go, those without it go, too
    once = {form: of_form[0] for form, of_form in labels.items() if len(of_form) == 1}
    return {form: label for form, label in once.items() if has_part_of_speech[form] or not is_needed}


bundles = st.lists(st.sampled_from([*CODES, "PROX", *UNKNOWN, *JOINED, "nom", "v.ptcp", ""]), min_size=1, max_size=6)
triples = st.tuples(
    st.sampled_from(["ev", "göl"]),
    st.sampled_from(["ev", "Ev", "evi", "evler", "ev mi", "g\u00f6l", "go\u0308l", "ışık", "a\u00a0b"]),
    st.tuples(bundles, st.sampled_from([";", "|"])).map(lambda drawn: drawn[1].join(drawn[0]) or "N"),
)


@st.composite
def lexica(draw) -> tuple[list[Triple], bytes]:
    """Triples, some of them twice, and a file of them in one of the layouts that there are."""
    drawn = draw(st.lists(triples, min_size=1, max_size=12))
    drawn += draw(st.lists(st.sampled_from(drawn), max_size=2))
    cells = [(*triple, "-") if len(drawn) % 2 else triple for triple in drawn]
    end, mark = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["", "\ufeff"]))
    text = mark + draw(st.sampled_from([end, 2 * end])).join(map("\t".join, cells)) + draw(st.sampled_from([end, ""]))
    return drawn, text.encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("lexica") / "lexicon.txt"


@settings(max_examples=150)
@given(lexica(), st.sampled_from([*FEATURES, "Deixis"]), st.sampled_from(["article", "released"]))
def test_kept_forms_are_those_of_the_definition_in_the_order_of_the_file(path, lexicon, feature, rules):
    rows, content = lexicon
    if (feature, rules) == ("Deixis", "released"):
        feature = "Case"  # the released program has no such dimension
    path.write_bytes(content)
    found = kept_forms(path, feature, rules)
    assert list(found.items()) == list(kept_by_definition(rows, feature, rules).items())
