"""Settings of probing and of scoring minimal sets: what a configuration may say, checked at the door."""

import re

import pytest

from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.probing.door import probe_settings, settings_in_training
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.settings import ProbingSettings
from tests.commands.scripts import on_small_data
from tests.runs.composed import composed

ON_A_CPU = {"accelerator": "cpu", "threads": None}
TEST_FILE = "linspector/type/mini/{}/train.txt"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder with two tests and a construction; nothing of them is read here."""
    folder = tmp_path_factory.mktemp("data")
    for name in (*map(TEST_FILE.format, ("Case", "Number")), "clams/eval/mini/vp_coord.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).touch()
    return folder


@pytest.fixture(scope="module")
def config(data):
    asked = ["seed=3", "seeds=2", "tests=[Case]", "data.on_malformed=skip"]
    return composed("probe", *asked, *on_small_data(data, data / "work"))


@pytest.fixture(scope="module")
def sets_config(data):
    predictor = ["predictor=lstm", "predictor.run=[one,other]", "predictor.epoch=[0,8]"]
    return composed("probe", "suite=clams", *predictor, *on_small_data(data, data / "work"))


def test_they_are_what_the_configuration_says(config):
    settings = ProbingSettings.of(probe_settings(config))
    assert (settings.tests, list(settings.seeds), settings.baselines) == (["Case"], [3, 4], "cheap")
    assert (settings.suite.name, settings.encoder_name, settings.asked.probe.name) == (
        "linspector_type",
        "char_ngrams",
        "mlp",
    )
    assert isinstance(settings.on_malformed, Skipped)
    assert settings.cache.folder == settings.workspace.encodings


def test_a_training_run_probes_its_checkpoints_with_cheap_baselines_and_refuses_bad_lines(config):
    settings = ProbingSettings.of_training(settings_in_training({**config, "baselines": "all"}), ["Case", "Number"])
    assert (settings.tests, settings.encoder_name, settings.baselines) == (["Case", "Number"], "checkpoint", "cheap")
    assert settings.on_malformed is refuse


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seed": -1}, "seed must be an integer of at least 0, below 2^63, got -1"),
        ({"seeds": 0}, "seeds must be an integer of at least 1, at most 10000, got 0"),
        ({"tests": ["Cse"]}, 'test "Cse" is unknown. Did you mean Case?'),
        ({"tests": []}, "tests must be a list such as [Case,Tense], or null"),
        ({"tests": "Case"}, "tests must be a list such as [Case,Tense], or null"),
        ({"baselines": "al"}, 'baselines "al" is unknown. Did you mean all?'),
        ({"bank": {"chunk_size": 0}}, "bank.chunk_size must be an integer of at least 1, got 0"),
        ({"data": {"on_malformed": "skp"}}, 'data.on_malformed "skp" is unknown. Did you mean skip?'),
        (
            {"trainer": {**ON_A_CPU, "precision": "bf16-mixed"}},
            "trainer.precision must be 32-true: probe.py computes in float32",
        ),
    ],
)
def test_what_cannot_be_probed_is_refused(config, wrong, words):
    with pytest.raises((BadValue, UnknownChoice), match=re.escape(words)):
        ProbingSettings.of(probe_settings({**config, **wrong}))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ties": "won"}, 'ties "won" is unknown'),
        ({"unknown_focus": "judged"}, 'unknown_focus "judged" is unknown'),
        ({"predictor": None}, "no predictor is chosen. Expected predictor= one of"),
        ({"tests": ["vp_cord"]}, 'test "vp_cord" is unknown. Did you mean vp_coord?'),
        ({"tests": []}, "tests must be a list such as [simple_agrmt,vp_coord], or null"),
        (
            {"trainer": {**ON_A_CPU, "precision": "bf16-mixed"}},
            "trainer.precision must be 32-true: probe.py computes in float32",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused(sets_config, wrong, words):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        MinimalSetSettings.of(probe_settings({**sets_config, **wrong}))


def test_each_kind_of_suite_is_refused_by_the_other_command(config, sets_config):
    with pytest.raises(PolyprobeError, match="suite=clams has minimal sets"):
        ProbingSettings.of(probe_settings({**config, "suite": sets_config["suite"]}))
    with pytest.raises(PolyprobeError, match="suite=linspector_type has tests to train probes on"):
        MinimalSetSettings.of(probe_settings({**sets_config, "suite": config["suite"]}))


def test_without_tests_it_is_all_that_there_are(config, sets_config):
    assert sorted(ProbingSettings.of(probe_settings({**config, "tests": None})).tests) == ["Case", "Number"]
    assert [one.name for one in MinimalSetSettings.of(probe_settings(sets_config)).constructions] == ["vp_coord"]


def test_lists_of_runs_and_epochs_are_a_predictor_for_each_combination(sets_config):
    found = MinimalSetSettings.of(probe_settings(sets_config)).predictors
    assert [(one["run"], one["epoch"]) for one in found] == [("one", 0), ("one", 8), ("other", 0), ("other", 8)]


@pytest.mark.parametrize(
    ("typed", "is_same"),
    [
        (["probe.engine=lightning", "+trainer.profiler=simple"], True),
        (["probe.engine=lightning", "+callbacks.bar._target_=pytorch_lightning.callbacks.RichProgressBar"], True),
        (["probe.engine=lightning", "+callbacks.mine._target_=mine.Schedule"], False),
        (["probe.engine=lightning", "+trainer.limit_train_batches=3"], False),
        (["probe.engine=lightning", "callbacks=early_stopping"], False),
    ],
)
def test_the_engine_is_no_part_of_a_name_but_what_can_change_numbers_is(data, typed, is_same):
    def identity(*typed):
        config = composed("probe", *typed, *on_small_data(data, data / "work"))
        return ProbingSettings.of(probe_settings(config)).identity.name(encoder="ab")

    assert (identity() == identity(*typed)) == is_same


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("+callbacks.mine._target_=mine.Schedule", r"^callbacks \(mine\) need probe.engine=lightning\.$"),
        ("callbacks=early_stopping", r"^callbacks \(early_stopping\) need probe.engine=lightning\.$"),
        ("+trainer.max_epochs=1", "trainer.max_epochs is for train.py"),
        ("+trainer.gradient_clip_val=1", r"^\+trainer.gradient_clip_val needs probe.engine=lightning\.$"),
        ("+trainer.thread=1", r"Did you mean trainer.threads\?$"),
    ],
)
def test_what_only_lightning_takes_is_refused_with_the_bank(typed, words, data):
    with pytest.raises(PolyprobeError, match=words):
        probe_settings(composed("probe", typed, *on_small_data(data, data / "work")))
