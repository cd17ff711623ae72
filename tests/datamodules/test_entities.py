"""What the datamodule makes of tags of any scheme, and what it reports."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.entities.span_tags import bioul_tags
from tests.models.entity_corpus import entities, sentence


def tags_of_only_batch(data, types):
    [batch] = data.val_dataloader()
    return [bioul_tags(types)[number] for number in batch.label_ids.tolist()]


@pytest.mark.parametrize("tags", ["B-PER I-PER B-PER O", "I-PER I-PER B-PER O"], ids=["IOB2", "IOB1"])
def test_tags_of_either_scheme_become_the_same_ids(tags):
    words = zip(["Ayşe", "Ak", "Ali", "geldi"], tags.split(), strict=True)
    data = entities(dev=[sentence(1, " ".join(map("/".join, words)))])
    assert tags_of_only_batch(data, data.types) == ["B-PER", "L-PER", "U-PER", "O"]


def test_types_stand_by_falling_frequency_and_unseen_ones_behind():
    data = entities(dev=[sentence(1, "Hazar/B-SEA Ali/B-PER")])
    assert data.model_inputs()["types"] == ["PER", "LOC", "ORG"]
    assert tags_of_only_batch(data, ["PER", "LOC", "ORG", "SEA"]) == ["U-SEA", "U-PER"]


def test_what_a_model_cannot_find_and_what_was_not_marked_well_is_counted():
    data = entities(dev=[sentence(1, "Hazar/B-SEA ve/O Ali/I-PER")])
    counts = data.counts()
    assert counts["train spans"] == 11
    assert counts["train spans without B-"] == 4
    assert counts["dev spans without B-"] == 1
    assert counts["dev spans of types that train lacks"] == 1
    assert data.n_scored == 2


def test_the_gazetteer_and_the_words_that_train_lacks_stand_beside():
    name, [whole, *of_types, oov] = entities().baseline_scores([sentence(1, "Ali/B-PER Tuz/B-LOC Gölü/I-LOC")])
    assert name == "gazetteer"
    assert (whole.precision, whole.recall, whole.n) == (1.0, 0.5, 2)
    assert [score.part for score in of_types] == ["LOC", "PER"]
    assert (oov.metric, round(oov.value, 3)) == ("oov", 0.333)


def test_a_corpus_without_entities_has_the_tag_o_alone():
    data = entities(train=[sentence(1, "gitti/O")], dev=[sentence(1, "gitti/O")])
    assert data.types == []
    assert tags_of_only_batch(data, []) == ["O"]


@pytest.mark.parametrize(("split", "verb"), [("train", "learned"), ("dev", "scored")])
def test_a_split_without_entities_is_refused(split, verb):
    with pytest.raises(PolyprobeError, match=rf"{split} has nothing that can be {verb} .*{split} spans: 0"):
        entities(**{split: [sentence(1, "gitti/O")]}).check_examples()
    entities().check_examples()
