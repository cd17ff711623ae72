"""Batches by hand and their order."""

from hypothesis import given
from hypothesis import strategies as st

from polyprobe.datamodules.base.batch_order import ShuffledBatches, batches_of_like_length, noisy_lengths


def test_items_are_sorted_by_length_and_cut_in_order():
    assert batches_of_like_length([5, 1, 3, 1], [1, 1, 2, 1], batch_size=3) == [[1, 3], [2, 0]]


def test_an_item_larger_than_a_batch_stands_alone():
    assert batches_of_like_length([1, 2, 3], [1, 9, 1], batch_size=4) == [[0], [1], [2]]


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 12)), max_size=40), st.integers(1, 10))
def test_every_item_is_in_one_batch_and_no_batch_is_too_large(items, batch_size):
    lengths, sizes = [length for length, _ in items], [size for _, size in items]
    batches = batches_of_like_length(lengths, sizes, batch_size)
    assert sorted(item for batch in batches for item in batch) == list(range(len(items)))
    assert all(len(batch) == 1 or sum(sizes[item] for item in batch) <= batch_size for batch in batches)


def test_the_order_is_a_function_of_seed_and_epoch():
    def order(seed: int, epoch: int) -> list[list[int]]:
        batches = ShuffledBatches(lambda _: [[number] for number in range(20)], seed)
        list(batches)
        batches.set_epoch(epoch)
        return list(batches)

    assert order(1, 5) == order(1, 5)
    assert order(1, 5) != order(1, 6)
    assert order(1, 5) != order(2, 5)
    assert sorted(order(1, 5)) == [[number] for number in range(20)]


def test_the_batches_of_an_epoch_are_those_of_its_number():
    batches = ShuffledBatches(lambda epoch: [[epoch], [epoch + 10]], seed=1)
    waiting = iter(batches)
    batches.set_epoch(3)  # as in a resumed run: after an iterator was requested
    assert sorted(waiting) == [[3], [13]]
    assert len(batches) == 2


@given(st.lists(st.integers(1, 60), max_size=40), st.floats(0, 1), st.integers(0, 9))
def test_a_noisy_length_is_off_by_a_part_of_itself_at_most(lengths, padding_noise, epoch):
    noisy = noisy_lengths(lengths, padding_noise, 1, epoch)
    for length, one in zip(lengths, noisy, strict=True):
        assert abs(one - length) <= length * padding_noise + 1e-9


def test_noise_is_a_function_of_seed_and_epoch_and_none_leaves_lengths():
    lengths = list(range(1, 30))
    assert noisy_lengths(lengths, 0.1, 1, 5) == noisy_lengths(lengths, 0.1, 1, 5)
    assert noisy_lengths(lengths, 0.1, 1, 5) != noisy_lengths(lengths, 0.1, 1, 6)
    assert noisy_lengths(lengths, 0.1, 1, 5) != noisy_lengths(lengths, 0.1, 2, 5)
    assert noisy_lengths(lengths, 0, 1, 5) == lengths
