"""Every objective learns eight sentences by heart, over every network: who confuses targets or sentences cannot."""

from functools import partial

import pytest

from polyprobe.models.decoders.unit_decoder import AttentionDecoder
from tests.models.in_memory import trained
from tests.models.paired_corpus import EIGHT_PAIRS
from tests.models.sentence_corpus import TARGETS, pair_classifier, pair_data, target_data, targeted, writer

EPOCHS = 90


def learnt(model, data):
    trainer = trained(model, data, max_epochs=EPOCHS, check_val_every_n_epoch=EPOCHS)
    return model.eval(), trainer.callback_metrics


def written(objective, **options):
    """Trains on the eight sentences; returns their targets and what the model writes."""
    data = target_data(objective)
    model, metrics = learnt(writer(data, objective, **options), data)
    assert metrics["dev/unit_accuracy"] == 1
    return TARGETS[objective], model.answers(targeted(objective))


@pytest.mark.parametrize("objective", TARGETS)
def test_the_targets_of_eight_sentences_are_learnt_by_heart(objective):
    targets, answers = written(objective)
    assert answers == targets


def test_a_convnet_learns_to_translate_them():
    targets, answers = written("nmt", network="gated_convnet")
    assert answers == targets


def test_a_decoder_with_attention_learns_to_translate_them():
    head = partial(AttentionDecoder, unit_size=16, hidden_size=32, n_layers=1, dropout=0.0)
    targets, answers = written("nmt", head=head)
    assert answers == targets


def test_eight_pairs_are_learnt_by_heart():
    data = pair_data()
    model, metrics = learnt(pair_classifier(data), data)
    assert metrics["dev/accuracy"] == 1
    assert model.answers(EIGHT_PAIRS) == [one.label for one in EIGHT_PAIRS]
