"""The model learns, keeps to the rules of its tags, and counts what it cannot know as missed."""

import pytest

from polyprobe.formats.entities.span_tags import bioul, spans_of
from polyprobe.models.inputs.word_batch import NO_LOSS
from tests.models.entity_corpus import EIGHT_WITH_ENTITIES, entities, entity_tagger, sentence
from tests.models.in_memory import trained


def batch_of(*sentences):
    return next(iter(entities(dev=list(sentences)).val_dataloader()))


def test_eight_sentences_are_learnt_by_heart():
    data = entities()
    model = entity_tagger(data)
    trainer = trained(model, data, max_epochs=30, check_val_every_n_epoch=30)
    assert trainer.callback_metrics["dev/span_f1"] == 1.0
    assert model.answers(EIGHT_WITH_ENTITIES) == [spans_of(one.labels) for one in EIGHT_WITH_ENTITIES]
    whole, *of_types = model.scores(EIGHT_WITH_ENTITIES)
    assert (whole.metric, whole.value, whole.n, whole.scorer) == ("span_f1", 1.0, 11, "conlleval")
    assert [(score.part, score.value) for score in of_types] == [("LOC", 1.0), ("ORG", 1.0), ("PER", 1.0)]


def test_an_untrained_model_writes_no_broken_span():
    model = entity_tagger(entities())
    sentences = [one.words for one in EIGHT_WITH_ENTITIES]
    for tags, spans in zip(model.tags(sentences), model.answers(EIGHT_WITH_ENTITIES), strict=True):
        assert bioul(spans, len(tags)) == tags


def test_the_loss_is_a_sum_over_sentences():
    model = entity_tagger(entities()).eval()
    short, long = EIGHT_WITH_ENTITIES[4], EIGHT_WITH_ENTITIES[6]
    together = model.loss(batch_of(short, long))
    assert together.item() == pytest.approx((model.loss(batch_of(short)) + model.loss(batch_of(long))).item())


def test_a_span_of_a_type_that_train_lacks_is_out_of_the_loss_and_missed_in_the_score():
    model = entity_tagger(entities()).eval()
    strange = sentence(9, "Pasifik/B-SEA Okyanusu/I-SEA Ali/B-PER geldi/O")
    batch = batch_of(strange)
    assert model.loss(batch) == 0
    model.validation_step(batch, 0)
    assert model.dev_metric.tallies[-1].tolist() == [0, 0, 1]
    assert model.dev_metric.tallies.sum(0)[2] == 2
    whole, *of_types = model.scores([strange])
    assert whole.n == 2
    assert [score.n for score in of_types if score.part == "SEA"] == [1]


def test_a_batch_in_which_nothing_counts_gives_no_loss_no_gradient_and_no_count():
    model = entity_tagger(entities())
    batch = batch_of(EIGHT_WITH_ENTITIES[0])
    batch.label_ids.fill_(NO_LOSS)
    loss = model.loss(batch)
    loss.backward()
    model.validation_step(batch, 0)
    assert loss == 0
    assert all(parameter.grad.abs().sum() == 0 for parameter in model.parameters())
    assert model.dev_metric.tallies.sum() == 0


def test_the_score_of_batches_is_that_of_sentences():
    data = entities()
    model = entity_tagger(data)
    for number, batch in enumerate(data.val_dataloader()):
        model.eval().validation_step(batch, number)
    assert model.dev_metric.compute()["span_f1"] == pytest.approx(model.scores(EIGHT_WITH_ENTITIES)[0].value)
