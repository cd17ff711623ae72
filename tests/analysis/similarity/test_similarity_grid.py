import numpy as np

from polyprobe.analysis.similarity.similarity_grid import LayerPlace, grids_of, similarity_tables
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
    assert grid.short_labels == {A: "srl-s1", B: "srl-s2", ("char_ngrams", None): "char_ngrams"}
    narrow = ("char_ngrams", "width=16", "char_ngrams", None)
    (grid,) = grids_of([similarity_row(NGRAMS, narrow, 0.5)])
    assert list(grid.short_labels.values()) == ["char_ngrams, options as in its file", "char_ngrams width=16"]
    assert grid.layers[1] == LayerPlace(*narrow)
    own = 'suite.path=my/bare.tsv suite.columns=["word","label"]'
    ends = [("transformer", f"minilm/model, word_pooling={pooling} {own}", "0", None) for pooling in ("first", "last")]
    (grid,) = grids_of([similarity_row(*ends, 0.5)])
    assert list(grid.short_labels.values()) == ["minilm/model, word_pooling=first", "minilm/model, word_pooling=last"]
    (grid,) = grids_of([similarity_row(ends[0], (*ends[0][:2], "1", None), 0.5)])
    assert list(grid.short_labels.values()) == ["minilm/model, word_pooling=first"]


def tables(rows):
    (grid,) = grids_of(rows)
    return {one.title: one.lines for one in similarity_tables(grid)}


def test_pairs_of_encoders_have_their_mean_and_their_best_layers():
    """Epochs 0, 2 and 9 of two models; the similarity of place i and j is 0.1 i + 0.01 j."""
    by_encoder = tables(of_seeds())["Encoders by cka: lang=mini, linspector_type Case, n=400"]
    assert by_encoder == [
        ["srl-s1", "srl-s1", "encoding/2 ~ encoding/9", "0.05", "0.12", "0.02 to 0.22", "0.01"],
        ["srl-s1", "srl-s2", "encoding/9 ~ encoding/9", "0.14", "0.25", "0.15 to 0.35", "0.01"],
        ["srl-s1", "char_ngrams", "encoding/9 ~ char_ngrams", "0.16", "0.26", "0.16 to 0.36", "0.01"],
        ["srl-s2", "srl-s2", "encoding/2 ~ encoding/9", "0.38", "0.45", "0.35 to 0.55", "0.01"],
        ["srl-s2", "char_ngrams", "encoding/9 ~ char_ngrams", "0.46", "0.56", "0.46 to 0.66", "0.01"],
    ]


def test_pairs_without_constant_columns_are_counted_below_the_table():
    noted = {"note": "without 0 constant columns and 2 constant columns"}
    rows = [similarity_row((*A, "encoding", 0), (*A, "encoding", epoch), 0.5, **noted) for epoch in (1, 2)]
    (grid,) = grids_of([*rows, similarity_row((*A, "encoding", 1), (*A, "encoding", 2), 0.5)])
    notes = similarity_tables(grid)[0].notes
    assert notes[-1] == "2 of the pairs leave out constant columns or have no value: see similarity.csv."


def test_few_items_are_marked_and_are_no_note_about_columns():
    few = {"n": 20, "note": "fewer than 30 items"}
    (grid,) = grids_of([similarity_row((*A, "encoding", 0), (*A, "encoding", 1), 0.5, **few)])
    table = similarity_tables(grid)[0]
    assert table.title.endswith("n=20*")
    assert table.notes[1:] == ["* fewer than 30 items."]


def test_a_layer_and_the_next_one_have_a_line():
    one, other = ((*A, layer, 9) for layer in ("encoding", "bilstm"))
    found = tables([similarity_row(one, other, 0.75), similarity_row(one, other, None, metric="maxcorr")])
    assert found["Each layer vs. the next layer: lang=mini, linspector_type Case, n=400"] == [
        ["srl-s1", "encoding/9", "bilstm/9", "0.75", "0.65 to 0.85", "-", "-"]
    ]
