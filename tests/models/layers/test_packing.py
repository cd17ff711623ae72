"""Packing, on the picture of its docstring."""

from polyprobe.models.layers.packing import Packing


def test_rows_stand_time_after_time_with_the_longest_sequence_first():
    packing = Packing.of([3, 1, 2])  # cells a0 a1 a2 b0 c0 c1
    assert packing.sizes == (3, 2, 1)
    assert packing.order.tolist() == [0, 2, 1]
    assert packing.cell_of_row.tolist() == [0, 4, 3, 1, 5, 2, 2, 5, 3, 1, 4, 0]
    assert packing.last_rows.tolist() == [[5, 11], [2, 8], [4, 10]]


def test_cells_and_rows_point_at_each_other():
    packing = Packing.of([2, 5, 1, 5])
    for cell, rows in enumerate(packing.rows_of_cell.tolist()):
        assert [packing.cell_of_row[row] for row in rows] == [cell, cell]
