import pytest

from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.sentence_tests.from_dependencies.clause_types import (
    argument_target,
    aspect_target,
    dependency_rules,
    found_targets,
    marked_voice_target,
    tense_target,
    voice_target,
)
from polyprobe.generation.sentence_tests.labelled_sentences import Corpus
from tests.generation.sentence_tests.from_dependencies.small_treebanks import corpus_from, options_with, read_sentence

RULES = dependency_rules("en")
LABELS = RULES.labels

TENSES = {
    "a finite verb": ("Tuli tulla VERB Tense=Past|VerbForm=Fin 0 root", ("tuli", "PAST")),
    "a treebank without VerbForm": ("Geldi gel VERB Tense=Past 0 root", ("geldi", "PAST")),
    "a tense without label": ("Verrà venire VERB Tense=Fut|VerbForm=Fin 0 root", None),
    "several tenses": ("x x VERB Tense=Fut,Past|VerbForm=Fin 0 root", None),
    "a participle": ("gone go VERB Tense=Past|VerbForm=Part 0 root", None),
    "a tense of its auxiliary": ("has have AUX Tense=Pres 2 aux\ngone go VERB Tense=Past 0 root", None),
    "a noun": ("talo talo NOUN _ 0 root", None),
}


def outcome(target):
    return target and (target[0].form, target[1])


@pytest.mark.parametrize(("rows", "expected"), TENSES.values(), ids=TENSES)
def test_tense_is_that_of_the_finite_verb_of_the_main_clause(tmp_path, rows, expected):
    assert outcome(tense_target(read_sentence(tmp_path, rows), LABELS["tense"])) == expected


def test_aspect_is_that_of_the_main_verb_and_an_unnamed_value_its_own_label(tmp_path):
    decided = read_sentence(tmp_path, "решил решить VERB Aspect=Perf 0 root")
    running = read_sentence(tmp_path, "koşuyor koş VERB Aspect=Prog 0 root")
    assert outcome(aspect_target(decided, LABELS["aspect"])) == ("решил", "PERF")
    assert outcome(aspect_target(running, LABELS["aspect"])) == ("koşuyor", "PROG")


VOICES = {
    "annotated": ("puhutaan puhua VERB Voice=Pass 0 root", "PASS", "PASS"),
    "not annotated": ("kommt kommen VERB VerbForm=Fin 0 root", None, "ACT"),
    "a passive auxiliary": ("wird werden AUX _ 2 aux:pass\nverkauft verkaufen VERB _ 0 root", None, "PASS"),
    "a passive subject": ("Es es PRON _ 2 nsubj:pass\nverkauft verkaufen VERB _ 0 root", None, "PASS"),
    "another value": ("yaptırdı yap VERB Voice=Cau 0 root", "CAU", "CAU"),
    "a noun": ("talo talo NOUN _ 0 root", None, None),
}


@pytest.mark.parametrize(("rows", "marked", "unmarked"), VOICES.values(), ids=VOICES)
def test_voice_is_annotated_or_told_from_relations(tmp_path, rows, marked, unmarked):
    sentence = read_sentence(tmp_path, rows)
    found = [target(sentence, LABELS["voice"]) for target in (marked_voice_target, voice_target)]
    assert [one and one[1] for one in found] == [marked, unmarked]


CATS_SLEEP = "Cats cat NOUN Gender=Fem|Number=Plur 2 nsubj:pass\nsleep sleep VERB _ 0 root"
SUBJECTS = {
    "a noun": (CATS_SLEEP, "NNS"),
    "a name": (CATS_SLEEP.replace("NOUN", "PROPN"), None),
    "two subjects": (CATS_SLEEP + "\ndogs dog NOUN Number=Plur 2 nsubj", None),
    "coordinated": (CATS_SLEEP + "\ndogs dog NOUN Number=Plur 1 conj", None),
    "no number": (CATS_SLEEP.replace("|Number=Plur", ""), None),
    "the subject of another clause": (CATS_SLEEP.replace("2 nsubj", "3 nsubj") + "\nsays say VERB _ 2 ccomp", None),
}


