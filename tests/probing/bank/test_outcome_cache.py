"""A run trains only what no earlier one has trained, and comes out the same."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from polyprobe.probing.bank import outcome_cache
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.bank.outcome_cache import SOURCES, KeptOutcomes
from polyprobe.probing.stages import MAIN, probe_outcomes
from tests.probing.small_study import encoded_tests, study, train
from tests.probing.small_tests import forms_test


def counting(trained: list[int]):
    def count_and_train(jobs):
        trained.append(len(jobs))
        return train(jobs) if jobs else []

    return count_and_train


def outcomes_of(one, folder, trained, settings=None):
    return probe_outcomes(
        one, encoded_tests(one, folder), counting(trained), KeptOutcomes(folder / "probes", settings or {})
    )[MAIN]


def assert_equal(found, expected):
    for place, outcomes in expected.outcomes.items():
        for one, other in zip(found.outcomes[place], outcomes, strict=True):
            for key, value in asdict(other).items():
                np.testing.assert_array_equal(getattr(one, key), value, err_msg=key)


def test_the_same_study_again_trains_nothing_and_gives_the_same(tmp_path):
    trained: list[int] = []
    first = outcomes_of(study(), tmp_path, trained)
    assert_equal(outcomes_of(study(), tmp_path, trained), first)
    assert trained == [2]


def test_a_further_test_and_a_further_seed_train_alone(tmp_path):
    trained: list[int] = []
    one = study()
    other = replace(forms_test({"a": 0, "b": 1}, {"a": 0}, {"b": 1}), name="Other")
    first = outcomes_of(one, tmp_path, trained)
    wider = outcomes_of(replace(one, tests=[*one.tests, other], seeds=(1, 2, 3)), tmp_path, trained)
    assert trained == [2, 4]
    np.testing.assert_array_equal(
        wider.outcomes["Toy", 0][1].test_predictions, first.outcomes["Toy", 0][1].test_predictions
    )


def test_other_labels_or_settings_train_anew(tmp_path):
    trained: list[int] = []
    one = study()
    outcomes_of(one, tmp_path, trained)
    (test,) = one.tests
    turned = replace(test, test=replace(test.test, label_ids=tuple(1 - label for label in test.test.label_ids)))
    outcomes_of(replace(one, tests=[turned]), tmp_path, trained)
    outcomes_of(one, tmp_path, trained, {"dropout": 0.1})
    assert trained == [2, 2, 2]


def test_weights_and_a_search_are_kept_bit_for_bit(tmp_path):
    kept, random = KeptOutcomes(tmp_path, {}), np.random.default_rng(1)
    outcome = ProbeOutcome(
        epochs=10,
        best_epoch=10,
        dev_accuracy=0.5,
        train_losses=(0.7,),
        weights=random.standard_normal((2, 5), dtype=np.float32),
        biases=random.standard_normal(2, dtype=np.float32),
        searched=np.array([[0.1, 0.0, 0.5, np.nan, np.nan, 0.5]]),
    )
    kept.write("Case/all", outcome)
    found = kept.read("Case/all")
    for key in ("weights", "biases", "searched"):
        np.testing.assert_array_equal(getattr(found, key), getattr(outcome, key), strict=True)


@pytest.mark.parametrize("damage", [lambda content: content[:50], lambda content: b"", lambda content: b"x" * 999])
def test_a_damaged_file_is_trained_anew(tmp_path, damage):
    trained: list[int] = []
    first = outcomes_of(study(), tmp_path, trained)
    for file in (tmp_path / "probes").rglob("*.npz"):
        file.write_bytes(damage(file.read_bytes()))
    assert_equal(outcomes_of(study(), tmp_path, trained), first)
    assert trained == [2, 2]


@pytest.mark.parametrize(
    "name", ["bank/cell_search.py", "probes/neurons.py", "probing/item_vectors.py", "metrics/neurons.py"]
)
def test_a_changed_source_has_its_own(name, tmp_path, monkeypatch):
    sources = []
    for source in SOURCES:
        is_room = source.is_dir()
        room = source if is_room else source.parent
        copy = tmp_path / room.name
        copy.mkdir(exist_ok=True)
        for path in room.glob("*.py"):
            (copy / path.name).write_bytes(path.read_bytes())
        sources.append(copy if is_room else copy / source.name)
    monkeypatch.setattr(outcome_cache, "SOURCES", sources)
    KeptOutcomes(tmp_path / "kept", {}).write("Case 1", ProbeOutcome(1, 1, 0.5, (0.1,)))
    assert KeptOutcomes(tmp_path / "kept", {}).read("Case 1") is not None
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
    assert KeptOutcomes(tmp_path / "kept", {}).read("Case 1") is None
