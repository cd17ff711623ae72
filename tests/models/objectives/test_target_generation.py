"""What objectives that write a target refuse."""

import pytest

from polyprobe.errors import BadValue
from polyprobe.models.objectives.target_generation import TextGeneration


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"beam_size": 0, "longest": 9}, r"model\.objective\.beam_size must be an integer of at least 1, got 0"),
        ({"beam_size": 1001, "longest": 9}, r"model\.objective\.beam_size must be at most 1,000, got 1001"),
        ({"beam_size": 5, "longest": 10_001}, r"model\.objective\.longest must be at most 10,000, got 10001"),
    ],
)
def test_a_search_without_end_is_refused(sizes, message):
    with pytest.raises(BadValue, match=message):
        TextGeneration(target={}, head=None, network=None, words=None, **sizes)
