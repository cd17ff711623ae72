from src.analysis.similarity.similarity_grid import grids_of, similarity_tables
from tests.analysis.similarity.similarity_handmade import A, of_seeds, similarity_row


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


def test_epochs_stand_beside_the_last_and_beside_those_of_the_other_seed():
    found = tables(of_seeds())
    assert found["cka, each epoch with the last, 9: srl-s1"] == [["0", "0.02"], ["2", "0.12"]]
    assert found["cka, the same epoch of srl-s1 and srl-s2"] == [["0", "0.03"], ["2", "0.14"], ["9", "0.25"]]
    assert not any(title.startswith("Each layer with the next") for title in found)


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
    assert table.notes[1:] == ["* rests on fewer than 30 items."]


def test_a_layer_and_the_next_one_have_a_line():
    one, other = ((*A, layer, 9) for layer in ("encoding", "bilstm"))
    found = tables([similarity_row(one, other, 0.75), similarity_row(one, other, None, metric="rsa")])
    assert found["Each layer with the next one: lang=mini, linspector_type Case, n=400"] == [
        ["srl-s1", "encoding/9", "bilstm/9", "0.75", "0.65 to 0.85", "-", "-"]
    ]


def test_of_many_epochs_eight_are_shown_the_first_and_the_last_among_them():
    places = [(*A, "encoding", epoch) for epoch in range(22)]
    rows = [similarity_row(one, other, 0.5) for number, one in enumerate(places) for other in places[number + 1 :]]
    lines = tables(rows)["cka, each epoch with the last, 21: srl-s1"]
    assert [epoch for epoch, _ in lines] == ["0", "3", "6", "9", "11", "14", "17", "20"]
