"""Blocks of work are computed once, whoever needs them, and survive in files."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from polyprobe.predictors.base.predictor import KeptBlocks, NothingKept

NAMES = ["0a", "1b", "2c", "3d"]


def block(number):
    return {"values": np.arange(number, dtype=np.float32)}


def refuse(number):
    raise AssertionError(f"block {number} is computed")


def values(blocks):
    return [arrays["values"].tolist() for arrays in blocks]


def test_blocks_come_in_the_order_of_their_names_and_are_found_again(tmp_path):
    expected = [[0.0] * 0, [0.0], [0.0, 1.0], [0.0, 1.0, 2.0]]
    assert values(NothingKept().blocks(NAMES, block)) == expected
    assert values(KeptBlocks(tmp_path).blocks(NAMES, block)) == expected
    assert values(KeptBlocks(tmp_path).blocks(NAMES[::-1], refuse)) == expected[::-1]


def test_what_was_computed_before_a_failure_is_kept(tmp_path):
    def fail_at_two(number):
        if number == 2:
            raise KeyboardInterrupt
        return block(number)

    with pytest.raises(KeyboardInterrupt):
        KeptBlocks(tmp_path).blocks(NAMES, fail_at_two)
    assert values(KeptBlocks(tmp_path).blocks(NAMES[:2], refuse)) == values(map(block, range(2)))


@pytest.mark.parametrize("damage", [b"", b"PK", b"not an archive at all"])
def test_a_damaged_block_is_named_and_computed_again(tmp_path, damage, caplog):
    KeptBlocks(tmp_path).blocks(NAMES, block)
    (tmp_path / "2c.npz").write_bytes(damage)
    computed = []
    found = KeptBlocks(tmp_path).blocks(NAMES, lambda number: computed.append(number) or block(number))
    assert computed == [2]
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / '2c.npz'} is damaged. Its block is computed again."
    ]
    assert values(found) == values(map(block, range(4)))


def test_what_a_killed_writer_left_an_hour_ago_is_removed(tmp_path):
    old, young = tmp_path / ".0a.npz.1.tmp", tmp_path / ".0a.npz.2.tmp"
    for path in (old, young):
        path.write_bytes(b"half a block")
    os.utime(old, (0, 0))
    KeptBlocks(tmp_path).blocks(NAMES, block)
    assert not old.exists()
    assert young.exists()


def test_a_block_that_another_one_computes_is_waited_for_while_the_others_are_done(tmp_path):
    begun, others_done, computed = Event(), Event(), []

    def slow(number):
        computed.append(number)
        if number == 0:
            begun.set()
            assert others_done.wait(timeout=60)
        return block(number)

    def quick(number):
        computed.append(number)
        if number == 3:
            others_done.set()
        return block(number)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(KeptBlocks(tmp_path).blocks, NAMES, slow)
        assert begun.wait(timeout=60)
        second = pool.submit(KeptBlocks(tmp_path).blocks, NAMES, quick)
        assert values(first.result()) == values(second.result()) == values(map(block, range(4)))
    assert sorted(computed) == [0, 1, 2, 3]