@pytest.mark.parametrize(("rows", "label"), SUBJECTS.values(), ids=SUBJECTS)
def test_the_number_is_that_of_the_only_noun_that_is_the_subject(tmp_path, rows, label):
    found = argument_target(read_sentence(tmp_path, rows), LABELS["number"], "nsubj", "Number")
    assert (found and found[1]) == label


def test_the_gender_is_that_of_the_noun_and_several_are_none(tmp_path):
    def gender(rows):
        return argument_target(read_sentence(tmp_path, rows), LABELS["gender"], "nsubj", "Gender")

    assert outcome(gender(CATS_SLEEP)) == ("cats", "F")
    assert gender(CATS_SLEEP.replace("Fem", "Fem,Masc")) is None


def came(form, tense, extra=""):
    return f"Hän hän PRON _ 2 nsubj\n{form} {form} VERB Tense={tense} 0 root{extra}"


def tense_of(corpus, **changes):
    options = options_with(**changes)
    return found_targets(corpus, "Tense", lambda one: tense_target(one, LABELS["tense"]), options, RULES)


def test_a_target_of_several_parts_of_speech_is_left_out(tmp_path):
    corpus = corpus_from(
        tmp_path, came("tuli", "Past"), came("on", "Pres"), came("näki", "Past", "\ntuli tuli NOUN _ 2 obj")
    )
    found = tense_of(corpus)
    assert [one.targets for one in found.sentences] == [("on",), ("näki",)]
    assert found.sentences[1].origin["target"] == "näki"
    assert [step.taken for step in found.steps] == [0, 0, 1, 0]
    kept = tense_of(corpus, parts_of_speech="any")
    assert len(kept.sentences) == 3


def test_names_and_auxiliaries_are_no_other_parts_of_speech(tmp_path):
    corpus = corpus_from(tmp_path, came("on", "Pres"), came("tuli", "Past", "\non olla AUX _ 2 aux"))
    assert len(tense_of(corpus).sentences) == 2


def test_a_target_that_shares_its_token_is_left_out(tmp_path):
    shared = "1-2 dámelo\nda dar VERB Tense=Pres 0 root\nmelo melo PRON _ 1 obj"
    corpus = corpus_from(tmp_path, shared, came("a", "Pres"), came("b", "Past"))
    found = tense_of(corpus)
    assert [one.targets for one in found.sentences] == [("a",), ("b",)]


def test_a_frequency_window_holds_for_targets_where_one_is_set(tmp_path):
    found = corpus_from(tmp_path, came("a", "Pres"), came("b", "Past"), came("c", "Past"))
    corpus = Corpus(found.sentences, {"a": 200, "b": 150, "c": 99}, 1.0)
    assert [one.targets for one in tense_of(corpus, target_frequency=(100, 5000)).sentences] == [("a",), ("b",)]


def test_a_third_label_that_is_rare_is_left_out(tmp_path):
    values = ["Perf"] * 30 + ["Imp"] * 2 + ["Rapid"]
    rows = [f"x{number} x VERB Aspect={value} 0 root" for number, value in enumerate(values)]
    corpus = corpus_from(tmp_path, *rows)
    found = found_targets(corpus, "Aspect", lambda one: aspect_target(one, LABELS["aspect"]), options_with(), RULES)
    assert {one.label for one in found.sentences} == {"PERF", "IMPERF"}
    assert found.steps[-1].taken == 1


def test_a_treebank_with_one_value_or_none_has_no_test(tmp_path):
    with pytest.raises(TooFew, match="Tense: the labels are PAST 1; a test needs two"):
        tense_of(corpus_from(tmp_path, came("tuli", "Past")))
    with pytest.raises(TooFew, match="Tense: no sentence of the treebank"):
        tense_of(corpus_from(tmp_path, "talo talo NOUN _ 0 root"))
