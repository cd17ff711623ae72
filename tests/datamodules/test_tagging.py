"""Tagged sentences in batches: each once, on one process or two; shares that add up."""

from types import SimpleNamespace

import pytest
import torch

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL
from tests.models.tagged_corpus import EIGHT_TAGGED, sentence, tagger, tagging


def on_process(rank: int, world_size: int, **settings):
    data = tagging(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def lengths(batches) -> list[int]:
    return sorted(length for batch in batches for length in batch.words.lengths)


ALL_LENGTHS = sorted(len(one.words) for one in EIGHT_TAGGED)


def test_every_sentence_is_in_one_training_batch():
    batches = list(tagging().train_dataloader())
    assert lengths(batches) == ALL_LENGTHS
    assert max(len(batch.words.lengths) for batch in batches) <= 3
    assert sum(batch.n_items for batch in batches) == sum(ALL_LENGTHS)


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


def test_the_order_of_batches_is_a_function_of_the_epoch():
    loader = tagging(batch_sentences=1).train_dataloader()
    orders = []
    for epoch in (3, 4, 3):
        loader.batch_sampler.sampler.set_epoch(epoch)
        orders.append([batch.label_ids.tolist() for batch in loader])
    assert orders[0] == orders[2] != orders[1]


def test_two_processes_evaluate_every_sentence_once():
    shares = [list(on_process(rank, 2).val_dataloader()) for rank in (0, 1)]
    assert lengths([*shares[0], *shares[1]]) == ALL_LENGTHS
    assert all(shares)


def test_a_process_without_a_sentence_counts_nothing_but_takes_part():
    (batch,) = on_process(1, 2, dev=EIGHT_TAGGED[:1]).val_dataloader()
    assert set(batch.label_ids.tolist()) == {NO_LOSS}


@pytest.mark.parametrize("batch_sentences", [1, 3, 8])
def test_the_mean_gradient_of_two_processes_is_that_of_one(batch_sentences):
    model = tagger(tagging())

    def gradient(data):
        model.zero_grad()
        sum(model.loss(batch) for batch in data.train_dataloader()).backward()
        return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])

    one = gradient(tagging(batch_sentences=batch_sentences))
    two = [gradient(on_process(rank, 2, batch_sentences=batch_sentences)) for rank in (0, 1)]
    torch.testing.assert_close(sum(two) / 2, one, rtol=1e-4, atol=1e-6)


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


@pytest.mark.parametrize("setting", [{"batch_sentences": 0}])
def test_a_batch_of_nothing_is_refused_with_its_key(setting):
    with pytest.raises(BadValue, match="batch_sentences"):
        tagging(**setting)
