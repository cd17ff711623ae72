import pytest

from polyprobe.generation.token_tests.treebank_words import basic_labels, bundle_of, language_labels

CASES = {
    "possessor": ("NOUN", "Case=Loc|Number=Sing|Number[psor]=Sing|Person[psor]=3", "ESS;N;PSS3S;SG"),
    "possessor that is none": ("NOUN", "Person[psor]=None", "N;PSSD"),
    "argument": ("VERB", "Number[erg]=Plur|Person[erg]=1", "ARGER1P;V"),
    "several values": ("DET", "Gender=Fem,Masc|Case=Acc,Del", "DET;{ACC};{FEM/MASC}"),
    "two labels of one value": ("NOUN", "Case=Add", "IN+ALL;LGSPEC1;N"),
    "nothing": ("PUNCT", "_", "_"),
    "unmapped": ("NUM", "NumType=Card", "NUM"),
    "verb form and part of speech": ("VERB", "VerbForm=Part|Tense=Pqp", "PST+PRF;V;V.PTCP"),
}


@pytest.mark.parametrize(("upos", "feats", "labels"), CASES.values(), ids=CASES)
def test_pairs_of_feature_and_value_are_looked_up(upos, feats, labels):
    assert bundle_of(basic_labels(upos, feats)) == labels


RULES = {
    "tr, a noun": ("tr", "ev", "3;N;NOM;SG", "N;NOM;SG"),
    "tr, a name": ("tr", "Ali", "3;NOM;PROPN;SG", "3;NOM;PROPN;SG"),
    "fi": ("fi", "on", "3;FIN;SG;V", "3;POS;SG;V"),
    "de": ("de", "gegangen", "V;V.PTCP", "PST;V.PTCP"),
    "es, past without participle": ("es", "comió", "FIN;IND;PST;V", "IND;PFV;PST;V"),
    "es, the past of the imperfect is not perfective": ("es", "comía", "IND;IPFV;V", "IND;IPFV;PST;V"),
    "es, subjunctive in -ra": ("es", "comiera", "IPFV;SBJV;V", "LGSPEC1;PST;SBJV;V"),
    "es, subjunctive in -se": ("es", "comiese", "IPFV;SBJV;V", "PST;SBJV;V"),
    "en": ("en", "eating", "V;V.MSDR", "PRS;V;V.PTCP"),
    "ru has no rules": ("ru", "он", "3;FIN;SG;V", "3;FIN;SG;V"),
}


@pytest.mark.parametrize(("language", "form", "basic", "labels"), RULES.values(), ids=RULES)
def test_rules_of_a_language_change_what_the_table_gives(language, form, basic, labels):
    assert bundle_of(language_labels(language, form, frozenset(basic.split(";")))) == labels
