import pytest

from polyprobe.errors import BadValue
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"content_words": 7}, r"sentence_level\.content_words must be a number for words, .*, got 7"),
        ({"depth_correlation": 5}, r"sentence_level\.depth_correlation must be a number above 0, at most 1, got 5"),
        ({"document_shares": {"train": 7, "dev": 2, "test": 1}}, r"document_shares must be shares whose sum is 1"),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_key(changes, words):
    with pytest.raises(BadValue, match=words):
        sentence_options("trees", 1, **changes)
