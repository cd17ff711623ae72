"""Sequences that share their beginnings, in rows."""

from polyprobe.predictors.causal.packed_prefixes import pack, ranges


def test_each_distinct_prefix_is_one_position():
    packed = pack([(1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 6, 7), (1, 3)])
    assert packed.ids.tolist() == [1, 2, 3, 6]
    assert packed.depths.tolist() == [0, 1, 2, 2]
    assert packed.contexts.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 3, 0]
    assert packed.predicted.tolist() == [2, 3, 4, 2, 3, 5, 2, 6, 7, 3]
    assert packed.sees().astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]]
    assert packed.ends().tolist() == [2, 3]


def test_ranges_hold_no_more_prefixes_than_asked_for():
    sequences = [(1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 6, 7), (1, 3), (2,) * 9, (3, 1)]
    cut = ranges(sequences, 4)
    assert [sequences[one] for one in cut] == [sequences[:4], sequences[4:5], sequences[5:]]
    assert [len(pack(sequences[one]).ids) for one in cut] == [4, 8, 1]
