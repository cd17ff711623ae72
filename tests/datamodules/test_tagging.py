"""Tagged sentences in batches: each once, on one process or two; shares that add up."""

from types import SimpleNamespace

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL
from tests.models.tagged_corpus import EIGHT_TAGGED, sentence, tagging


def on_process(rank: int, world_size: int, **settings):
    data = tagging(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def test_vocabulary_and_tags_come_from_train_alone():
    data = tagging(dev=[sentence(1, "xyz/PROPN Haus/NOUN")])
    inputs = data.model_inputs()
    assert inputs["labels"] == ["VERB", "NOUN", "DET", "PRON", "ADP", "ADV", "PUNCT", "_", "ADJ", "INTJ"]
    assert inputs["reader"]["words"] == ["das", "dem", "haus", "leben", "folgt", "gut", "lebt", "zu"]
    assert "xyz" not in inputs["reader"]["ngrams"]
    (batch,) = data.val_dataloader()
    assert batch.label_ids.tolist() == [UNKNOWN_LABEL, 1]


def test_tags_that_are_numbers_are_warned_of(caplog):
    tagging(train=[sentence(1, " ".join(f"w{number}/{number}.5" for number in range(13)))]).model_inputs()
    assert [record.getMessage() for record in caplog.records] == [
        "labels look like numbers: 13 different ones, each a class of its own, 13 of 13 labels occur once."
    ]


def test_counts_say_what_is_in_no_score():
    counts = tagging(dev=[sentence(1, "xyz/PROPN Haus/NOUN zum/_")]).counts()
    assert counts["train words"] == 27
    assert counts["train items that are not words"] == 2
    assert counts["dev words"] == 2
    assert counts["tags of dev and test that train lacks"] == 1


def test_a_process_without_a_sentence_counts_nothing_but_takes_part():
    (batch,) = on_process(1, 2, dev=EIGHT_TAGGED[:1]).val_dataloader()
    assert set(batch.label_ids.tolist()) == {NO_LOSS}


def test_the_baseline_over_words_never_saw_what_is_no_word():
    data = tagging(train=[sentence(1, "im/_ im/_ im/ADP")])
    name, scores = data.baseline_scores([sentence(1, "im/ADP im/_ aus/ADP")])
    values = {(score.metric, score.part): (score.value, score.n) for score in scores}
    assert name == "frequent_tag"
    assert values["accuracy", ""] == (1 / 2, 2)
    assert values["accuracy_all_items", ""] == (1 / 3, 3)
    assert values["oov", ""] == (1 / 2, 2)


@pytest.mark.parametrize(("split", "verb"), [("train", "learned"), ("dev", "scored")])
def test_a_split_of_items_that_are_no_words_is_refused(split, verb):
    with pytest.raises(PolyprobeError, match=rf"{split} has nothing that can be {verb} .*{split} words: 0"):
        tagging(**{split: [sentence(1, "zum/_")]}).check_examples()
    tagging().check_examples()
