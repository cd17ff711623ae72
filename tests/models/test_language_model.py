"""The language model: it learns, company changes nothing, and every way to a probability gives the same one."""

import math
from functools import partial
from itertools import pairwise

import pytest
import torch

from polyprobe.errors import BadValue
from polyprobe.models.batches.text_vocabulary import END_ID
from tests.models.in_memory import trained
from tests.models.small_texts import COIN, LENGTHS, language_model, sentence, text_data


def different(**settings):
    """A model whose probabilities are far from uniform."""
    return language_model(text_data(train=LENGTHS, dev=LENGTHS), first_range=3.0, **settings).eval()


def one_by_one(model, words):
    """Returns the log-probabilities of words and end by plain layers, a word at a time."""
    ids, network = torch.from_numpy(model.vocabulary.coded(words)).long(), model.network
    states = [(torch.zeros(1, 8), torch.zeros(1, 8)) for _ in network.layers]
    found = []
    with torch.no_grad():
        for word, following in pairwise(ids):
            vector = network.embedding(word)[None]
            for number, layer in enumerate(network.layers):
                hidden, cells = layer(vector, states[number])[1]
                states[number], vector = (hidden, cells), hidden
            found.append(network.output(vector).log_softmax(1)[0, following].item())
    return found


def test_a_small_text_is_learnt_to_nearly_its_entropy():
    data = text_data(columns=8, steps=10)
    model = language_model(data, clip_norm=10.0, optimizer=partial(torch.optim.Adam, lr=0.03))
    trainer = trained(model, data, max_epochs=100, check_val_every_n_epoch=100)
    floor = math.exp(math.log(2) / 5)
    assert floor <= trainer.callback_metrics["dev/perplexity"] < 1.03 * floor
    assert model.scores(COIN)[0].value == pytest.approx(trainer.callback_metrics["dev/perplexity"].item(), rel=1e-5)
    _, (baseline, *_) = data.baseline_scores(COIN)
    assert baseline.value > model.scores(COIN)[0].value


def test_words_out_of_the_vocabulary_are_not_known():
    model = different()
    assert model.known([*model.vocabulary.words[:2], "zzz", "<unk>"]).tolist() == [True, True, False, False]


def test_perplexity_is_that_of_each_sentence_read_alone_word_by_word():
    model = different()
    odd = [*LENGTHS, sentence("nobody knows b")]
    nats = [-value for one in odd for value in one_by_one(model, one.words)]
    perplexity, of_known = model.scores(odd)
    assert (perplexity.n, of_known.n) == (len(nats), len(nats) - 2)
    assert perplexity.value == pytest.approx(math.exp(sum(nats) / len(nats)), rel=1e-5)
    unknown = sum(one_by_one(model, odd[-1].words)[:2])
    assert of_known.value == pytest.approx(math.exp((sum(nats) + unknown) / (len(nats) - 2)), rel=1e-5)


def test_answers_are_the_log_probabilities_of_words_and_end():
    model = different()
    for one, found in zip(LENGTHS, model.answers(LENGTHS), strict=True):
        assert found.tolist() == pytest.approx(one_by_one(model, one.words), abs=1e-5)


def test_prefixes_that_grow_by_a_word_give_the_probabilities_of_the_sentence():
    model = different()
    words = ("c", "d", "e")
    ids = model.vocabulary.coded(words)
    states = model.network.first_states(2)
    for word, expected, following in zip(ids[:-1], one_by_one(model, words), ids[1:], strict=True):
        states = model.network.next_states(states, torch.tensor([END_ID, word]))
        found = model.network.log_probabilities(
            states.top, torch.tensor([0, 1, 1]), torch.tensor([3, END_ID, following])
        )
        assert found.dtype == torch.float32
        assert found[2].item() == pytest.approx(expected, abs=1e-5)


def test_log_probabilities_of_all_words_sum_to_one_after_every_prefix():
    model = different()
    states = model.network.next_states(model.network.first_states(3), torch.tensor([1, 2, 3]))
    states = states.of(torch.tensor([2, 0, 0]))
    n_words = len(model.vocabulary)
    prefix, words = torch.arange(3).repeat_interleave(n_words), torch.arange(n_words).repeat(3)
    sums = model.network.log_probabilities(states.top, prefix, words).view(3, -1).exp().sum(1)
    torch.testing.assert_close(sums, torch.ones(3))


def test_the_loss_of_a_stretch_goes_on_from_the_stretch_before():
    data = text_data(train=[LENGTHS[2]], columns=1, steps=3)
    model = different()
    stretches = list(data.train_dataloader())
    losses = [model.training_step(one, 0).item() * one.n_items for one in stretches]
    assert [one.begins for one in stretches] == [True, False, False]
    model.vocabulary, whole = data.vocabulary, text_data(train=[LENGTHS[2]], columns=1, steps=100)
    (all_at_once,) = whole.train_dataloader()
    assert sum(losses) == pytest.approx(model.training_step(all_at_once, 0).item() * all_at_once.n_items, rel=1e-5)


def test_the_state_at_a_word_sees_nothing_that_comes_later():
    model = different(dropout=0.5)
    shorter = model.layer_vectors([LENGTHS[2].words[:3]])
    torch.testing.assert_close(model.layer_vectors([LENGTHS[2].words])["lstm2"][:3], shorter["lstm2"])


def test_the_vector_of_a_word_does_not_depend_on_its_sentence_and_its_state_does():
    model = different()
    vectors = model.layer_vectors([("a", "b"), ("c", "b")])
    assert set(model.word_layers) == {"words"}
    torch.testing.assert_close(vectors["words"][1], vectors["words"][3])
    assert (vectors["lstm1"][1] - vectors["lstm1"][3]).abs().max() > 1e-4


def test_tied_weights_are_one_tensor_that_learns_from_both_ends():
    data = text_data()
    model = language_model(data, tied=True)
    trained(model, data, max_epochs=2)
    assert model.network.output.weight is model.network.embedding.weight
    with pytest.raises(BadValue, match=r"model\.word_size must be model\.hidden_size=9"):
        language_model(data, tied=True, hidden_size=9)


def test_half_precision_gives_nearly_the_same_loss_and_gradient():
    data = text_data()
    model = language_model(data, first_range=1.0)
    stretch = next(iter(data.train_dataloader()))
    gradients = []
    for is_halved in (False, True):
        model.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_halved):
            loss = model.loss(stretch)
        loss.backward()
        assert loss.dtype == torch.float32
        gradients.append((loss.item(), model.network.output.weight.grad.clone()))
    (exact, slopes), (halved, rough) = gradients
    assert halved == pytest.approx(exact, rel=2e-2)
    assert (slopes - rough).abs().max() < 0.05 * slopes.abs().max()
