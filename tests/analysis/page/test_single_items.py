"""Single sets and items on a page: the worst pairs, how many sets have which margin, what probes take for what."""

import numpy as np
import pytest

from polyprobe.analysis.page.single_items import (
    activation_panels,
    minimal_set_panels,
    predictions_panels,
    worst_pairs,
)
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import as_read, predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


def test_the_worst_pairs_come_lowest_first_and_have_the_nearest_variant():
    scores = set_scores("agreement", {"s1": [9.0, 9.0, 9.0], "s2": [1.0, -3.0, -2.0]})
    pairs = worst_pairs(scores, "sum", 2)
    assert [pair.number for pair in pairs] == [2, 3]
    assert [pair.margin for pair in pairs] == pytest.approx([-3, -2])
    assert pairs[0].sentences == ("set 2 good", "set 2 bad")
    assert pairs[0].sums == pytest.approx((-23, -20))


def test_a_set_that_is_left_out_is_no_pair():
    scores = set_scores("agreement", {"s1": [1.0, -3.0]}, left_out=np.array(["", "alone"]))
    assert [pair.number for pair in worst_pairs(scores, "sum", 5)] == [1]


def test_of_several_variants_the_likeliest_is_shown():
    scores = set_scores(
        "agreement",
        {"s1": [1.0]},
        sentences=np.array(["he runs", "he run", "he ran"]),
        set_of_sentence=np.zeros(3, dtype=np.int64),
        sums=np.log(2) * np.array([[-5.0, -7.0, -6.0]]),
        focuses=np.zeros((1, 3)),
        n_tokens=np.full(3, 2),
        n_characters=np.full(3, 7),
    )
    (pair,) = worst_pairs(scores, "sum", 5)
    assert (pair.margin, pair.sentences) == (pytest.approx(1), ("he runs", "he ran"))


@pytest.mark.parametrize(
    ("sentences", "marked"),
    [
        (["le roi dort", "le roi dorment"], [("le roi ", "dort", ""), ("le roi ", "dorment", "")]),
        (["他读了书", "他读过书"], [("他读", "了", "书"), ("他读", "过", "书")]),
        (["a b c", "a c"], [("a ", "b", " c"), ("a", "", " c")]),
    ],
)
def test_words_that_differ_are_marked_in_languages_without_blanks_too(tmp_path, sentences, marked):
    folder = minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0]}, sentences=np.array(sentences)))
    run = RunDirectory(folder)
    (panel,) = minimal_set_panels(run, run.rows())
    (fold,) = panel.folds
    assert [line[1].parts for line in fold.tables[0].rows] == marked


def test_bars_count_sets_on_either_side_of_0_and_ties_apart(tmp_path):
    run = RunDirectory(minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [-2.0, 0.0, 2.0, 2.0]})))
    (panel,) = minimal_set_panels(run, run.rows())
    (figure,) = panel.figures()
    (drawing,) = figure.drawings
    assert "agreement (n=4, 1 tie)" in drawing
    bars = [one.split("</title>")[0] for one in drawing.split("<rect ")[1:]]
    assert [("s1" in one.split('class="')[1].split('"')[0], one.rpartition(": ")[2]) for one in bars] == [
        (True, "1"),
        (False, "2"),
    ]


def test_items_that_excite_neurons_have_their_word_marked_and_their_shade(tmp_path):
    as_read([], tmp_path / "neurons")
    header = "test,epoch,neuron,end,place,activation,standardised,label,line,word,position,sentence"
    lines = ["Case,,7:12,most,1,0.5,3.0,a,4,c,2,b c", "Case,,7:12,least,1,-0.25,-1.5,b,9,d,,"]
    (tmp_path / "neurons" / "activations.csv").write_text("\n".join([header, *lines, ""]))
    (panel,) = activation_panels(RunDirectory(tmp_path / "neurons"))
    (fold,) = panel.folds
    most, least = fold.tables[0].rows
    assert most == ["7:12", "most", "0.50", "a", "b c"]
    assert (most[2].shade, most[4].parts) == (8, ("b ", "c", ""))
    assert least == ["7:12", "least", "-0.25", "b", "d"]
    assert least[2].shade == 4


def tables(tmp_path, right, **fields):
    (panel,) = predictions_panels(RunDirectory(predicted_run(tmp_path, "run", predictions("Case", right, **fields))))
    (fold,) = panel.folds
    return fold.title, [[list(map(str, line)) for line in table.rows] for table in fold.tables], fold.tables


def test_labels_confusion_and_errors_are_those_of_the_best_layer(tmp_path):
    title, (labels, confusion, errors), _ = tables(tmp_path, {"0": [[0, 0, 0, 0]], "1": [[1, 1, 0, 1]]})
    assert title == "Case, 1: 1 of 4 items wrong"
    assert labels == [["a", "2", "66.7", "b (1 of 2)"], ["b", "2", "80.0", "-"]]
    assert confusion == [["a", "1", "1"], ["b", "0", "2"]]
    assert errors == [["3", "w2", "a", "b", "1"]]


def test_cells_are_shaded_by_their_share_of_the_line(tmp_path):
    *_, (_, confusion, _) = tables(tmp_path, {"1": [[1, 1, 0, 1]]})
    assert [[getattr(cell, "shade", None) for cell in line[1:]] for line in confusion.rows] == [[4, 4], [None, 8]]


def test_fifty_errors_are_shown(tmp_path):
    title, (*_, errors), (*_, table) = tables(tmp_path, {"1": [[0] * 60]})
    assert (title, len(errors), table.title) == ("Case, 1: 60 of 60 items wrong", 50, "Errors, the first 50")


def test_counts_over_several_seeds_say_so(tmp_path):
    right = {"1": [[1, 1, 0, 1, 0], [0, 1, 0, 1, 1], [-1, -1, -1, -1, -1]]}
    title, (labels, _, errors), (_, confusion, _) = tables(tmp_path, right)
    assert title == "Case, 1: 3 of 5 items wrong in at least one of 2 seeds"
    assert labels[0][-1] == "b (4 of 6 over 2 seeds)"
    assert confusion.notes == ["Counts summed over 2 seeds; the shade is the share of a line."]
    assert [line[-1] for line in errors] == ["2", "1,2", "1"]


@pytest.mark.parametrize(("layers", "is_selected"), [(("0",), False), (("0", "1"), True)])
def test_a_layer_is_selected_where_there_are_several(tmp_path, layers, is_selected):
    folder = predicted_run(tmp_path, "run", predictions("Case", {layer: [[1, 0]] for layer in layers}))
    (panel,) = predictions_panels(RunDirectory(folder))
    assert ("selected on test" in panel.title_of_folds) == is_selected


@pytest.mark.parametrize(
    ("item", "parts"),
    [("a b c\t1", ("a ", "b", " c")), ("a b\t0", ("", "a", " b")), ("a b\t2", None), ("one\tother", None), ("a", None)],
)
def test_a_word_in_its_sentence_is_marked(tmp_path, item, parts):
    *_, (*_, errors) = tables(tmp_path, {"1": [[0, 1]]}, inputs=np.array([item, "b"]))
    assert getattr(errors.rows[0][1], "parts", None) == parts
