import numpy as np

from src.analysis.similarity.similarity_grid import LayerPlace, grids_of
from tests.analysis.similarity.similarity_handmade import NGRAMS, A, B, of_seeds, similarity_row


def test_one_direction_stands_for_both():
    (grid,) = grids_of(of_seeds())
    assert [place.name for place in grid.layers] == [*["encoding/0", "encoding/2", "encoding/9"] * 2, "char_ngrams"]
    values = grid.measures["cka"]
    assert values.values[0, 3] == values.values[3, 0] == 0.03
    assert values.values[2, 6] == values.values[6, 2] == 0.26
    assert (values.low[2, 6], values.high[6, 2]) == (0.16, 0.36)
    assert np.isnan(values.values.diagonal()).all()
    assert values.is_symmetric


def test_two_directions_stay_apart_and_no_value_is_none():
    x, y, z = (("transformer", None, layer, None) for layer in "012")
    pairs = {(x, y): 0.5, (x, z): None, (y, x): 0.7, (y, z): 0.4, (z, x): 0.3, (z, y): 0.4}
    (grid,) = grids_of([similarity_row(*pair, value) for pair, value in pairs.items()])
    values = grid.measures["cka"]
    assert np.array_equal(
        values.values, [[np.nan, 0.5, np.nan], [0.7, np.nan, 0.4], [0.3, 0.4, np.nan]], equal_nan=True
    )
    assert not values.is_symmetric


def test_every_test_and_measure_has_its_own_matrix():
    rows = [*of_seeds(), *of_seeds(metric="maxcorr"), *of_seeds(test="Number"), {"stage": "probing", "test": "POS"}]
    grids = grids_of(rows)
    assert [grid.first["test"] for grid in grids] == ["Case", "Number"]
    assert [list(grid.measures) for grid in grids] == [["cka", "maxcorr"], ["cka"]]


def test_epochs_are_paired_with_the_last_and_with_those_of_another_model():
    (grid,) = grids_of(of_seeds())
    assert grid.epochs(A) == [0, 2, 9]
    assert grid.with_last_epoch(A) == {"encoding": [(0, 2), (1, 2)]}
    assert grid.with_last_epoch(("char_ngrams", None)) == {}
    assert grid.trained_alike == [(A, B)]
    assert grid.same_epochs(A, B) == {"encoding": [(0, 3), (1, 4), (2, 5)]}


def test_a_layer_has_the_next_one_of_the_last_epoch_beside_it():
    low, high = ((*A, layer, epoch) for layer, epoch in (("encoding", 9), ("bilstm", 9)))
    first = (*A, "encoding", 0)
    rows = [similarity_row(first, low, 0.1), similarity_row(first, high, 0.2), similarity_row(low, high, 0.3)]
    (grid,) = grids_of([*rows, similarity_row(low, NGRAMS, 0.4)])
    assert [(grid.layers[one].name, grid.layers[two].name) for one, two in grid.successors(A)] == [
        ("encoding/9", "bilstm/9")
    ]
    assert grid.successors(NGRAMS[:2]) == []


def test_an_encoder_is_called_what_distinguishes_it():
    (grid,) = grids_of(of_seeds())
    assert grid.labels == {A: "srl-s1", B: "srl-s2", ("char_ngrams", None): "char_ngrams"}
    narrow = ("char_ngrams", "width=16", "char_ngrams", None)
    (grid,) = grids_of([similarity_row(NGRAMS, narrow, 0.5)])
    assert list(grid.labels.values()) == ["char_ngrams, options as in its file", "char_ngrams width=16"]
    assert grid.layers[1] == LayerPlace(*narrow)


def test_an_encoder_that_is_alone_is_called_by_its_model():
    (grid,) = grids_of([similarity_row((*A, "encoding", 0), (*A, "encoding", 1), 0.5)])
    assert grid.labels == {A: "srl-s1"}
