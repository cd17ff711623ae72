import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.generation.pseudo_tests.pseudoword_list import deviation, neighbours
from polyprobe.generation.syllables.segments import Chain, with_marks

WORDS = st.text("abc", min_size=1, max_size=9)


def levenshtein(one: str, other: str) -> int:
    """Computes the distance by its definition, row by row."""
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, start=1):
        before, row = row, [place]
        for column, own in enumerate(other, start=1):
            row.append(min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != own)))
    return row[-1]


@given(words=st.lists(WORDS, max_size=6), lexicon=st.lists(WORDS, min_size=1, max_size=40))
def test_neighbours_are_those_that_the_definition_finds(words, lexicon):
    found = neighbours(words, lexicon)
    assert list(found) == list(dict.fromkeys(words))
    for word, near in found.items():
        distances = sorted(levenshtein(word, entry) for entry in lexicon)
        nearest = distances[:20]
        assert near == (sum(nearest) / len(nearest), distances.count(1))


def test_a_word_far_from_all_others_has_the_mean_of_its_twenty_nearest():
    lexicon = ["aaa"] * 25
    assert neighbours(["bbbbbbbbbb"], lexicon) == {"bbbbbbbbbb": (10.0, 0)}


def test_distances_are_in_characters():
    assert neighbours(["şş"], ["ss", "şs"]) == {"şş": (1.5, 1)}


@pytest.mark.parametrize(
    ("pseudoword", "differences", "transition"),
    [
        (("d", "a", "k"), [-1, -1, 0, 0], "[_d]ak_"),  # of two equal ones the first is shown
        (("b", "a", "t"), [0, 0, -1, -1], "_b[at]_"),
        (("b", "", "k"), [0, -2, -2, 0], "_[b]k_"),  # no word has b without a vowel
    ],
)
def test_deviations_are_counts_of_the_pseudoword_minus_those_of_the_seed(pseudoword, differences, transition):
    words = [("b", "a", "k"), ("b", "a", "t"), ("d", "a", "k")]
    chain = Chain([with_marks([word]) for word in words])
    found = deviation(chain, with_marks([pseudoword]), with_marks([words[0]]))
    assert found == (min(differences), -sum(differences), transition)
