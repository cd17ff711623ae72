"""Byte pair encoding beside that of subword-nmt 0.3.8 (`mt_cases/bpe`)."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyprobe.models.batches.target_units import WORD_END, TargetUnits

pytestmark = pytest.mark.real_data

SAME_MERGES = {50: 50, 500: 464, 2000: 1731}
"""Merges that both learned; the others are ties, which subword-nmt breaks in another way."""


def lines(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def codes(folder: Path, n_merges: int) -> list[str]:
    """The merges of a file whose first line is its version."""
    pairs = lines(folder / f"codes.{n_merges}")[1:]
    return [" ".join(piece.replace("</w>", WORD_END) for piece in pair) for pair in pairs]


def separated(units: TargetUnits, words: Sequence[str]) -> str:
    pieces = [units.texts[number] for number in units.ids(words)]
    return " ".join(piece.removesuffix(WORD_END) if piece.endswith(WORD_END) else f"{piece}@@" for piece in pieces)


@pytest.mark.parametrize("n_merges", SAME_MERGES)
def test_the_codes_of_subword_nmt_give_its_pieces(data_folder, n_merges):
    folder = data_folder / "mt_cases" / "bpe"
    text, merges = lines(folder / "test.txt"), codes(folder, n_merges)
    characters = sorted({character for words in [*text, *lines(folder / "train.txt")] for character in "".join(words)})
    units = TargetUnits((), characters, merges)
    assert len(text) == 152
    assert [separated(units, words) for words in text] == [" ".join(one) for one in lines(folder / f"test.{n_merges}")]


@pytest.mark.parametrize(("n_merges", "n_same"), SAME_MERGES.items())
def test_learned_merges_are_those_of_subword_nmt_but_for_ties(data_folder, n_merges, n_same):
    folder = data_folder / "mt_cases" / "bpe"
    units = TargetUnits.learned(lines(folder / "train.txt"), n_merges)
    assert len(units.merges) == n_merges
    assert len(set(units.merges) & set(codes(folder, n_merges))) == n_same
