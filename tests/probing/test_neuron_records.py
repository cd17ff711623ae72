"""What a run keeps of probes over all neurons, and which studies have such probes."""

from dataclasses import replace

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.length import Length
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.findings import neuron_weights
from polyprobe.probing.probing_run import design_of_neurons
from polyprobe.probing.stages import CONTROL, MAIN, StageOutcomes
from polyprobe.runs.array_records import NO_EPOCH
from tests.probing.small_study import ngrams, study
from tests.probing.small_tests import examples


class TwoLayers:
    layers = (Layer("1", 2), Layer("2", 1))


def outcome(weight: float, **changes) -> ProbeOutcome:
    found = {
        "weights": np.full((2, 3), weight, np.float32),
        "biases": np.array([weight, 0], np.float32),
        "searched": np.full((4, 6), weight),
    }
    return ProbeOutcome(10, 10, 0.9, (0.1,), **{**found, **changes})


def stage(*outcomes: ProbeOutcome) -> StageOutcomes:
    return StageOutcomes([Layer("all", 3)], {}, {("Toy", 0): outcomes})


def test_weights_are_kept_by_seed_and_those_of_a_failed_probe_are_nan():
    stages = {MAIN: stage(outcome(1), ProbeOutcome(1, 0, float("nan"), (), failed="it diverged"))}
    (record,) = neuron_weights(study(), TwoLayers(), stages)
    assert (record.test, record.layers.tolist(), record.widths.tolist()) == ("Toy", ["1", "2"], [2, 1])
    assert (record.epochs.tolist(), record.seeds.tolist()) == ([NO_EPOCH], [1, 2])
    assert record.weights.shape == (1, 2, 2, 3)
    assert (record.weights[0, 0] == 1).all()
    assert np.isnan(record.weights[0, 1]).all()
    assert record.biases[0, 0].tolist() == [1, 0]
    assert np.isnan(record.searched[0, 1]).all()
    assert len(record.control_weights) == 0


def test_weights_of_the_control_task_lie_beside():
    stages = {MAIN: stage(outcome(1), outcome(2)), CONTROL: stage(outcome(3), outcome(4))}
    (record,) = neuron_weights(study(), TwoLayers(), stages)
    assert record.control_weights[0, :, 0, 0].tolist() == [3, 4]


def test_tests_of_pairs_are_left_out_and_named(capsys):
    test = study().tests[0]
    pairs = examples([(Form("talo"), Form("talot"))] * 3, [0, 1, 0])
    pair_test = replace(test, name="SameFeat", train=pairs, dev=pairs, test=pairs)
    kept = design_of_neurons(study(tests=[test, pair_test]), TwoLayers())
    assert [one.name for one in kept.tests] == ["Toy"]
    assert "SameFeat" in capsys.readouterr().out
    with pytest.raises(PolyprobeError, match="SameFeat: tests of pairs of words"):
        design_of_neurons(study(tests=[pair_test]), TwoLayers())


@pytest.mark.parametrize(("encoder", "found"), [(ngrams(), "one layer"), (Length(), "counts of words")])
def test_an_encoder_without_several_layers_is_refused(encoder, found):
    with pytest.raises(PolyprobeError, match=f"{found}.*transformer, elmo, or checkpoint"):
        design_of_neurons(study(), encoder)
