import pytest
import yaml

from polyprobe.runs.names.conf_folders import CONF, CORPORA, LEARNED, choice_settings
from polyprobe.runs.names.identity import (
    EARLIER_VALUES,
    OF_EARLIER_VERSIONS,
    WITHOUT_NUMBERS,
    differing_settings,
    identity,
)
from polyprobe.runs.trainer_settings import ARGUMENTS_WITHOUT_NUMBERS

CONFIG = {
    "seed": 1,
    "model": {"hidden_size": 200},
    "trainer": {"max_epochs": 20, "devices": 1, "precision": "32-true", "threads": None},
    "paths": {"work": "."},
    "logger": {"wandb": None},
}


@pytest.mark.parametrize("logger", ["csv", "mlflow", "tensorboard", "wandb", "wandb_offline"])
def test_places_devices_and_loggers_do_not_change_who_a_run_is(logger):
    elsewhere = {
        **CONFIG,
        "paths": {"work": "/elsewhere"},
        "logger": choice_settings("logger", logger),
        "pictures": {"axis": "full"},
        "trainer": {**CONFIG["trainer"], "devices": 2, "threads": 1, "strategy": "ddp"},
    }
    assert identity(elsewhere) == identity(CONFIG)


def test_settings_that_name_no_run_are_keys_of_conf():
    """A key that is renamed there, and not in these tables, would name runs otherwise."""
    keys = {"choices", *OF_EARLIER_VERSIONS}  # what the command adds
    for file in CONF.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        if file == CONF / LEARNED or file.parent.name == CORPORA:  # by task
            keys |= {key for settings in yaml.safe_load(text).values() for key in dotted(settings or {}, "")}
            continue
        group = "" if file.parent == CONF or "@package _global_" in text else file.parent.name
        keys |= {group, *dotted(yaml.safe_load(text), f"{group}." if group else "")}
    of_lightning = {f"trainer.{name}" for name in ARGUMENTS_WITHOUT_NUMBERS}
    assert {*WITHOUT_NUMBERS, *EARLIER_VALUES} <= keys | of_lightning


def dotted(settings, sections):
    for key, value in settings.items() if isinstance(settings, dict) else ():
        yield f"{sections}{key}"
        yield from dotted(value, f"{sections}{key}.")


def test_everything_else_does():
    others = [
        {**CONFIG, "seed": 2},
        {**CONFIG, "model": {"hidden_size": 100}},
        {**CONFIG, "trainer": {**CONFIG["trainer"], "max_epochs": 21}},
        {**CONFIG, "trainer": {**CONFIG["trainer"], "precision": "bf16-mixed"}},
        {**CONFIG, "data": {"corpus": "other"}},
    ]
    assert len({identity(config) for config in [CONFIG, *others]}) == len(others) + 1


def test_what_tests_of_a_language_are_made_from_changes_no_name_of_a_run():
    named = {**CONFIG, "lang": {"code": "tr"}}
    assert identity({**CONFIG, "lang": {"code": "tr", "made_from": {"frequency": "tr.txt"}}}) == identity(named)
    assert identity({**CONFIG, "lang": {"code": "tr", "made_with": {"sizes": "scaled"}}}) == identity(named)
    assert identity({**CONFIG, "lang": {"code": "tr", "dotless_i": True}}) != identity(named)


def test_a_setting_with_the_value_that_all_earlier_runs_had_changes_no_name():
    earlier = {**CONFIG, "encoder": {"hidden_size": 200}}
    assert identity({**CONFIG, "encoder": {"hidden_size": 200, "trigram_start": "normal"}}) == identity(earlier)
    assert identity({**CONFIG, "encoder": {"hidden_size": 200, "trigram_start": "glorot"}}) != identity(earlier)


def test_vectors_at_the_scale_that_they_have_leave_the_name_of_earlier_runs():
    earlier = {**CONFIG, "model": {"encoder": {"n_layers": 8}}}
    assert identity({**CONFIG, "model": {"encoder": {"n_layers": 8, "input_rms": None}}}) == identity(earlier)
    assert identity({**CONFIG, "model": {"encoder": {"n_layers": 8, "input_rms": 0.1}}}) != identity(earlier)


def test_parsers_and_language_models_keep_their_names_though_a_setting_of_theirs_is_no_more():
    def parser(**data: object) -> str:
        return identity({**CONFIG, "task": {"name": "dep"}, "data": {"corpus": "a", **data}})

    def language_model(**options: object) -> str:
        return identity({**CONFIG, "task": {"name": "lm", "datamodule": {"columns": 2, **options}}})

    assert parser() == parser(upos_run=None) != parser(upos_run="runs/train/pos")
    assert language_model() == language_model(ngram_order=5) != language_model(ngram_order=3)


def test_the_order_of_keys_plays_no_part():
    assert identity(dict(reversed(CONFIG.items()))) == identity(CONFIG)


def test_keys_of_several_types_name_a_run_in_any_order():
    assert identity({"labels": {0: "a", "x": "b"}}) == identity({"labels": {"x": "b", 0: "a"}})


def test_a_class_that_moves_to_another_file_changes_no_name():
    def of(target, reader):
        return identity({**CONFIG, "model": {"_target_": target}, "data": {"corpora": {"a": {"reader": reader}}}})

    here = of("src.models.tagger.Tagger", "src.formats.conll2009.word_sentences")
    assert of("src.models.pos.tagger.Tagger", "src.formats.roles.conll2009.conll2009_word_sentences") == here
    assert of("polyprobe.models.tagger.Tagger", "polyprobe.formats.roles.conll2009.conll2009_word_sentences") == here
    assert of("src.models.tagger.Parser", "src.formats.conll2009.word_sentences") != here
    assert of("mine.tagger.Tagger", "src.formats.conll2009.word_sentences") != here


def test_settings_that_differ_are_named_but_for_seeds_and_what_is_not_compared():
    other = {**CONFIG, "seed": 2, "model": {"hidden_size": 100, "seed": 2, "tied": None}, "probe_each_epoch": ["x"]}
    assert differing_settings(CONFIG, other, ["trainer", "model"]) == {"model.hidden_size": (200, 100)}


def with_devices(devices, dropout=0.5, **trainer):
    model = {"hidden_size": 200, "layers": {"dropout": dropout}}
    return identity({**CONFIG, "model": model, "trainer": {**CONFIG["trainer"], "devices": devices, **trainer}})


def test_the_number_of_processes_is_part_of_who_a_run_with_dropout_is():
    one = with_devices(1)
    assert one == with_devices("1") == with_devices([3]) == with_devices(1, strategy="ddp", num_nodes=1)
    assert with_devices(2) == with_devices("2") == with_devices([0, 1]) == with_devices(2, accelerator="gpu")
    others = [with_devices(2), with_devices(4), with_devices("auto"), with_devices(1, num_nodes=2)]
    assert len({one, *others}) == 5


def test_without_dropout_the_number_of_processes_is_not():
    assert with_devices(2, dropout=0) == with_devices(1, dropout=0)
    assert with_devices(2, dropout=0.0) == with_devices(1, dropout=0.0)


def test_one_device_leaves_the_names_of_runs_as_they_were():
    assert with_devices(1) == "38385ed8"


def test_an_option_that_has_no_effect_names_a_run_as_before_there_was_one():
    def of(**options: object) -> str:
        return identity({**CONFIG, "task": {"name": "dep", "datamodule": {"upos": "gold", **options}}})

    assert of(padding_noise=0) == of(padding_noise=0.0) == of()
    assert len({of(), of(padding_noise=0.1), of(padding_noise=0.2)}) == 3
