"""ESIM as a network: it learns, company and padding change nothing, it reads both sides."""

import pytest
import torch

from polyprobe.models.esim import attended, pooled_pairs
from polyprobe.models.inputs.word_batch import UNKNOWN_LABEL
from tests.models.in_memory import trained
from tests.models.paired_corpus import EIGHT_PAIRS, esim, pair, pairing


def batch_of(*pairs):
    return next(iter(pairing(dev=list(pairs)).val_dataloader()))


def test_eight_pairs_are_learnt_by_heart():
    data = pairing()
    model = esim(data)
    trainer = trained(model, data, max_epochs=50, check_val_every_n_epoch=50)
    assert trainer.callback_metrics["dev/accuracy"] == 1.0
    assert model.answers(EIGHT_PAIRS) == [one.label for one in EIGHT_PAIRS]
    accuracy, *confusion = model.scores(EIGHT_PAIRS)
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("accuracy", 1.0, 8)
    assert {score.part: score.value for score in confusion}["neutral as neutral"] == 1.0


def plain_attention(states, lengths):
    """One pair after the other, word by word, without padding."""
    sentences = states.split(tuple(lengths))
    n_pairs = len(lengths) // 2
    rows = []
    for place, own in enumerate(sentences):
        other = sentences[(place + n_pairs) % len(sentences)]
        for state in own:
            seen = torch.softmax(other @ state, 0) @ other
            rows.append(torch.cat([state, seen, state - seen, state * seen]))
    return torch.stack(rows)


@pytest.mark.parametrize("lengths", [[1, 1], [3, 1, 2, 5], [2, 4, 1, 1, 3, 2]])
def test_attention_equals_that_of_each_pair_alone(lengths):
    states = torch.randn(sum(lengths), 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(attended(states, lengths), plain_attention(states, lengths))


def test_pooling_leaves_padding_out():
    states = torch.tensor([[-1.0], [-3.0], [-5.0], [2.0], [4.0], [-7.0]])
    premises_2_1_hypotheses_1_2 = [2, 1, 1, 2]
    expected = [[-2.0, -1.0, 2.0, 2.0], [-5.0, -5.0, -1.5, 4.0]]
    assert pooled_pairs(states, premises_2_1_hypotheses_1_2).tolist() == expected


def test_a_pair_is_scored_the_same_alone_and_in_company():
    model = esim(pairing()).eval()
    company = model(batch_of(*EIGHT_PAIRS[:4]).words)
    alone = torch.cat([model(batch_of(one).words) for one in sorted(EIGHT_PAIRS[:4], key=_length)])
    torch.testing.assert_close(company, alone, rtol=0, atol=1e-5)


def _length(one):
    return len(one.premise) + len(one.hypothesis)


def test_both_sides_and_their_order_matter():
    model = esim(pairing()).eval()
    there, back = (batch_of(pair(1, *sides, "neutral")) for sides in (("Yes", "No dog"), ("No dog", "Yes")))
    assert (model(there.words) - model(back.words)).abs().max() > 1e-4


def test_the_loss_is_a_mean_over_pairs():
    model = esim(pairing()).eval()
    first, second = EIGHT_PAIRS[:2]
    together = model.loss(batch_of(first, second))
    apart = (model.loss(batch_of(first)) + model.loss(batch_of(second))) / 2
    assert together.item() == pytest.approx(apart.item(), rel=1e-5)


def test_a_label_that_train_lacks_is_out_of_the_loss_and_an_error_in_the_score():
    model = esim(pairing()).eval()
    strange = pair(9, "Yes", "No", "not_entailment")
    batch = batch_of(strange)
    assert batch.label_ids.tolist() == [UNKNOWN_LABEL]
    assert model.loss(batch) == 0
    model.validation_step(batch, 0)
    assert (model.dev_metric.n, model.dev_metric.correct) == (1, 0)
    assert model.scores([strange])[0].value == 0


def test_pairs_without_a_label_are_in_no_score():
    model = esim(pairing())
    assert model.scores([*EIGHT_PAIRS, pair(9, "Yes", "No", None)])[0].n == 8
    assert model.scores([pair(9, "Yes", "No", None)]) == []


def test_dropout_drops_the_same_numbers_at_all_words_of_a_sentence():
    model = esim(pairing(word_size=64), dropout=0.5)
    batch = batch_of(EIGHT_PAIRS[2])
    read = []
    model._read(lambda cells, *_: read.append(cells), torch.ones(sum(batch.words.lengths), 64), batch.words)
    for sentence in read[0].split(batch.words.lengths):
        assert len(sentence.unique(dim=0)) == 1
        assert {0.0, 2.0} == set(sentence.flatten().tolist())


def test_a_sentence_of_2000_words_is_read():
    model = esim(pairing()).eval()
    assert len(model.answers([pair(1, "talo " * 2_000, "talo", "neutral")])) == 1
