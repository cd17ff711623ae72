"""Both decoders: their losses against a plain `nn.LSTM`, their searches against all sequences of a small vocabulary."""

from collections.abc import Sequence
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from polyprobe.models.batches.target_units import END_ID
from polyprobe.models.decoders.unit_decoder import AttentionDecoder, EncodedSentences, LSTMDecoder

DECODERS = {"lstm": LSTMDecoder, "attention": AttentionDecoder}
SENTENCE_SIZE, STATE_SIZE, UNIT_SIZE, HIDDEN_SIZE = 6, 8, 4, 5
TARGETS = [[2, 3, 1], [], [4, 4, 4, 1, 2], [1]]


@pytest.fixture(params=DECODERS)
def kind(request) -> str:
    return request.param


def built(kind: str, n_units: int = 6, n_layers: int = 2, spread: float = 0.0) -> LSTMDecoder:
    """Returns a decoder in evaluation mode; `spread` makes its choices vary from sentence to sentence."""
    generator = torch.Generator().manual_seed(1)
    sizes = {"unit_size": UNIT_SIZE, "hidden_size": HIDDEN_SIZE, "n_layers": n_layers, "dropout": 0.2}
    decoder = DECODERS[kind](sentence_size=SENTENCE_SIZE, state_size=STATE_SIZE, n_units=n_units, **sizes).eval()
    decoder.initialise(generator)
    if spread:
        for parameter in decoder.parameters():
            nn.init.normal_(parameter, std=spread, generator=generator)
    return decoder


def encoded_sentences(lengths: Sequence[int] = (3, 1, 4, 2), seed: int = 5) -> EncodedSentences:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(lengths), SENTENCE_SIZE, generator=generator)
    return EncodedSentences(vectors, torch.randn(sum(lengths), STATE_SIZE, generator=generator), tuple(lengths))


def only(encoded: EncodedSentences, number: int) -> EncodedSentences:
    states = encoded.states.split(encoded.lengths)[number]
    return EncodedSentences(encoded.vectors[number : number + 1], states, (encoded.lengths[number],))


