"""Role F1 is counted twice in this house: from propositions while training, from files as the official scorer does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.metrics.official.conll2009 import score_files
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.tallies import summed
from tests.formats.written_units import write_conll2009

N_WORDS = 4


def labelled(propositions: tuple[Proposition, ...]) -> LabelledSentence:
    return LabelledSentence("1", 1, ("w",) * N_WORDS, ("NOUN",) * N_WORDS, propositions)


def propositions(predicates: list[int]) -> st.SearchStrategy[tuple[Proposition, ...]]:
    """Draws senses and arguments for given predicates."""
    arguments = st.dictionaries(st.integers(0, N_WORDS - 1), st.sampled_from(["A0", "A1"])).map(
        lambda roles: tuple(Argument(word, role) for word, role in sorted(roles.items()))
    )
    senses = st.sampled_from(["go.01", "go.02"])
    return st.tuples(*(st.builds(Proposition, st.just(word), senses, arguments) for word in predicates))


predicates = st.lists(st.integers(0, N_WORDS - 1), unique=True).map(sorted)
pairs = predicates.flatmap(lambda words: st.tuples(propositions(words), propositions(words)))


@given(st.lists(pairs, min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_counts_from_propositions_are_those_from_files(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("files")
    for side, name in enumerate(("gold", "system")):
        write_conll2009((labelled(pair[side]) for pair in drawn), folder / name)
    files = score_files(folder / "gold", folder / "system")
    whole, semantic, *_ = role_scores(summed(count_roles(*pair) for pair in drawn))
    assert files["arguments_only"]["gold"] == whole.n
    assert files["arguments_only"]["f1"] == pytest.approx(100 * whole.value, abs=5.1e-5)
    assert files["semantic"]["labeled_f1"] == pytest.approx(100 * semantic.value, abs=5.1e-3)
