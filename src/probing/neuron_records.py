"""What a run keeps of probes over the neurons of all layers: their weights, test by test."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from src.display.shown import say
from src.encoders.base.encoder import CountEncoder, Encoder, Layer
from src.errors import PolyprobeError
from src.probing.all_layers import layers_together
from src.probing.bank.jobs import ProbeOutcome
from src.probing.design import Design
from src.probing.stages import CONTROL, MAIN, StageOutcomes
from src.probing.suites.tests import ProbingTest
from src.runs.array_records import NO_EPOCH, SEARCHED, NeuronWeights


def design_of_neurons(design: Design, encoder: Encoder | CountEncoder) -> Design:
    """Returns the design without tests of pairs, whose neurons stand twice in the input of a probe; says which."""
    if isinstance(encoder, CountEncoder) or len(encoder.layers) == len(layers_together(encoder.layers)):
        found = "counts of words and no layers" if isinstance(encoder, CountEncoder) else _one_layer(encoder)
        raise PolyprobeError(
            f"encoder={design.encoder} has {found}: there are no neurons of several layers to choose among. Expected "
            "an encoder with several, such as transformer, elmo, or checkpoint of a trained model over words in "
            "sentences."
        )
    kept = [test for test in design.tests if len(test.train.items[0]) == 1]
    left_out = [test.name for test in design.tests if test not in kept]
    if not kept:
        raise PolyprobeError(f"{', '.join(left_out)}: tests of pairs of words. Expected a test of single items.")
    if left_out:
        say(f"left out, as tests of pairs: {', '.join(left_out)}")
    return replace(design, tests=kept)


def _one_layer(encoder: Encoder) -> str:
    names = ", ".join(dict.fromkeys(layer.name for layer in encoder.layers))
    return f"one layer ({names})"


def neuron_weights(design: Design, encoder: Encoder, stages: dict[str, StageOutcomes]) -> Iterator[NeuronWeights]:
    """Yields for every test the weights of its probes, and of those of its control task where there are any."""
    together = layers_together(encoder.layers)
    layers = [encoder.layers[number] for number in next(iter(together.values()))]
    for test in design.tests:
        yield _record(design, test, layers, [layer.epoch for layer in together], stages)


def _record(
    design: Design,
    test: ProbingTest,
    layers: Sequence[Layer],
    epochs: Sequence[int | None],
    stages: dict[str, StageOutcomes],
) -> NeuronWeights:
    shape = len(test.labels), sum(layer.width for layer in layers)
    main = _outcomes(stages[MAIN], test, epochs)
    control = _outcomes(stages[CONTROL], test, epochs) if CONTROL in stages else []
    n_seeds = len(design.seeds)
    return NeuronWeights(
        test=test.name,
        labels=np.array(test.labels),
        layers=np.array([layer.name for layer in layers]),
        widths=np.array([layer.width for layer in layers]),
        epochs=np.array([NO_EPOCH if epoch is None else epoch for epoch in epochs]),
        seeds=np.array(design.seeds),
        weights=_weights(main, n_seeds, shape),
        biases=_biases(main, n_seeds, shape[0]),
        searched=_searched(main),
        control_weights=_weights(control, n_seeds, shape),
        control_biases=_biases(control, n_seeds, shape[0]),
    )


def _outcomes(stage: StageOutcomes, test: ProbingTest, epochs: Sequence[int | None]) -> list[Sequence[ProbeOutcome]]:
    return [stage.outcomes[test.name, place] for place in range(len(epochs))]


def _weights(outcomes: Sequence[Sequence[ProbeOutcome]], n_seeds: int, shape: tuple[int, int]) -> np.ndarray:
    """Returns float32 `[epochs, seeds, labels, neurons]`, NaN for failed probes."""
    weights = np.full((len(outcomes), n_seeds, *shape), np.nan, np.float32)
    for epoch, of_epoch in enumerate(outcomes):
        for seed, outcome in enumerate(of_epoch):
            if outcome.failed is None:
                weights[epoch, seed] = outcome.weights
    return weights


def _biases(outcomes: Sequence[Sequence[ProbeOutcome]], n_seeds: int, n_labels: int) -> np.ndarray:
    biases = np.full((len(outcomes), n_seeds, n_labels), np.nan, np.float32)
    for epoch, of_epoch in enumerate(outcomes):
        for seed, outcome in enumerate(of_epoch):
            if outcome.failed is None:
                biases[epoch, seed] = outcome.biases
    return biases


def _searched(outcomes: Sequence[Sequence[ProbeOutcome]]) -> np.ndarray:
    """Returns float64 `[epochs, seeds, cells, 6]`, NaN for failed probes."""
    n_cells = max(len(outcome.searched) for of_epoch in outcomes for outcome in of_epoch)
    none = np.full((n_cells, len(SEARCHED)), np.nan)
    return np.array([[none if one.failed is not None else one.searched for one in of_epoch] for of_epoch in outcomes])
