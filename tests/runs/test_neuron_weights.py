"""Weights of neurons are read as they were written."""

import numpy as np

from polyprobe.runs.array_records import NO_EPOCH, NeuronWeights


def example() -> NeuronWeights:
    return NeuronWeights(
        test="Case",
        labels=np.array(["Gen", "Nom"]),
        layers=np.array(["0", "1"]),
        widths=np.array([2, 1]),
        epochs=np.array([NO_EPOCH]),
        seeds=np.array([1]),
        weights=np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3),
        biases=np.zeros((1, 1, 2), np.float32),
        searched=np.zeros((1, 1, 4, 6)),
        control_weights=np.zeros((0, 1, 2, 3), np.float32),
        control_biases=np.zeros((0, 1, 2), np.float32),
    )


def test_what_was_written_is_read_again(tmp_path):
    read = NeuronWeights.read(example().write(tmp_path))
    np.testing.assert_array_equal(read.weights, example().weights)
    assert read.layers.tolist() == ["0", "1"]
