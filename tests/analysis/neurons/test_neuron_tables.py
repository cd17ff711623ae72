from polyprobe.analysis.neurons.neuron_tables import neuron_tables
from tests.analysis.neurons.neuron_rows import of_epoch, row


def texts(table):
    return table.lines


def test_accuracies_and_layers_have_a_table_each():
    kept, layers = neuron_tables(of_epoch(8, 0.8, 0.75))
    assert kept.title == "Accuracy (%) by number of neurons kept: Case, epoch 8, n = 200; 80.0, with all 40"
    assert kept.header == ["kept", "4"]
    assert texts(kept) == [["top of weights, zeroed", "75.0"]]
    assert layers.header == ["test", "encoding", "bilstm"]
    assert texts(layers) == [["Case, of the weight mass", "3", "1"]]
    assert kept.notes[-1] == "Selectivity with all: 50.0, over the probe of the control task."


def test_of_several_epochs_the_last_is_shown():
    *_, layers = tables = neuron_tables([*of_epoch(0, 0.4, 0.3), *of_epoch(8, 0.8, 0.75)])
    assert texts(tables[0]) == [["top of weights, zeroed", "75.0"]]
    assert layers.notes[-1] == "Last of 2 epochs; for all of them see results.jsonl."


def test_neurons_that_are_kept_at_an_earlier_epoch_are_shown_beside_the_probe_of_that_epoch():
    last = [one for one in of_epoch(8, 0.8, 0.75) if one.get("ablation") in (None, "all")]
    kept, layers = neuron_tables([*of_epoch(0, 0.4, 0.3), *last])
    assert kept.title.endswith("Case, epoch 0, n = 200; 40.0, with all 40")
    assert layers.title.endswith("epoch 8")


def test_a_failed_probe_has_no_number():
    rows = [{**one, "value": None} if one.get("ablation") == "top_zeroed" else one for one in of_epoch(8, 0.8, 0.75)]
    assert texts(neuron_tables(rows)[0]) == [["top of weights, zeroed", "-"]]


def test_without_neurons_that_are_kept_there_are_the_layers_alone():
    rows = [one for one in of_epoch(8, 0.8, 0.75) if one.get("ablation") in (None, "all")]
    (layers,) = neuron_tables(rows)
    assert layers.title.startswith("Top neurons by layer")


def test_rows_of_earlier_versions_are_passed_over():
    rows = [
        row(ablation="minimal_set", ranking="gaussian", value=None, epoch=8, note="no minimal set: too few"),
        row(ablation="top_retrained", ranking="weights", neurons=4, value=0.7, epoch=8),
        row("overlap_with_control", ranking="weights", neurons=8, value=0.25, epoch=8),
    ]
    found = neuron_tables(of_epoch(8, 0.8, 0.75))
    assert [texts(table) for table in neuron_tables([*of_epoch(8, 0.8, 0.75), *rows])] == [*map(texts, found)]


def test_as_many_neurons_drawn_evenly_have_one_line():
    counts = [
        row(
            "neurons_of_number", ranking="weights", test=test, layer=layer, value=4.0, permuted=even, neurons=8, epoch=8
        )
        for test in ("Case", "Mood")
        for layer, even in (("encoding", 3.0), ("bilstm", 5.0))
    ]
    others = [one for one in of_epoch(8, 0.8, 0.75) if one["metric"] != "neurons_of_mass"]
    *_, layers = neuron_tables([*others, *counts])
    assert texts(layers) == [
        ["Case, of the number", "4", "4"],
        ["8 at random", "3", "5"],
        ["Mood, of the number", "4", "4"],
    ]
