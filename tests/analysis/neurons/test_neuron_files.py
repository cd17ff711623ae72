"""The list of neurons, and the files of what is found."""

import csv
from dataclasses import replace

import numpy as np
import torch

from polyprobe.analysis.neurons.neuron_settings import ITEMS, NEURONS
from polyprobe.analysis.neurons.rankings import ExcitedItem, RankedNeuron, Ranking, excited_items, ranked_neurons
from polyprobe.analysis.output.tables import write_records
from tests.analysis.neurons.small_probed import small_probed

WEIGHTS = np.array([[[1, 0, 0.5, -1], [-1, 0, -0.5, 4]], [[3, 0, 0.5, -1], [-4, 0, -1.5, 2]]])
RANKING = Ranking("weights", np.array([3, 0, 2, 1]), None)


def test_a_neuron_has_its_largest_weight_in_the_probe_of_the_first_seed_and_its_label():
    listed = list(ranked_neurons(small_probed(WEIGHTS, control_weights=WEIGHTS[1:]), RANKING))
    about = {"test": "Case", "epoch": None, "ranking": "weights"}
    assert listed[:3] == [
        RankedNeuron(**about, rank=1, neuron="1:1", layer="layer_1", place=1, weight=4, label="Part",
                     control_weight=2),
        RankedNeuron(**about, rank=2, neuron="0:0", layer="layer_0", place=0, weight=1, label="Nom",
                     control_weight=-4),
        RankedNeuron(**about, rank=3, neuron="1:0", layer="layer_1", place=0, weight=0.5, label="Nom",
                     control_weight=-1.5),
    ]  # fmt: skip
    assert len(listed) == 4


def test_a_label_without_train_items_weighs_nothing():
    probed = small_probed(WEIGHTS, control_weights=WEIGHTS[1:])
    label_ids = {**probed.label_ids, "train": torch.zeros(4, dtype=torch.int64)}
    best, *_ = ranked_neurons(replace(probed, label_ids=label_ids), RANKING)
    assert (best.weight, best.label, best.control_weight) == (-1, "Nom", -1)


def test_each_table_is_a_file_with_the_columns_of_its_records_without_any(tmp_path):
    probed = small_probed(WEIGHTS)
    folder = tmp_path / "new"
    files = [
        write_records(folder / NEURONS, RankedNeuron, ranked_neurons(probed, RANKING)),
        write_records(folder / ITEMS, ExcitedItem, excited_items(probed, [0], 1)),
    ]
    with files[0].open(encoding="utf-8", newline="") as lines:
        neurons = list(csv.DictReader(lines))
    assert [row["neuron"] for row in neurons] == ["1:1", "0:0", "1:0", "0:1"]
    assert (neurons[0]["weight"], neurons[0]["control_weight"]) == ("4.0", "")
    with files[1].open(encoding="utf-8", newline="") as lines:
        assert [row["word"] for row in csv.DictReader(lines)] == ["eilen", "paloi"]
