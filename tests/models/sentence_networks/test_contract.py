"""What every network of sentences keeps to, and each against torch's own modules, one sentence at a time."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.models.inputs.word_batch import WordBatch, word_batch
from polyprobe.models.sentence_networks.gated_convnet import GatedConvNet, positions
from polyprobe.models.sentence_networks.sentence_network import BiLSTMLast, BiLSTMMax, SentenceNetwork

INPUT_SIZE, WIDTH, N_WORDS = 7, 10, 12
TABLE = torch.randn(N_WORDS, INPUT_SIZE, generator=torch.Generator().manual_seed(3))
SENTENCES = [np.array(ids) for ids in ([1, 2, 3, 4, 2, 11], [5], [7, 8, 9], [1, 1], [0, 6, 10, 0, 6, 10, 0, 6, 10])]

NETWORKS: dict[str, Callable[..., SentenceNetwork]] = {
    "bilstm_last, one layer": partial(BiLSTMLast, hidden_size=5, n_layers=1),
    "bilstm_last, two layers": partial(BiLSTMLast, hidden_size=5, n_layers=2),
    "bilstm_max, one layer": partial(BiLSTMMax, hidden_size=5, n_layers=1),
    "bilstm_max, two layers": partial(BiLSTMMax, hidden_size=5, n_layers=2),
    "gated_convnet, max": partial(GatedConvNet, hidden_size=10, n_layers=3, kernel_size=3, pooling="max"),
    "gated_convnet, mean": partial(GatedConvNet, hidden_size=10, n_layers=3, kernel_size=5, pooling="mean"),
}


@pytest.fixture(params=NETWORKS)
def network(request) -> SentenceNetwork:
    return built(request.param)


def built(name: str, dropout: float = 0.3) -> SentenceNetwork:
    network = NETWORKS[name](input_size=INPUT_SIZE, dropout=dropout).eval()
    network.initialise(torch.Generator().manual_seed(1))
    return network


def batch_of(sentences: Sequence[np.ndarray]) -> WordBatch:
    return word_batch(sentences, lambda distinct: TABLE[torch.from_numpy(distinct)])


def encoded(network: SentenceNetwork, sentences: Sequence[np.ndarray]) -> Tensor:
    words = batch_of(sentences)
    return network.pooled(network.states(words.inputs, words), words)


def test_a_sentence_has_the_same_vector_alone_in_a_batch_and_in_another_order(network):
    together = encoded(network, SENTENCES)
    alone = torch.cat([encoded(network, [sentence]) for sentence in SENTENCES])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5)
    torch.testing.assert_close(encoded(network, SENTENCES[::-1]), together.flip(0), rtol=0, atol=1e-5)


def test_vectors_and_states_are_as_wide_as_declared(network):
    words = batch_of(SENTENCES)
    states = network.states(words.inputs, words)
    assert states.shape == (21, network.state_width) == (21, WIDTH)
    assert network.pooled(states, words).shape == (5, network.width) == (5, WIDTH)


def test_numbers_are_dropped_in_training_only(network):
    assert encoded(network, SENTENCES).equal(encoded(network, SENTENCES))
    network.train()
    is_one_layer = len(network.layers) == 1
    assert encoded(network, SENTENCES).equal(encoded(network, SENTENCES)) == is_one_layer  # dropped between layers


def test_all_parameters_get_a_gradient(network):
    encoded(network, SENTENCES).square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in network.parameters())


def test_all_parameters_are_drawn_from_the_generator():
    for name in NETWORKS:
        torch.manual_seed(1)
        one = built(name).state_dict()
        torch.manual_seed(2)
        other = built(name).state_dict()
        assert all(one[key].equal(other[key]) for key in one)


def test_gradients_under_bfloat16_are_near_those_of_float32(network):
    encoded(network, SENTENCES).sum().backward()
    exact = [parameter.grad.clone() for parameter in network.parameters()]
    network.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        vectors = encoded(network, SENTENCES)
    vectors.float().sum().backward()
    for parameter, gradient in zip(network.parameters(), exact, strict=True):
        assert (parameter.grad - gradient).norm() < 0.05 * gradient.norm()


@pytest.mark.parametrize("n_layers", [1, 2])
def test_bilstm_vectors_are_those_of_nn_lstm(n_layers):
    last, largest = (built(f"{name}, {'one layer' if n_layers == 1 else 'two layers'}") for name in BILSTMS)
    reference = nn.LSTM(INPUT_SIZE, 5, n_layers, bidirectional=True).eval()
    renamed = {}
    for name, parameter in last.named_parameters():
        _, number, kind = name.split(".")
        renamed[kind.replace("_l0", f"_l{number}")] = parameter.detach()
    reference.load_state_dict(renamed)
    for number, sentence in enumerate(SENTENCES):
        states, (ends, _) = reference(TABLE[torch.from_numpy(sentence)])
        torch.testing.assert_close(encoded(last, SENTENCES)[number], ends[-2:].flatten(), rtol=0, atol=1e-6)
        torch.testing.assert_close(encoded(largest, SENTENCES)[number], states.amax(0), rtol=0, atol=1e-6)


BILSTMS = ("bilstm_last", "bilstm_max")


@pytest.mark.parametrize("name", [name for name in NETWORKS if name.startswith("gated")])
def test_convolutions_are_those_of_conv1d(name):
    network = built(name)
    found = encoded(network, SENTENCES)
    for number, sentence in enumerate(SENTENCES):
        features = (TABLE[torch.from_numpy(sentence)] + positions(len(sentence), INPUT_SIZE, TABLE.device)).T[None]
        for layer in network.layers:
            padding = layer.weight.shape[2] // 2
            linear, gate = F.conv1d(features, layer.weight, layer.bias, padding=padding).chunk(2, dim=1)
            gated = linear * torch.sigmoid(gate)
            features = (gated + features) / 2**0.5 if gated.shape == features.shape else gated
        pooled = features.amax(2) if name.endswith("max") else features.mean(2)
        torch.testing.assert_close(found[number], pooled[0], rtol=0, atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.sampled_from(["max", "mean"]))
def test_gradients_of_convolutions_are_those_of_conv1d(lengths, pooling):
    generator = torch.Generator().manual_seed(sum(lengths))
    network = GatedConvNet(INPUT_SIZE, 4, 3, 3, 0.0, pooling).double()
    network.initialise(generator)
    table = TABLE.double().requires_grad_()
    sentences = [torch.randint(N_WORDS, (length,), generator=generator) for length in lengths]

    def plain() -> Tensor:
        vectors = []
        for sentence in sentences:
            features = (table[sentence] + positions(len(sentence), INPUT_SIZE, table.device)).T[None]
            for layer in network.layers:
                gated = F.glu(F.conv1d(features, layer.weight, layer.bias, padding=1), dim=1)
                features = (gated + features) / 2**0.5 if gated.shape == features.shape else gated
            vectors.append(features.amax(2) if pooling == "max" else features.mean(2))
        return torch.cat(vectors)

    def own() -> Tensor:
        words = word_batch([sentence.numpy() for sentence in sentences], lambda distinct: distinct)
        return network.pooled(network.states(table[words.inputs], words), words)

    parameters = [table, *network.parameters()]
    for found, expected in zip(
        *(torch.autograd.grad(run().sin().sum(), parameters) for run in (own, plain)), strict=True
    ):
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


def test_the_maximum_of_negative_states_is_negative():
    network = built("bilstm_max, one layer")
    words = batch_of(SENTENCES[:2])
    pooled = network.pooled(-torch.ones(7, 10), words)
    assert pooled.equal(-torch.ones(2, 10))


def test_the_last_states_are_forward_at_the_last_and_backward_at_the_first_word():
    network = built("bilstm_last, one layer")
    states = torch.arange(7.0)[:, None].expand(7, 10)
    assert network.pooled(states, batch_of(SENTENCES[:2])).tolist() == [[5.0] * 5 + [0.0] * 5, [6.0] * 10]


def test_a_network_of_the_published_sizes_has_twelve_million_parameters():
    network = GatedConvNet(300, 512, 8, 3, 0.0, "max")
    assert (
        sum(parameter.numel() for parameter in network.parameters()) == 300 * 3 * 1024 + 7 * 512 * 3 * 1024 + 8 * 1024
    )


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"hidden_size": 0}, BadValue),
        ({"n_layers": 0}, BadValue),
        ({"dropout": 1.0}, BadValue),
        ({"kernel_size": 4}, BadValue),
        ({"pooling": "last"}, UnknownChoice),
    ],
)
def test_settings_out_of_range_are_refused(change, error):
    sizes = {"hidden_size": 4, "n_layers": 2, "kernel_size": 3, "dropout": 0.0, "pooling": "max"} | change
    with pytest.raises(error, match=rf"model\.encoder\.{next(iter(change))}"):
        GatedConvNet(INPUT_SIZE, **sizes)


@pytest.mark.parametrize("name", [name for name in NETWORKS if name.startswith("gated")])
def test_rows_and_padded_sentences_give_the_same_states(name):
    network, words = built(name), batch_of(SENTENCES)
    torch.testing.assert_close(network._in_rows(words.inputs, words), network._padded(words.inputs, words))
