"""The list of neurons, and the files of what is found."""

import csv
from dataclasses import replace

import numpy as np
import torch

from polyprobe.analysis.neurons.neuron_settings import ITEMS, NEURONS, OVERLAPS
from polyprobe.analysis.neurons.rankings import ExcitedItem, RankedNeuron, Ranking, excited_items, ranked_neurons
from polyprobe.analysis.neurons.top_neurons import OverlapRow
from polyprobe.analysis.output.tables import write_records
from tests.analysis.neurons.small_probed import small_probed

WEIGHTS = np.array([[[1, 0, 0.5, -1], [-1, 0, -0.5, 4]], [[3, 0, 0.5, -1], [-4, 0, -1.5, 2]]])
RANKING = Ranking("weights", np.array([3, 0, 2, 1]), None)


def test_a_neuron_has_its_largest_weight_in_the_probe_of_the_first_seed_and_its_label():
    listed = list(ranked_neurons(small_probed(WEIGHTS, control_weights=WEIGHTS[1:]), RANKING, 2))
    about = {"test": "Case", "epoch": None, "ranking": "weights"}
    assert listed[:3] == [
        RankedNeuron(**about, rank=1, neuron="1:1", layer="layer_1", place=1, weight=4, label="Part",
                     control_weight=2, in_minimal_set=True),
        RankedNeuron(**about, rank=2, neuron="0:0", layer="layer_0", place=0, weight=1, label="Nom",
                     control_weight=-4, in_minimal_set=True),
        RankedNeuron(**about, rank=3, neuron="1:0", layer="layer_1", place=0, weight=0.5, label="Nom",
                     control_weight=-1.5, in_minimal_set=False),
    ]  # fmt: skip
    assert len(listed) == 4


def test_a_label_without_train_items_weighs_nothing():
    probed = small_probed(WEIGHTS, control_weights=WEIGHTS[1:])
    label_ids = {**probed.label_ids, "train": torch.zeros(4, dtype=torch.int64)}
    (best,) = ranked_neurons(replace(probed, label_ids=label_ids), RANKING, None, n=1)
    assert (best.weight, best.label, best.control_weight) == (-1, "Nom", -1)


def test_as_many_are_listed_as_are_asked_for():
    assert [row.rank for row in ranked_neurons(small_probed(WEIGHTS), RANKING, None, n=2)] == [1, 2]


def test_without_a_control_task_and_a_minimal_set_their_columns_are_empty():
    (row,) = ranked_neurons(small_probed(WEIGHTS), RANKING, None, n=1)
    assert (row.weight, row.label, row.control_weight, row.in_minimal_set) == (4, "Part", None, None)


def test_each_table_is_a_file_with_the_columns_of_its_records_even_without_any(tmp_path):
    probed = small_probed(WEIGHTS)
    folder = tmp_path / "new"
    files = [
        write_records(folder / NEURONS, RankedNeuron, ranked_neurons(probed, RANKING, 1)),
        write_records(folder / ITEMS, ExcitedItem, excited_items(probed, [0], 1)),
        write_records(folder / OVERLAPS, OverlapRow, []),
    ]
    assert files[2].read_text(encoding="utf-8") == "of,test,epoch,first,second,n,share,expected,low,high\n"
    with files[0].open(encoding="utf-8", newline="") as lines:
        neurons = list(csv.DictReader(lines))
    assert [row["neuron"] for row in neurons] == ["1:1", "0:0", "1:0", "0:1"]
    assert (neurons[0]["weight"], neurons[0]["in_minimal_set"], neurons[0]["control_weight"]) == ("4.0", "True", "")
    with files[1].open(encoding="utf-8", newline="") as lines:
        assert [row["word"] for row in csv.DictReader(lines)] == ["eilen", "paloi"]
