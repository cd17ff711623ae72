"""Layer counts written by hand: how many top neurons lie in each of a few layers."""

import numpy as np

from polyprobe.analysis.neurons.top_neurons import MASS, NUMBER, CountedTest, LayerCounts

LAYERS = ("embeddings", "layer_1", "layer_2")


def layer_counts(numbers: list[int], share_of: str, widths: tuple[int, ...] = (10, 10, 20)) -> LayerCounts:
    """Makes the counts of one seed, without those of labels."""
    of_all, of_labels = np.array([numbers]), np.zeros((1, 0, len(numbers)), np.int64)
    return LayerCounts(share_of, 0.2, LAYERS[: len(numbers)], np.array(widths[: len(numbers)]), of_all, of_labels)


def counted_test(
    test: str, mass: list[int], number: list[int], control: list[int] | None = None, epoch: int | None = None
) -> CountedTest:
    """Makes a test with both counts; those of its control task are the same for both meanings."""
    of_control = {} if control is None else {share_of: layer_counts(control, share_of) for share_of in (MASS, NUMBER)}
    return CountedTest(test, epoch, {MASS: layer_counts(mass, MASS), NUMBER: layer_counts(number, NUMBER)}, of_control)
