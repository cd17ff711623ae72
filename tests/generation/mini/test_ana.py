"""Ana: words, order, agreement, and that every word of a sentence is translated once."""

import re
from collections import Counter

import pytest

from polyprobe.generation.mini import renderings
from polyprobe.generation.mini.data_files import settings_of, table
from polyprobe.generation.mini.lexicon import adjectives, names, nouns, verbs
from polyprobe.generation.mini.phrases import Node, Word, finished, pronoun
from polyprobe.generation.mini.sentences import joined_by, punctuation, sentences_by_split

ENDINGS = {"NOUN": "o", "VERB": "a", "ADJ": "e", "ADV": "i"}


def noun(form, lemma, bundle, relation, *before):
    return Node(form, lemma, "NOUN", bundle, relation, before=list(before))


def verb(form, lemma, bundle, roles, before, after=(), relation="root"):
    arguments = [(role, node) for role, node in roles.items()]
    return Node(form, lemma, "VERB", bundle, relation, "_", list(before), list(after), f"{lemma}.01", arguments)


def translation(root):
    root.after.append(punctuation("."))
    return " ".join(renderings.translated(finished(root)))


def test_case_and_person_become_order_and_particles():
    book = noun("kitabı", "kitap", "N;ACC;SG", "obj")
    teacher = noun("öğretmene", "öğretmen", "N;DAT;SG", "obl")
    gave = verb("vermediler", "ver", "V;IND;3;PL;PST;NEG;DECL", {"A1": book, "A2": teacher}, [book, teacher])
    assert translation(gave) == "Patiko ga lin nen pa revas ad nemtergheoo ."


def test_a_subject_in_the_first_place_leaves_the_order_alone_and_what_is_behind_the_verb_is_last():
    who, book = pronoun("1SG", "NOM", "nsubj"), noun("kitabı", "kitap", "N;ACC;SG", "obj")
    read = verb("okuyorum", "oku", "V;IND;1;SG;PRS;PROG;POS;DECL", {"A0": who, "A1": book}, [who], [book])
    assert translation(read) == "Mi nun ukoa yo patiko ."


def test_a_complement_in_another_case_is_an_object_without_preposition():
    child, car = noun("çocuk", "çocuk", "N;NOM;SG", "nsubj"), noun("arabaya", "araba", "N;DAT;SG", "obl")
    looked = verb("bakacak", "bak", "V;IND;3;SG;FUT;POS;DECL", {"A0": child, "A1": car}, [child, car])
    assert translation(looked) == "Kucocho va kaba abarao ."


def test_a_noun_after_a_numeral_is_plural_with_its_adjective_and_its_verb():
    two, young = Node("iki", "iki", "NUM", "NUM", "nummod"), Node("genç", "genç", "ADJ", "ADJ", "amod")
    cats = noun("kedi", "kedi", "N;NOM;SG", "nsubj", two, young)
    sleeps = verb("uyur", "uyu", "V;IND;3;SG;PRS;POS;DECL", {"A0": cats}, [cats])
    assert translation(sleeps) == "Ikiu idekos chneges uyuas ."


def test_possessors_stand_behind_as_names_or_as_pronouns():
    owner = Node("Ali'nin", "Ali", "PROPN", "PROPN;GEN;SG", "nmod:poss")
    house, door = noun("evi", "ev", "N;NOM;SG;PSS3S", "nsubj", owner), noun("kapımı", "kapı", "N;ACC;PL;PSS1S", "obj")
    was = verb("bozmuş", "boz", "V;IND;3;SG;PST;NFH;POS;DECL", {"A0": house, "A1": door}, [house, door])
    assert translation(was) == "Veo de Ali dik pa zoba ypakos de mi ."


def test_an_adjective_has_a_copula_and_the_person_of_its_form():
    very = Node("çok", "çok", "ADV", "ADV", "advmod")
    happy = Node("mutluyduk", "mutlu", "ADJ", "ADJ;LGSPEC1;PST;1;PL;POS;DECL", "root", before=[very])
    assert translation(happy) == "Min pa est kochi ultumes ."


def test_the_second_clause_has_its_connective_and_its_own_subject():
    slept = verb("uyudum", "uyu", "V;IND;1;SG;PST;POS;DECL", {}, [])
    ran = verb("koştun", "koş", "V;IND;2;SG;PST;POS;DECL", {}, [], relation="conj")
    slept.after.append(joined_by("ama", ran))
    assert translation(slept) == "Mi pa uyua , amau ti pa shoka ."


def test_no_two_words_have_one_translation():
    lemmas = [*(("NOUN", one.lemma) for one in nouns()), *(("VERB", one.root) for one in verbs())]
    lemmas += [*(("ADJ", one.lemma) for one in adjectives()), *(("PROPN", one.lemma) for one in names())]
    lemmas += [
        *(("ADV", row["form"]) for row in table("adverbs")),
        *(("NUM", one) for one in settings_of("sentences")["numerals"]),
    ]
    translations = [renderings.ana_word(Word(lemma, lemma, upos, "", "_", 0, "", 0, 0)) for upos, lemma in lemmas]
    particles = re.findall(
        r"\w+", str([value for key, value in settings_of("ana").items() if key not in ("letters", "endings")])
    )
    assert len(set(translations)) == len(lemmas)
    assert not set(translations) & set(particles)


@pytest.fixture(scope="module")
def sentences():
    return [one for split in sentences_by_split(seed=3).values() for one in split]


def test_every_word_with_a_meaning_is_translated_once(sentences):
    letters = str.maketrans({"ç": "ch", "ş": "sh", "ğ": "gh", "ı": "y", "ö": "eo", "ü": "eu", "â": "a"})
    for sentence in sentences:
        found = Counter(word.lower().removesuffix("s") for word in renderings.translated(sentence))
        content = [word for word in sentence.words if word.upos in ENDINGS]
        wanted = Counter(word.lemma[::-1].translate(letters) + ENDINGS[word.upos] for word in content)
        assert wanted <= found, sentence.text


def test_every_clause_has_a_subject(sentences):
    subjects = set(settings_of("ana")["pronouns"].values())
    for sentence in sentences[:200]:
        named = sum(word.relation == "nsubj" for word in sentence.words)
        n_clauses = 1 + sum(word.relation == "conj" for word in sentence.words)
        pronouns = [word for word in renderings.translated(sentence) if word.lower() in subjects]
        assert len(pronouns) >= n_clauses - named
