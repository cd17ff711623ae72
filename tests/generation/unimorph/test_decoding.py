import pytest

from polyprobe.generation.unimorph.decoding import RELEASED, Decisions, decode

BUNDLES = {
    "N;LOC;PL": {"Part of Speech": "Noun", "Case": "Locative", "Number": "Plural"},
    "n;loc;pl": {"Part of Speech": "Noun", "Case": "Locative", "Number": "Plural"},
    "N;AT+ABL;SG": {"Part of Speech": "Noun", "Case": "Ablative+At", "Number": "Singular"},
    "N;{NOM/ACC};SG": {"Part of Speech": "Noun", "Case": "Accusative+Nominative", "Number": "Singular"},
    "N|NOM;PL": {"Part of Speech": "Noun", "Case": "Nominative", "Number": "Plural"},
    "N;; NOM ;": {"Part of Speech": "Noun", "Case": "Nominative"},
    "N;GEN(DEF;PL)": {
        "Part of Speech": "Noun",
        "Case": "Genitive",
        "Definiteness": "Definite",
        "Number": "Plural",
    },
    "N;PSS(2,SG);NOM(PL)": {
        "Part of Speech": "Noun",
        "Possession": "Possession by 2.sg",
        "Case": "Nominative",
        "Number": "Plural",
    },
    "V.PTCP;NOM(SG)": {"Part of Speech": "Participle", "Case": "Nominative", "Number": "Singular"},
    "N;PSS2S": {"Part of Speech": "Noun", "Possession": "Possession by 2.sg"},
}


@pytest.mark.parametrize(("bundle", "values"), BUNDLES.items(), ids=BUNDLES)
def test_a_bundle_says_a_value_for_each_dimension(bundle, values):
    for decisions in (Decisions(), RELEASED):
        assert decode(bundle, decisions).values == values
        assert decode(bundle, decisions).unknown == ()


@pytest.mark.parametrize(
    ("bundle", "earlier"),
    [
        ("V;PRS;NOM(1,SG)", "V;PRS;1;SG"),
        ("V;PRS;NOM(1, PL) ", "V;PRS;1;PL"),
        ("V;PST;NOM(PL)", "V;PST;PL"),
        ("V;PRS;NOM(1,SG);ACC(3,PL)", "V;PRS;ARGNO1S+ARGAC3P"),
        ("V;ABS(3,SG);ERG(1,PL);DAT(2,SG)", "V;ARGAB3S+ARGER1P+ARGDA2S"),
    ],
)
def test_agreement_is_read_as_unimorph_wrote_it_before_labels_had_arguments(bundle, earlier):
    assert decode(bundle, Decisions()) == decode(earlier, Decisions())
    assert decode(bundle, Decisions()).unknown == ()


def test_unknown_codes_are_listed_and_the_rest_counts():
    decoded = decode("N;3S;IN+XYZ;LOC;GEADJ", Decisions())
    assert decoded.unknown == ("3S", "XYZ", "GEADJ")
    assert decoded.values == {"Part of Speech": "Noun", "Case": "Locative"}


def test_a_label_with_an_unknown_part_is_unknown_as_a_whole_to_the_released_program():
    assert decode("N;AT+ABLPRS", Decisions()).values == {"Part of Speech": "Noun", "Case": "At"}
    decoded = decode("N;AT+ABLPRS", RELEASED)
    assert (decoded.values, decoded.unknown) == ({"Part of Speech": "Noun"}, ("ABLPRS",))


def test_codes_that_the_released_program_lacks_are_known_to_the_whole_schema_alone():
    assert decode("N;NAKH3", Decisions()).values["Gender"] == "NAKH3"
    assert decode("N;NAKH3", RELEASED).unknown == ("NAKH3",)
    assert decode("PRO;MED", RELEASED).unknown == ("MED",)


@pytest.mark.parametrize("bundle", ["V;V.PTCP;PST", "V.PTCP;V;PST"])
def test_the_narrower_of_two_labels_is_taken_wherever_it_stands(bundle):
    assert decode(bundle, Decisions()).values == {"Part of Speech": "Participle", "Tense": "Past"}
    last = {"V;V.PTCP;PST": "Participle", "V.PTCP;V;PST": "Verb"}[bundle]
    assert decode(bundle, RELEASED).values["Part of Speech"] == last


def test_of_two_labels_neither_of_which_is_narrower_the_last_is_taken_and_said():
    decoded = decode("N;NOM;ACC;SG;SG", Decisions())
    assert (decoded.values["Case"], decoded.undecided) == ("Accusative", ("Case",))
    assert decode("N;NOM;ACC", RELEASED).undecided == ()
