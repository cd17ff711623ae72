"""How sentences are cut where no batch is given."""

from polyprobe.models.base.task_coder import CELLS_AT_ONCE, blocks_of_sentences


def test_blocks_are_cut_before_they_grow_too_large_and_a_long_sentence_stands_alone():
    half = CELLS_AT_ONCE // 2
    assert list(blocks_of_sentences("abcd", [half, half, 1, 2 * CELLS_AT_ONCE])) == ["ab", "c", "d"]
