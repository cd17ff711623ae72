from polyprobe.formats.entities.span_tags import Span
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from polyprobe.models.baselines.trivial import Gazetteer


def sentence(items: str) -> LabelledWords:
    pairs = [item.split("/") for item in items.split()]
    return LabelledWords(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs), 1)


TRAIN = [sentence("New/I-LOC York/I-LOC Times/O"), sentence("New/B-ORG York/I-ORG Times/I-ORG"), sentence("Van/I-PER")]


def test_the_longest_entity_of_train_is_marked_first():
    found = Gazetteer.counted(TRAIN).spans(["New", "York", "Times", "ja", "New", "York"])
    assert found == [Span(0, 3, "ORG"), Span(4, 6, "LOC")]


def test_of_equally_frequent_types_the_first_in_the_alphabet_wins():
    gazetteer = Gazetteer.counted([*TRAIN, sentence("Van/B-LOC")])
    assert gazetteer.spans(["Van", "van"]) == [Span(0, 1, "LOC")]


def test_a_corpus_without_entities_marks_none():
    assert Gazetteer.counted([sentence("O/O")]).spans(["Van"]) == []
