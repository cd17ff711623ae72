"""What of an encoder or predictor is other than in its file, in words."""

import pytest
import yaml
from omegaconf import OmegaConf

from polyprobe.runs.command.chosen import chosen
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import CONF, choice_settings

ELSEWHERE = {"suite": {"lowercase": "python", "level": "token"}, "lang": {"code": "fi"}, "paths": {"work": "."}}


def config_of(group: str, choice: str, **changed) -> dict:
    """The configuration of a choice as it is resolved for a run, some of its options changed."""
    settings = yaml.safe_load((CONF / group / f"{choice}.yaml").read_text(encoding="utf-8")) or {}
    settings.pop("defaults", None)
    composed = OmegaConf.create({**ELSEWHERE, group: {**settings, **changed}})
    return {**OmegaConf.to_container(composed, resolve=True), "choices": {group: choice, "suite": "linspector_token"}}


@pytest.mark.parametrize("choice", [file.stem for file in sorted((CONF / "encoder").glob("*.yaml"))])
def test_options_as_the_file_of_a_choice_has_them_are_not_told(choice):
    given = {"_target_": "polyprobe.encoders.length.Length"} if choice == "own" else {}
    config = config_of("encoder", choice, **given)
    told = chosen(config, "encoder").in_words(is_named=True)
    always = {"own": "_target_=polyprobe.encoders.length.Length", "untrained": "model=bilstm_max"}
    assert told == always.get(choice)


def test_an_untrained_network_is_named_beside_its_word_vectors():
    config = config_of("encoder", "untrained", model="gated_convnet", path="cc.en.300.bin")
    assert chosen(config, "encoder").in_words(is_named=True) == "model=gated_convnet"


def test_what_differs_is_told_in_the_order_of_the_file():
    config = config_of("encoder", "transformer", model="gpt2", layers=[0, 6], weights="random", device="cuda")
    assert chosen(config, "encoder").in_words(is_named=True) == "layers=[0,6] weights=random"


def test_what_follows_the_suite_is_told_where_it_does_not():
    assert chosen(config_of("encoder", "char_ngrams"), "encoder").in_words(is_named=False) is None
    config = config_of("encoder", "char_ngrams", lowercase=False, width=50)
    assert chosen(config, "encoder").in_words(is_named=False) == "width=50 lowercase=false"


def test_a_choice_that_builds_on_another_is_compared_with_both():
    released = {"unit": "word", "max_features": 250000, "min_examples": 0.1}
    base = config_of("encoder", "tfidf", **released)
    config = {**base, "choices": {"encoder": "tfidf_released"}}
    assert chosen(config, "encoder").in_words(is_named=False) == "unit=word"


def test_without_a_name_of_the_model_its_path_is_told_by_its_last_parts():
    config = config_of("encoder", "elmo", path="/data/models/elmo/fi")
    assert chosen(config, "encoder").in_words(is_named=False) == "path=elmo/fi"
    assert chosen(config, "encoder").in_words(is_named=True) is None


def test_own_tests_are_told_by_their_path():
    own = Choice("suite", "own", {"path": "/home/me/tests/odd"})
    assert own.with_own_tests(None) == "suite.path=tests/odd"
    assert own.with_own_tests("width=50") == "width=50 suite.path=tests/odd"
    assert Choice("suite", "senteval", {}).with_own_tests("width=50") == "width=50"


def test_columns_of_a_treebank_are_told_by_what_makes_rows_of_them():
    shipped = choice_settings("suite", "own")
    given = {**shipped, "path": "ud/tr_imst", "format": "conllu", "level": "token", "column": "upos"}
    told = "suite.path=ud/tr_imst suite.level=token"
    assert Choice("suite", "own", given).with_own_tests(None) == told
    other = {**given, "where": {"upos": "NOUN"}, "least_per_label": 20}
    told += ' suite.where={"upos":"NOUN"} suite.least_per_label=20'
    assert Choice("suite", "own", other).with_own_tests(None) == told


def test_pairs_of_ones_own_are_told_by_what_differs_from_the_file_of_the_suite():
    given = {**choice_settings("suite", "pairs"), "path": "/home/me/mine.csv"}
    assert Choice("suite", "pairs", given).with_own_tests(None) == "suite.path=me/mine.csv"
    other = {**given, "good": "right", "words": "characters", "focus": ["a", "b"]}
    told = 'suite.path=me/mine.csv suite.good=right suite.focus=["a","b"] suite.words=characters'
    assert Choice("suite", "pairs", other).with_own_tests(None) == told


@pytest.mark.parametrize(("tune", "told"), [(False, None), (True, "tune=true")])
def test_an_option_that_no_file_has_is_told_where_it_is_set(tune, told):
    config = config_of("encoder", "static_vectors", path="x.vec", tune=tune)
    assert chosen(config, "encoder").in_words(is_named=True) == told
