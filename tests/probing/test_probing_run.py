"""What a probing run says that there is to do."""

from types import SimpleNamespace

import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.encoders.length import Length
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form
from polyprobe.probing.count_classifiers.logistic_regression import LogisticRegressionOfCounts
from polyprobe.probing.probes.grid import GridProbe
from polyprobe.probing.probes.online_coding import OnlineCoding
from polyprobe.probing.probing_run import check_probe, counts_of_design
from polyprobe.probing.settings import EngineSettings
from tests.probing.probe_examples import SPEC, random_data
from tests.probing.small_study import study


class TwoEpochs(Encoder):
    """Two layers of two epochs each; never asked for a vector."""

    fingerprint, accepts = "ab", Form
    layers = tuple(Layer(name, 3, epoch) for name in ("words", "encoding") for epoch in (0, 8))

    def encode(self, items):
        raise AssertionError


def test_every_test_layer_and_seed_is_a_probe():
    assert counts_of_design(study(), TwoEpochs(), has_baselines=False) == {
        "tests": 1, "layers": 4, "seeds": 2, "probes": 8, "items": 140,
    }  # fmt: skip


def test_baselines_add_a_control_task_for_each_layer_and_a_random_encoder_that_has_no_epochs():
    assert counts_of_design(study(), TwoEpochs(), has_baselines=True)["probes"] == 2 * (4 + 4 + 2)


def test_counts_are_fitted_by_one_classifier_or_by_all_probes_of_a_grid():
    fitted = study(probe=LogisticRegressionOfCounts(1.0, 10), seeds=(1,))
    assert counts_of_design(fitted, Length(), has_baselines=True) == {"tests": 1, "classifiers": 2, "items": 140}
    grid = GridProbe(**{**SPEC, "weight_decay": [0.1, 0.01]}, dev_decimals=None)
    assert counts_of_design(study(probe=grid), Length(), has_baselines=True) == {"tests": 1, "probes": 8, "items": 140}


def test_a_choice_says_as_many_probes_as_it_trains():
    grid = GridProbe(**{**SPEC, "weight_decay": [0.1, 0.01], "hidden_size": [8, 16, 32]}, dev_decimals=None)
    coding = OnlineCoding(portions=[0.1, 0.2, 1], **SPEC)
    for probe in (grid, coding):
        assert probe.n_probes == len(probe.jobs(random_data(1), 1, "test"))


@pytest.mark.parametrize(
    ("probe", "encoder", "found"),
    [
        (GridProbe(**{**SPEC, "weight_decay": [0.1, 0.01]}, dev_decimals=None), TwoEpochs(), "probe=mlp, which trains"),
        (OnlineCoding(portions=[0.1, 1], **SPEC), TwoEpochs(), "probe=mlp, which trains several together"),
        (GridProbe(**{**SPEC, "weight_decay": 0.1}, dev_decimals=None), Length(), "counts of encoder=char_ngrams"),
    ],
)
def test_lightning_trains_single_probes_of_vectors(probe, encoder, found):
    settings = SimpleNamespace(asked=SimpleNamespace(keep=False), engine=EngineSettings(engine="lightning"))
    with pytest.raises(PolyprobeError, match=found):
        check_probe(settings, study(probe=probe), encoder)
