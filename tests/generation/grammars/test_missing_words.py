"""Missing words are counted without making a sentence; here the sentences are made, and counted one by one."""

from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.grammars.avg import read
from polyprobe.generation.grammars.evaluation_sets import missing_sets, missing_words
from polyprobe.generation.grammars.sentences import minimal_sets, patterns

TEXT = (
    "vary: V[]; D[]\nS[] D[s] N[] that see N[] V[s] here\nS[] see V[s] N[]\nN[] hen | see hen | cow\n"
    "D[s] this | see\nD[p] these | see\nV[s] eats | is old\nV[p] eat | are old\n"
)
WORDS = ("hen", "see", "cow", "that", "here", "this", "these", "eats", "eat", "is", "are", "old")


@given(st.sets(st.sampled_from(WORDS)))
def test_counts_are_those_of_all_sets_made_one_by_one(tmp_path_factory, known):
    path = tmp_path_factory.mktemp("avg") / "it.avg"
    path.write_text(TEXT)
    templates = patterns(read(path))
    sets = [
        (
            {word for variant in one.variants for word in variant.sentence.split(" ")},
            {word for variant in one.variants for form in variant.forms for word in form.split(" ")},
        )
        for one in minimal_sets(templates)
    ]
    found = {word: cells for word, *cells in missing_words(templates, known)}
    assert found.keys() == {word for said, _ in sets for word in said} - known
    for word, (_, _, where, n_sets) in found.items():
        assert n_sets == str(sum(word in said for said, _ in sets))
        assert where == ("focus" if any(word in focus for _, focus in sets) else "other")
    costs = missing_sets(templates, known)
    assert costs["any"] == sum(not said <= known for said, _ in sets)
    assert costs["focus"] == sum(not focus <= known for _, focus in sets)


def test_places_are_those_of_the_word(tmp_path):
    path = tmp_path / "it.avg"
    path.write_text(TEXT)
    ((_, slots, places, *_),) = missing_words(patterns(read(path)), set(WORDS) - {"see"})
    assert slots == "D N S"
    assert places == "it.avg:5 it.avg:6 it.avg:4 it.avg:2 it.avg:3"
