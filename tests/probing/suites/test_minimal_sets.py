import pytest

from polyprobe.probing.suites.minimal_sets import Preparation
from tests.probing.minimal_sets.small_suite import a_set


@pytest.mark.parametrize(
    ("preparation", "sentences"),
    [
        (Preparation(None, False, False), ["iki USA hen", "iki USA hens"]),
        (Preparation(".", True, False), ["Iki USA hen .", "Iki USA hens ."]),
        (Preparation(None, True, True), ["İki USA hen", "İki USA hens"]),
    ],
)
def test_sentences_are_prepared_as_asked(preparation, sentences):
    prepared = preparation.prepared(a_set(1, "iki USA hen", "iki USA hens"))
    assert [variant.sentence for variant in prepared.variants] == sentences
    assert prepared.focus == ((2, 3), (2, 3))
