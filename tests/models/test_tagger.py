"""The tagger as a network: it learns, company changes nothing, odd labels are where they belong."""

import pytest
import pytorch_lightning as pl
import torch

from polyprobe.errors import BadValue
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL
from polyprobe.models.layers.packing import Packing
from tests.models.tagged_corpus import EIGHT_TAGGED, sentence, tagger, tagging


def trained(model, data, **settings) -> pl.Trainer:
    trainer = pl.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, use_distributed_sampler=False, **settings,
    )  # fmt: skip
    trainer.fit(model, datamodule=data)
    return trainer


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


def test_layer_vectors_are_the_same_alone_and_in_company():
    model = tagger(tagging(), dropout=0.5)
    sentences = [one.words for one in EIGHT_TAGGED]
    company = model.layer_vectors(sentences)
    for name, width in model.exposed_layers:
        alone = torch.cat([model.layer_vectors([words])[name] for words in sentences])
        assert company[name].shape == (sum(map(len, sentences)), width)
        torch.testing.assert_close(company[name], alone, rtol=0, atol=1e-5)
    assert model.training


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


def test_the_seed_alone_decides_the_parameters():
    data = tagging()
    first, second, third = tagger(data), tagger(data), tagger(data, seed=2)
    assert all(torch.equal(*pair) for pair in zip(first.parameters(), second.parameters(), strict=True))
    for name, parameter in first.named_parameters():
        same = torch.equal(parameter, third.get_parameter(name))
        assert not same or name == "output.bias", name


@pytest.mark.parametrize("setting", [{"hidden_size": 0}, {"dropout": 1.0}, {"n_layers": 0}])
def test_a_size_that_makes_no_sense_is_refused_with_its_key(setting):
    with pytest.raises(BadValue, match=next(iter(setting))):
        tagger(tagging(), **setting)


def test_half_precision_gives_nearly_the_same_loss():
    model = tagger(tagging()).eval()
    batch = batch_of(*EIGHT_TAGGED)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        halved = model.loss(batch)
    assert halved.dtype == torch.float32
    assert halved.item() == pytest.approx(model.loss(batch).item(), rel=1e-2)


def test_a_batch_in_which_nothing_counts_gives_no_loss_and_no_gradient():
    model = tagger(tagging())
    batch = batch_of(EIGHT_TAGGED[0])
    batch.label_ids.fill_(NO_LOSS)
    loss = model.loss(batch)
    loss.backward()
    assert loss == 0
    assert model.output.weight.grad.abs().sum() == 0
