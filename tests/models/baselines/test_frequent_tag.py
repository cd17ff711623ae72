from polyprobe.models.baselines.trivial import FrequentTag
from tests.models.tagged_corpus import sentence


def test_a_word_gets_its_most_frequent_tag_and_of_equals_the_first_in_the_alphabet():
    baseline = FrequentTag.counted([sentence(1, "das/PRON das/PRON das/DET zu/PART zu/ADP")])
    assert baseline.tags(["das", "zu"]) == ["PRON", "ADP"]


def test_case_counts_and_an_unseen_word_is_a_noun():
    baseline = FrequentTag.counted([sentence(1, "das/PRON")])
    assert baseline.tags(["Das", "das"]) == ["NOUN", "PRON"]
