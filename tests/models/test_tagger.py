"""The tagger as a network: it learns, company changes nothing, odd labels are where they belong."""

import pytest
import torch

from polyprobe.models.inputs.word_batch import UNKNOWN_LABEL
from polyprobe.models.layers.packing import Packing
from tests.models.in_memory import trained
from tests.models.tagged_corpus import EIGHT_TAGGED, sentence, tagger, tagging


def batch_of(*sentences):
    return next(iter(tagging(dev=list(sentences)).val_dataloader()))


@pytest.mark.parametrize("n_layers", [1, 2])
def test_eight_sentences_are_learnt_by_heart(n_layers):
    data = tagging(word_size=16)
    model = tagger(data, hidden_size=16, n_layers=n_layers)
    trainer = trained(model, data, max_epochs=40, check_val_every_n_epoch=40)
    assert trainer.callback_metrics["dev/accuracy"] == 1.0
    assert model.tags([one.words for one in EIGHT_TAGGED]) == [list(one.labels) for one in EIGHT_TAGGED]
    accuracy, of_all, *of_tags = model.scores(EIGHT_TAGGED)
    assert (accuracy.metric, accuracy.n, of_all.metric, of_all.n) == ("accuracy", 27, "accuracy_all_items", 29)
    assert {score.value for score in of_tags} == {1.0}


def test_the_loss_is_a_mean_over_all_items_whatever_the_lengths_of_sentences():
    model = tagger(tagging()).eval()
    short, long = EIGHT_TAGGED[3], EIGHT_TAGGED[6]
    together = model.loss(batch_of(short, long)) * 9
    apart = model.loss(batch_of(short)) * 2 + model.loss(batch_of(long)) * 7
    assert together.item() == pytest.approx(apart.item(), rel=1e-6)


def test_the_loss_of_an_indifferent_model_is_the_logarithm_of_the_number_of_tags():
    model = tagger(tagging()).eval()
    with torch.no_grad():
        model.output.weight.zero_()
    assert model.loss(batch_of(EIGHT_TAGGED[0])).item() == pytest.approx(torch.tensor(10.0).log().item())


def test_a_tag_that_train_lacks_is_out_of_the_loss_and_an_error_in_the_score():
    model = tagger(tagging()).eval()
    strange = sentence(9, "das/PROPN lebt/VERB")
    batch = batch_of(strange)
    assert batch.label_ids[0] == UNKNOWN_LABEL
    assert torch.isfinite(model.loss(batch))
    model.validation_step(batch, 0)
    assert model.dev_metric.n == 2
    assert model.scores([strange])[0].n == 2
    assert [score.value for score in model.scores([strange]) if score.part == "PROPN"] == [0.0]


def test_what_is_no_word_is_in_the_loss_and_not_in_the_accuracy():
    model = tagger(tagging()).eval()
    batch = batch_of(EIGHT_TAGGED[0])
    assert (batch.label_ids >= 0).all()
    model.validation_step(batch, 0)
    assert model.dev_metric.n == 3


def test_the_vector_of_a_word_does_not_depend_on_its_sentence_and_its_state_does():
    vectors = tagger(tagging()).layer_vectors([("das", "lebt"), ("niemand", "lebt")])
    torch.testing.assert_close(vectors["words"][1], vectors["words"][3])
    assert (vectors["bilstm"][1] - vectors["bilstm"][3]).abs().max() > 1e-4


def test_every_layer_is_exposed():
    model = tagger(tagging(), n_layers=2, dropout=0.5)
    vectors = model.layer_vectors([("das", "lebt")])
    assert model.exposed_layers == (("words", 6), ("bilstm_1", 14), ("bilstm_2", 14))
    assert list(vectors) == ["words", "bilstm_1", "bilstm_2"]
    torch.testing.assert_close(
        model.bilstm[1](vectors["bilstm_1"], torch.arange(2), Packing.of([2])), vectors["bilstm_2"]
    )


def test_half_precision_gives_nearly_the_same_loss():
    model = tagger(tagging()).eval()
    batch = batch_of(*EIGHT_TAGGED)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        halved = model.loss(batch)
    assert halved.dtype == torch.float32
    assert halved.item() == pytest.approx(model.loss(batch).item(), rel=1e-2)
