import pytest

from polyprobe.errors import BadValue
from tests.analysis.neurons.neuron_options import settings


def test_shares_rise_and_come_once_and_rankings_keep_their_order():
    found = settings(shares=[0.5, 0.1, 0.5, 1], rankings=["iou", "weights", "iou"])
    assert found.shares == (0.1, 0.5, 1)
    assert found.rankings == ("iou", "weights")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shares", [0]),
        ("shares", 0.1),
        ("shares", []),
        ("top_share", "half"),
        ("shown_items", 0),
        ("show", "7:412"),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_key(key, value):
    with pytest.raises(BadValue, match=f"{key} must be"):
        settings(**{key: value})
