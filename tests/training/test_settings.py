"""What a training run is told: values out of their range are refused by their keys, before anything is read."""

import subprocess
import sys

import pytest

from polyprobe.errors import BadValue, Impossible, PolyprobeError, UnknownChoice
from polyprobe.training.door import training_settings
from polyprobe.training.run import chosen_inputs
from tests.commands.scripts import on_small_data
from tests.training.five_tasks import composed

KNOWN_BEFORE_TORCH = """
import sys
import polyprobe.training.run
print(sorted({"torch", "pytorch_lightning", "scipy"} & sys.modules.keys()))
"""


@pytest.fixture(scope="module")
def labeller(small_data, tmp_path_factory):
    """The configuration of task=srl."""
    return composed("task=srl", *on_small_data(small_data, tmp_path_factory.mktemp("work")))


def changed(config: dict, key: str, value: object) -> dict:
    """Returns a configuration with another value at a dotted key."""
    first, _, rest = key.partition(".")
    return {**config, first: changed(config[first], rest, value) if rest else value}


@pytest.mark.parametrize(
    ("key", "value", "error", "words"),
    [
        ("seed", -1, BadValue, r"seed must be an integer of at least 0, below 2\^63, got -1"),
        ("trainer.accumulate", 0.5, BadValue, r"trainer\.accumulate must be an integer of at least 1"),
        ("trainer.keep", [0, 21], BadValue, r"trainer\.keep must be all, best, or a list of epochs from 0 to 20"),
        ("trainer.precision", 64, BadValue, r"trainer\.precision must be 32-true or bf16-mixed"),
        ("encoder.tune", True, BadValue, r"encoder\.tune must be false with encoder=learned"),
        ("monitor", "dev/f1", UnknownChoice, "Known: dev/role_f1, dev/semantic_f1"),
        (
            "data.corpus",
            None,
            Impossible,
            r"^No corpus is named for task=srl lang=mini\. .* lang=de, es, fi, tr, or data\.",
        ),
        ("data.corpora", {}, Impossible, r"task=srl has no corpus for lang=mini\. Languages that have one: .*\bfi\b"),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_its_key(key, value, error, words, labeller):
    with pytest.raises(error, match=words):
        training_settings(changed(labeller, key, value))


@pytest.mark.parametrize("task", ["pos", "srl", "lm"])
def test_learned_inputs_are_known_by_their_options_alone(task, small_data, tmp_path):
    inputs = training_settings(composed(f"task={task}", *on_small_data(small_data, tmp_path))).inputs
    assert inputs.learned_identity == chosen_inputs(inputs).identity


def test_the_name_of_a_run_needs_no_torch():
    command = [sys.executable, "-c", KNOWN_BEFORE_TORCH]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_task_with_a_study_of_its_own_is_refused_in_the_others():
    config = composed("experiment=linspector_table10", "task=dep", "encoder.path=x")
    with pytest.raises(PolyprobeError, match="Expected experiment=linspector_table10_dep"):
        training_settings(config)
