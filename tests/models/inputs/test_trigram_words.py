"""How the vectors of trigrams start: their distribution, worked out from the size of the matrix."""

import pytest
import torch

from polyprobe.models.inputs.learned_words import TrigramWords
from polyprobe.models.inputs.vocabularies import UNKNOWN

TRIGRAMS = ["<padding>", UNKNOWN, *(f"{number:03}" for number in range(798))]


def started(trigram_start: str) -> torch.Tensor:
    """Returns the vectors of all trigrams but the padding: `[799, 40]`."""
    reader = TrigramWords(TRIGRAMS, 40, 5, trigram_start)
    reader.initialise(torch.Generator().manual_seed(1))
    assert not reader.trigrams.weight[0].any()
    return reader.trigrams.weight.detach()[1:]


def test_they_are_normal_with_a_deviation_of_one():
    drawn = started("normal")
    assert drawn.std().item() == pytest.approx(1.0, rel=0.02)
    assert drawn.abs().max() > 3.5


def test_they_are_even_within_the_bound_of_glorot():
    drawn, bound = started("glorot"), (6 / (800 + 40)) ** 0.5
    assert drawn.abs().max().item() == pytest.approx(bound, rel=0.01)
    assert drawn.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)


def test_their_columns_are_orthogonal_so_that_an_entry_is_as_small_as_they_are_long():
    drawn = started("orthogonal")
    torch.testing.assert_close(drawn.T @ drawn, torch.eye(40), rtol=0, atol=0.03)  # the padding was a row, too
    assert drawn.square().mean().item() == pytest.approx(1 / 800, rel=0.01)


def test_a_reader_whose_checkpoint_does_not_say_how_it_started_started_normal():
    assert TrigramWords(TRIGRAMS, 40, 5).start == "normal"
