"""What is typed for a training and has no effect is refused."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.training.door import check_effect
from tests.runs.composed import composed


def check(typed):
    check_effect(composed("train", *typed), typed)


@pytest.mark.parametrize(
    "typed",
    [
        ["seed=2", "task=pos", "trainer.max_epochs=1"],
        ["probe_each_epoch=[Case]", "seeds=3", "probe=linear", "probe.dropout=0.1", "bank.chunk_size=4"],
        ["experiment=senteval_figure1", "seeds=3", "encoder.path=x"],  # which probes
    ],
)
def test_what_has_an_effect_is_taken(typed):
    assert check(typed) is None  # nothing is refused


def test_a_task_with_a_study_of_its_own_is_refused_by_the_others():
    check(["experiment=linspector_table10", "task=ner", "encoder.path=x"])
    check(["experiment=linspector_table10_dep", "encoder.path=x"])
    with pytest.raises(PolyprobeError, match="Expected experiment=linspector_table10_dep"):
        check(["experiment=linspector_table10", "task=dep", "encoder.path=x"])


@pytest.mark.parametrize(
    "typed", ["seeds=3", "probe=linear", "probe.dropout=0.1", "probe_layers=[words]", "suite=senteval"]
)
def test_what_is_about_probes_is_refused_where_no_epoch_is_probed(typed):
    with pytest.raises(PolyprobeError) as error:
        check(["task=pos", typed])
    assert str(error.value).startswith(f"{typed} has no effect")
    assert ("-m seed=1,2,3" in str(error.value)) == typed.startswith("seeds")
