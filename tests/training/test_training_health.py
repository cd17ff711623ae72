"""The loss below which a model has learned something: what its datamodule says, and what training compares with it."""

import pytest
import torch

from tests.models import corpus, entity_corpus, small_texts, tagged_corpus, treebank
from tests.training.five_tasks import trained


def with_prior(model, output, counts):
    """Lets a model give every label its share, whatever it reads."""
    with torch.no_grad():
        output.weight.zero_()
        output.bias.copy_(torch.tensor([float(counts[label]) for label in range(len(output.bias))]).log())
    return model.eval()


def loss_on_train(model, data):
    batches = list(data.train_dataloader())
    n_items = sum(batch.n_items for batch in batches)
    return sum(float(model.loss(batch)) * batch.n_items for batch in batches) / n_items


def counted(ids):
    return torch.bincount(torch.cat(ids))


def test_a_tagger_that_knows_how_often_each_tag_is_has_the_loss_of_the_prior():
    data = tagged_corpus.tagging()
    model = tagged_corpus.tagger(data)
    with_prior(model, model.output, counted([batch.label_ids for batch in data.train_dataloader()]))
    assert loss_on_train(model, data) == pytest.approx(data.prior_loss(), rel=1e-5)


def test_a_labeller_that_knows_how_often_each_role_is_has_the_loss_of_the_prior():
    data = corpus.datamodule()
    model = corpus.labeller(data)
    with_prior(model, model.output, counted([batch.role_ids for batch in data.train_dataloader()]))
    assert loss_on_train(model, data) == pytest.approx(data.prior_loss(), rel=1e-5)


def test_a_language_model_that_knows_how_often_each_word_is_has_the_loss_of_the_prior():
    data = small_texts.text_data()
    model = small_texts.language_model(data)
    ids = [batch.next_ids[batch.next_ids >= 0] for batch in data.train_dataloader()]
    with_prior(model, model.network.output, counted(ids))
    assert loss_on_train(model, data) == pytest.approx(data.prior_loss(), rel=1e-5)


def test_the_prior_of_entities_is_that_of_a_sentence_and_arcs_have_none():
    train = [entity_corpus.sentence(1, "Ali/B-PER geldi/O"), entity_corpus.sentence(2, "gitti/O kaldı/O")]
    data = entity_corpus.entities(train=train)
    quarter = torch.tensor(0.25)
    of_word = -(quarter * quarter.log() + 3 * quarter * (3 * quarter).log())
    assert data.prior_loss() == pytest.approx(2 * float(of_word), rel=1e-6)
    assert treebank.datamodule().prior_loss() is None


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("task", ["pos", "ner", "srl"])
def test_an_epoch_in_which_nothing_is_learned_is_named(task, accumulate, small_data, tmp_path, capsys):
    more = ["trainer.max_epochs=1", f"trainer.accumulate={accumulate}"]
    trained(task, small_data, tmp_path / "still", *more, "model.optimizer.lr=1e-9")
    said = capsys.readouterr().out
    assert "epoch  1  warning: the loss of its second half" in said
    assert "is above that of the prior of labels" in said
