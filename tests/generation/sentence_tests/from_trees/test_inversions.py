from collections import Counter

import numpy as np
import pytest

from polyprobe.generation.sentence_tests.from_trees.changed_sentences import bigram_shifts, coordination_inversions
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import corpus_of_trees, sentence_of, sentences_of_grammar

OPTIONS = sentence_options("trees", 1)


def found_by(find, *sentences):
    return find(corpus_of_trees(*sentences), OPTIONS, np.random.default_rng(1))


def test_half_of_the_sentences_have_two_neighbours_swapped_and_nothing_else(tmp_path):
    sentences = sentences_of_grammar(tmp_path, 200)
    found = found_by(bigram_shifts, *sentences)
    assert Counter(one.label for one in found.sentences) == {"I": 100, "O": 100}
    for one, original in zip(found.sentences, sentences, strict=True):
        differing = [n for n, pair in enumerate(zip(one.words, original.words, strict=True)) if len(set(pair)) == 2]
        if one.label == "O":
            assert differing == []
            continue
        place = one.origin["swapped"]
        assert differing == [place, place + 1]
        assert one.words[place : place + 2] == original.words[place : place + 2][::-1]
        assert place > 0
        assert not {",", "."} & set(one.words[place : place + 2])


@pytest.mark.parametrize(
    ("tree", "taken"),
    [
        ("(ROOT (S (`` ``) (NP (NNS Old) (NNS cats) (NNS sleep)) ('' '')))", [1, 0]),
        ("(ROOT (S (“ “) (NP (NNS Old) (NNS cats) (NNS sleep)) (” ”)))", [1, 0]),
        ("(ROOT (S (NP (NN Rain)) (, ,) (NP (NN rain)) (, ,) (NP (NN rain))))", [0, 1]),
        ("(ROOT (S (NP (NNS The)) (VP (VBD had) (VBN had)) (. .)))", [0, 1]),
        ("(ROOT (S (NP (NNS Cats)) (VP (VBP sleep)) (. .)))", [0, 1]),
    ],
)
def test_sentences_with_double_quotes_or_nothing_to_swap_are_left_out(tree, taken, tmp_path):
    found = found_by(bigram_shifts, sentence_of(tree, tmp_path))
    assert found.sentences == []
    assert [step.taken for step in found.steps] == taken


HE_CAME = "(S (NP (PRP {he})) (VP (VBD came)))"
SHE_LEFT = "(S (NP (PRP she)) (VP (VBD left) (NP (NN home))))"


def pair_of(first, second, tmp_path):
    """A sentence whose first clause is the longer one and one whose second is: either may be the inverted one."""
    return [
        sentence_of(f"(ROOT (S {first} (, ,) (CC but) {second} (. .)))", tmp_path),
        sentence_of(f"(ROOT (S {SHE_LEFT.replace('she', 'They')} (CC and) {HE_CAME.format(he='we')} (. .)))", tmp_path),
    ] * 2


@pytest.mark.parametrize(
    ("he", "inverted"),
    [
        ("He", "She left home , but he came ."),
        ("I", "She left home , but I came ."),
        ("NASA", "She left home , but NASA came ."),
    ],
)
def test_clauses_change_places_around_comma_and_conjunction(he, inverted, tmp_path):
    found = found_by(coordination_inversions, *pair_of(HE_CAME.format(he=he), SHE_LEFT, tmp_path))
    of_label = {one.label: " ".join(one.words) for one in found.sentences if "but" in one.words}
    assert of_label == {"I": inverted, "O": f"{he} came , but she left home ."}
    assert {one.origin.get("original") for one in found.sentences if one.label == "I"} == {
        f"{he} came , but she left home .",
        "They left home and we came .",
    }


def test_a_name_keeps_its_capital(tmp_path):
    tom = "(S (NP (NNP Tom)) (VP (VBD came)))"
    found = found_by(coordination_inversions, *pair_of(tom, SHE_LEFT, tmp_path))
    assert "She left home , but Tom came ." in [" ".join(one.words) for one in found.sentences]


@pytest.mark.parametrize(
    "tree",
    [
        f"(ROOT (S {HE_CAME} (CC and) {HE_CAME} (CC and) {HE_CAME} (. .)))",
        "(ROOT (S (NP (NN Tom) (CC and) (NN Ann)) (VP (VBD came)) (. .)))",
        f"(ROOT (S {HE_CAME} (CC and) (S (NP (NN Tom) (CC or) (NN Ann)) (VP (VBD came))) (. .)))",
        f"(ROOT (S (CC And) {HE_CAME} {HE_CAME} (. .)))",
        f"(ROOT (S (ADVP (RB Then)) {HE_CAME} (CC and) {HE_CAME} (. .)))",
    ],
)
def test_sentences_of_other_make_have_no_clauses_to_invert(tree, tmp_path):
    found = found_by(coordination_inversions, sentence_of(tree, tmp_path))
    assert (found.sentences, found.steps[0].taken) == ([], 1)


def test_the_order_of_lengths_says_nothing_on_the_label(tmp_path):
    sentences = sentences_of_grammar(tmp_path, 800)
    found = found_by(coordination_inversions, *sentences)
    longer = Counter()
    for one in found.sentences:
        conjunction = one.words.index("and")
        longer[one.label, np.sign((conjunction - 1) - (len(one.words) - 2 - conjunction))] += 1
    assert sum(longer.values()) > 300
    for label in "IO":
        assert abs(longer[label, -1] - longer[label, 1]) <= 1
    assert found.steps[1].taken == 400 - len(found.sentences)
