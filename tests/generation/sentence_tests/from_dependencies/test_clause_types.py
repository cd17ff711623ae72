import pytest

from polyprobe.generation.sentence_tests.from_dependencies.clause_types import (
    conjunction_type,
    dependency_rules,
    impersonality,
)
from tests.generation.sentence_tests.from_dependencies.small_treebanks import read_sentence

HE_CAME_AND_SHE_WENT = """
    He he PRON _ 2 nsubj
    came come VERB _ 0 root
    and and CCONJ _ 5 cc
    she she PRON _ 5 nsubj
    went go VERB _ 2 conj
"""
HE_CAME_AND_WENT = """
    He he PRON _ 2 nsubj
    came come VERB _ 0 root
    and and CCONJ _ 4 cc
    went go VERB _ 2 conj
"""
HE_CAME_WHEN_SHE_WENT = """
    He he PRON _ 2 nsubj
    came come VERB _ 0 root
    when when SCONJ _ 5 mark
    she she PRON _ 5 nsubj
    went go VERB _ 2 advcl
"""
BOTH = f"""{HE_CAME_WHEN_SHE_WENT.rstrip()}
    and and CCONJ _ 8 cc
    I I PRON _ 8 nsubj
    sat sit VERB _ 2 conj
"""
CATS_AND_DOGS_CAME = """
    Cats cat NOUN _ 4 nsubj
    and and CCONJ _ 3 cc
    dogs dog NOUN _ 1 conj
    came come VERB _ 0 root
"""
AND_HE_CAME = """
    And and CCONJ _ 3 cc
    he he PRON _ 3 nsubj
    came come VERB _ 0 root
"""
GOING = HE_CAME_WHEN_SHE_WENT.replace("VERB _ 2 advcl", "VERB VerbForm=Part 2 advcl")
IS_GOING = f"{GOING.rstrip()}\nis be AUX VerbForm=Fin 5 aux"
CONJUNCTIONS = {
    "two clauses": (HE_CAME_AND_SHE_WENT, "CCONJ"),
    "two verbs of one subject": (HE_CAME_AND_WENT, None),
    "a clause that depends on the other": (HE_CAME_WHEN_SHE_WENT, "SCONJ"),
    "a clause without finite verb": (GOING, None),
    "a clause with a finite auxiliary": (IS_GOING, "SCONJ"),
    "clauses of both kinds": (BOTH, None),
    "coordinated nouns": (CATS_AND_DOGS_CAME, None),
    "a conjunction at the start": (AND_HE_CAME, None),
}


@pytest.mark.parametrize(("rows", "label"), CONJUNCTIONS.values(), ids=CONJUNCTIONS)
def test_the_conjunction_that_joins_clauses_is_the_label(tmp_path, rows, label):
    found = conjunction_type(read_sentence(tmp_path, rows), dependency_rules("en"))
    assert (found and found.label) == label


IMPERSONAL = {
    "dusk fell": ("Стемнело стемнеть VERB Gender=Neut|Number=Sing|Tense=Past 0 root", "1"),
    "one may enter": ("Можно можно ADV _ 0 root\nвойти войти VERB VerbForm=Inf 1 csubj", "0"),
    "one may": ("Здесь здесь ADV _ 2 advmod\nможно можно ADV _ 0 root", "1"),
    "he came": ("Он он PRON _ 2 nsubj\nпришёл прийти VERB Gender=Masc|Number=Sing|Tense=Past 0 root", "0"),
    "it dawned on him, with a subject": (
        "Оно оно PRON _ 2 nsubj\nбыло быть VERB Gender=Neut|Number=Sing|Tense=Past 0 root",
        "0",
    ),
    "came, whoever it was": ("Пришёл прийти VERB Gender=Masc|Number=Sing|Tense=Past 0 root", None),
}


@pytest.mark.parametrize(("rows", "label"), IMPERSONAL.values(), ids=IMPERSONAL)
def test_a_sentence_without_subject_is_impersonal_where_a_rule_says_so(tmp_path, rows, label):
    found = impersonality(read_sentence(tmp_path, rows), dependency_rules("ru"))
    assert (found and found.label) == label
