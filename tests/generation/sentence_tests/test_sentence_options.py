import pytest

from polyprobe.errors import BadValue
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"content_words": 7}, r"sentence_level\.content_words must be a number for words, .*, got 7"),
        ({"depth_correlation": 5}, r"sentence_level\.depth_correlation must be a number above 0, at most 1, got 5"),
        ({"uneven": 0.5}, r"sentence_level\.uneven must be a number of at least 1, got 0\.5"),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_key(changes, words):
    with pytest.raises(BadValue, match=words):
        sentence_options("trees", 1, **changes)
