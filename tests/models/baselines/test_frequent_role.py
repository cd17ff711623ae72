from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.models.baselines.trivial import FrequentRole


def sentence(upos: str, predicate: int, **roles: str) -> LabelledSentence:
    """Returns a sentence with one predicate; `w0="A0"` is a role of its first word."""
    tags = tuple(upos.split())
    arguments = tuple(Argument(int(word[1:]), role) for word, role in roles.items())
    return LabelledSentence("1", 1, tags, tags, (Proposition(predicate, "go.01", arguments),))


def arguments(baseline: FrequentRole, asked: LabelledSentence) -> list[tuple[int, str]]:
    return [(argument.word, argument.role) for argument in baseline.propositions(asked)[0].arguments]


def test_a_word_gets_the_most_frequent_role_of_its_part_of_speech_and_side():
    baseline = FrequentRole.counted([sentence("NOUN VERB NOUN", 1, w0="A0", w2="A1")])
    assert arguments(baseline, sentence("NOUN VERB NOUN", 1)) == [(0, "A0"), (2, "A1")]
    assert arguments(baseline, sentence("ADV VERB NOUN", 1)) == [(2, "A1")]


def test_no_role_is_a_label_like_any_other():
    train = [sentence("NOUN VERB", 1), sentence("NOUN VERB", 1), sentence("NOUN VERB", 1, w0="A0")]
    assert arguments(FrequentRole.counted(train), train[2]) == []


def test_of_equally_frequent_labels_the_first_in_order_wins():
    train = [sentence("NOUN VERB", 1, w0=role) for role in ("A1", "A0", "A1", "A0")]
    assert arguments(FrequentRole.counted(train), train[0]) == [(0, "A0")]


def test_distances_four_and_five_are_one_bucket_and_six_is_another():
    baseline = FrequentRole.counted([sentence("NOUN X X X VERB", 4, w0="A0")])
    assert arguments(baseline, sentence("NOUN NOUN X X X X VERB", 6)) == [(1, "A0")]


def test_a_predicate_can_be_its_own_argument():
    baseline = FrequentRole.counted([sentence("NOUN VERB", 1, w1="A1")])
    assert arguments(baseline, sentence("VERB", 0)) == [(0, "A1")]


def test_predicates_and_senses_stay_as_given():
    given = sentence("NOUN VERB", 1)
    assert FrequentRole({}).propositions(given) == given.propositions