def grids(targets: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Returns previous and next ids: `[steps, sentences]`."""
    shape = max(map(len, targets)) + 1, len(targets)
    previous, following = torch.full(shape, END_ID), torch.full(shape, -100)
    for column, units in enumerate(targets):
        previous[1 : len(units) + 1, column] = torch.tensor(units)
        following[: len(units) + 1, column] = torch.tensor([*units, END_ID])
    return previous, following


def plain_logits(decoder: LSTMDecoder, encoded: EncodedSentences, number: int, units: Sequence[int]) -> Tensor:
    """Reads one target by a plain `nn.LSTM` and, where there is attention, word by word: `[units + 1, n_units]`."""
    layers = decoder.lstm.layers
    reference = nn.LSTM(UNIT_SIZE + SENTENCE_SIZE, HIDDEN_SIZE, len(layers)).to(encoded.vectors.dtype)
    weights = {f"{name[:-3]}_l{k}": value for k, layer in enumerate(layers) for name, value in layer.named_parameters()}
    read = torch.tensor([END_ID, *units])
    inputs = [torch.cat([decoder.lstm.embedding.weight[unit], encoded.vectors[number]]) for unit in read]
    states, _ = torch.func.functional_call(reference, weights, (torch.stack(inputs),))
    if isinstance(decoder, AttentionDecoder):
        words = encoded.states.split(encoded.lengths)[number]
        attended = []
        for state in states:
            shares = torch.stack([decoder.query(state) @ word for word in words]).softmax(0)
            mean = sum(share * word for share, word in zip(shares, words, strict=True))
            attended.append(torch.tanh(decoder.joined(torch.cat([mean, state]))))
        states = torch.stack(attended)
    return decoder.output(states)


def plain_loss(decoder: LSTMDecoder, encoded: EncodedSentences, targets: Sequence[Sequence[int]]) -> Tensor:
    losses = []
    for number, units in enumerate(targets):
        logits = plain_logits(decoder, encoded, number, units)
        losses.append(nn.functional.cross_entropy(logits, torch.tensor([*units, END_ID]), reduction="sum"))
    return torch.stack(losses).sum()


@pytest.mark.parametrize("n_layers", [1, 2])
def test_loss_and_gradients_are_those_of_a_plain_lstm(kind, n_layers):
    decoder, encoded = built(kind, n_layers=n_layers), encoded_sentences()
    leaves = [*decoder.parameters(), encoded.vectors.requires_grad_()]
    if kind == "attention":
        leaves.append(encoded.states.requires_grad_())
    own, plain = decoder.loss(encoded, *grids(TARGETS), 3.0), plain_loss(decoder, encoded, TARGETS) / 3
    torch.testing.assert_close(own, plain)
    for found, expected in zip(torch.autograd.grad(own, leaves), torch.autograd.grad(plain, leaves), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(1, 5), max_size=6), min_size=1, max_size=6), st.sampled_from(sorted(DECODERS)))
def test_surprisals_stand_sentence_after_sentence_and_sum_to_the_loss(targets, kind):
    decoder, encoded = built(kind), encoded_sentences([1 + k % 3 for k in range(len(targets))])
    surprisals = decoder.surprisals(encoded, *grids(targets))[0]
    expected = []
    for number, units in enumerate(targets):
        logits = plain_logits(decoder, encoded, number, units).log_softmax(1)
        expected += [-row[unit] for row, unit in zip(logits, [*units, END_ID], strict=True)]
    torch.testing.assert_close(surprisals, torch.stack(expected), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(surprisals.sum(), decoder.loss(encoded, *grids(targets), 1.0), rtol=1e-5, atol=1e-5)


def test_padding_and_sentences_without_loss_change_nothing(kind):
    decoder, encoded = built(kind), encoded_sentences()
    previous, following = grids(TARGETS)
    padded = [torch.cat([grid, torch.full((3, 4), filler)]) for grid, filler in ((previous, END_ID), (following, -100))]
    torch.testing.assert_close(decoder.loss(encoded, *padded, 1.0), decoder.loss(encoded, previous, following, 1.0))
    following[:, 2] = -100
    without = [decoder.loss(only(encoded, k), *grids([TARGETS[k]]), 1.0) for k in (0, 1, 3)]
    torch.testing.assert_close(decoder.loss(encoded, previous, following, 1.0), sum(without))


def test_a_batch_without_any_unit_to_predict_still_reaches_all_parameters(kind):
    decoder, encoded = built(kind).train(), encoded_sentences()
    previous, following = grids(TARGETS)
    loss = decoder.loss(encoded, previous, torch.full_like(following, -100), 1.0)
    loss.backward()
    assert loss == 0
    assert all(parameter.grad is not None and parameter.grad.abs().sum() == 0 for parameter in decoder.parameters())


def test_units_are_dropped_in_training_only(kind):
    decoder, encoded = built(kind), encoded_sentences()
    first = decoder.loss(encoded, *grids(TARGETS), 1.0)
    assert first == decoder.loss(encoded, *grids(TARGETS), 1.0)
    assert first != decoder.train().loss(encoded, *grids(TARGETS), 1.0)


def test_gradients_under_bfloat16_are_near_those_of_float32(kind):
    decoder, encoded = built(kind), encoded_sentences()
    exact = torch.autograd.grad(decoder.loss(encoded, *grids(TARGETS), 1.0), [*decoder.parameters()])
    with torch.autocast("cpu", torch.bfloat16):
        loss = decoder.loss(encoded, *grids(TARGETS), 1.0)
        assert decoder.surprisals(encoded, *grids(TARGETS))[0].dtype == torch.float32
    assert loss.dtype == torch.float32
    for found, expected in zip(torch.autograd.grad(loss, [*decoder.parameters()]), exact, strict=True):
        assert (found - expected).norm() < 0.05 * expected.norm()


def test_attention_goes_to_the_words_of_the_own_sentence():
    decoder, encoded = built("attention"), encoded_sentences((3, 1, 4, 2))
    sentence_ids = torch.tensor([2, 0, 1, 0, 3, 2])
    states = torch.randn(6, HIDDEN_SIZE, generator=torch.Generator().manual_seed(2))
    weights = decoder.attention(states, encoded, sentence_ids)
    torch.testing.assert_close(weights.sum(1), torch.ones(6))
    assert (weights > 0).sum(1).tolist() == [4, 3, 1, 3, 2, 4]
    alone = [
        decoder.attention(state[None], only(encoded, k), torch.tensor([0]))[0]
        for state, k in zip(states, sentence_ids, strict=True)
    ]
    for row, own in zip(weights, alone, strict=True):
        torch.testing.assert_close(row[: len(own)], own)


def mean_log_probability(decoder: LSTMDecoder, encoded: EncodedSentences, number: int, units: Sequence[int]) -> float:
    logits = plain_logits(decoder, encoded, number, units).double().log_softmax(1)
    return logits[torch.arange(len(units) + 1), torch.tensor([*units, END_ID])].mean().item()


def plain_greedy(decoder: LSTMDecoder, encoded: EncodedSentences, number: int, longest: int) -> list[int]:
    units: list[int] = []
    while len(units) < longest:
        best = plain_logits(decoder, encoded, number, units)[-1].argmax().item()
        if best == END_ID:
            break
        units.append(best)
    return units


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_greedy_search_takes_the_best_unit_at_every_step(kind, spread):
    decoder, encoded = built(kind, spread=spread), encoded_sentences()
    expected = [plain_greedy(decoder, encoded, number, 5) for number in range(4)]
    assert [units.tolist() for units in decoder.greedy(encoded, 5)] == expected
    assert [units.tolist() for units in decoder.beam(encoded, 5, beam_size=1)] == expected


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("longest", [0, 1, 3])
def test_a_wide_beam_finds_the_best_of_all_sequences(kind, spread, longest):
    decoder, encoded = built(kind, n_units=4, spread=spread), encoded_sentences()
    sequences = [units for n_units in range(longest + 1) for units in product([1, 2, 3], repeat=n_units)]
    found = decoder.beam(encoded, longest, beam_size=len(sequences))
    for number, units in enumerate(found):
        scores = {sequence: mean_log_probability(decoder, encoded, number, sequence) for sequence in sequences}
        assert tuple(units) == max(scores, key=scores.__getitem__)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_sentence_is_decoded_alone_as_in_a_batch(kind, beam_size):
    decoder, encoded = built(kind, spread=1.0), encoded_sentences()
    together = decoder.beam(encoded, 6, beam_size)
    alone = [decoder.beam(only(encoded, number), 6, beam_size)[0] for number in range(4)]
    assert [units.tolist() for units in together] == [units.tolist() for units in alone]


def test_no_target_is_longer_than_allowed_or_contains_the_end(kind):
    decoder, encoded = built(kind, spread=1.0), encoded_sentences()
    for beam_size in (1, 2, 4):
        assert all(len(units) <= 4 and END_ID not in units for units in decoder.beam(encoded, 4, beam_size))


def test_all_parameters_are_drawn_from_the_generator(kind):
    torch.manual_seed(1)
    one = built(kind).state_dict()
    torch.manual_seed(2)
    other = built(kind).state_dict()
    assert all(one[name].equal(other[name]) for name in one)
