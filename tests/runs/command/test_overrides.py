"""Arguments that do not fit each other are refused with what to do, before anything heavy is imported."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.generation.suites import MAKERS
from polyprobe.runs.command.composed import plain
from polyprobe.runs.command.overrides import (
    MADE_SUITES,
    CommandLineError,
    check_group_choice,
    check_overrides,
    composed,
    composing,
    groups,
    jobs_of,
    nearest_keys,
    of_hydra,
    overrides_of,
    parsed,
    text_of,
    typed_value,
    with_joined_flags,
    with_quoted_texts,
)

TEXTS = st.one_of(
    st.text(),
    st.text("${}\\\"'ab:,. ()[]=~#?@\n\t", max_size=14),
    st.from_regex(r"[+-]?[0-9_.]+(e[+-]?[0-9_]+)?|nan|-INF|True|null|no|off", fullmatch=True),
).filter(lambda text: text != "???")
KEYS = st.from_regex(r"k_[A-Za-z_]{0,5}", fullmatch=True)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)
HARD = [
    "${oc.env:HOME}",
    "\\${x}\\",
    "${",
    "2020",
    "1e5",
    "1_000",
    "nan",
    "null",
    "true",
    "a\\b",
    'a\\"',
    "",
    " ",
    "a\n",
    "é,{:",
]


@settings(deadline=None)
@example(HARD)
@given(VALUES)
def test_a_value_that_is_written_is_read_as_it_was(value):
    (override,) = parsed([f"+key={typed_value(value)}"])
    config = OmegaConf.create({})
    OmegaConf.update(config, "key", override.value(), force_add=True)
    found = OmegaConf.to_container(config, resolve=True)["key"]
    assert (found, type(found)) == (value, type(value))


@given(TEXTS)
def test_a_text_that_is_written_is_read_without_composing(text):
    assert text_of(typed_value(text)) == text


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("paths.work=/home/müller/w", "/home/müller/w"),
        ("encoder.run=/d/O'Brien & é/x=1 (new)/#1", "/d/O'Brien & é/x=1 (new)/#1"),
        ("paths.work=~/w", "/home/me/w"),
        ("a=${oc.env:HOME}/b", "${oc.env:HOME}/b"),
        ("a=[b,'c d']", ["b", "c d"]),
    ],
)
def test_a_text_as_a_shell_passes_it_on_needs_no_second_quoting(typed, value, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    (override,) = parsed(with_quoted_texts([typed]))
    assert override.value() == value


def test_each_value_of_a_sweep_is_quoted_by_itself():
    with composing():
        jobs = jobs_of(with_quoted_texts(["encoder.run=/a/ä,/b (c)"]))
    assert [parsed(job)[0].value() for job in jobs] == ["/a/ä", "/b (c)"]


def test_a_composed_configuration_has_what_was_written():
    with composing():
        config = composed("probe", [f"+data.mine={typed_value(HARD)}"])
    assert plain(config, {})["data"]["mine"] == HARD


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("train sed=1", "Did you mean seed"),
        ("train model.lrr=1", 'key "model.lrr" is unknown. Did you mean model.optimizer.lr?'),
        ("train data.corpsu=x", "Did you mean data.corpus"),
        ("train trainer=gpuu", 'trainer "gpuu" is unknown. Did you mean gpu?'),
        ("train lang=turkisch", "Did you mean lang=tr (Turkish)"),
        ("train lang=FI", "Did you mean lang=fi (Finnish)?"),
        ("train lang=xno", "any code will do; else name it in lang/<code>.yaml of a folder"),
        ("train lang=1", "lang must be one of af, "),
        ("train logger=null", "logger must be one of csv, mlflow, tensorboard, wandb, wandb_offline, got null."),
        ("train experiment=linspector_table9", "experiment=linspector_table9 is for probe.py, not for train.py."),
        ("probe encoder=learned", "encoder=learned is for train.py, not for probe.py."),
        ("probe encoder=google/canine-s", "its folder: encoder=transformer encoder.model=google/canine-s"),
        ("probe encoder.layrs=[1] encoder=transformer", "Did you mean encoder.layers?"),
        ("probe encoder=transformers", "python probe.py --help encoder describes each in one line."),
        (
            "train encoder=own encoder._target_=m.L encoder.x=3",
            "Prefix keys of your own with +: '+encoder.x=…'",
        ),
        ("train task=sentence objective=nli decoder=attention", "decoder= cannot be used here: none of the other"),
        ("analyze lang=fi", "lang= cannot be used here"),
        ("train seed=1,2", "seed=1,2 asks for several runs: add -m. A list as one value: seed=[1,2]."),
        ("train seed=[1", '"seed=[1" cannot be read as key=value'),
        ("train tests=[x=y]", """names with characters other than letters and digits: 'tests=["a=b",c]'."""),
        ("train fi", '"fi" is not key=value.'),
        ("train README.md", '"README.md" is not key=value. Did you mean data=README.md?'),
        ("generate suite=linspector_type type_level.items=[1,2]", "Cannot merge DictConfig with ListConfig."),
        ("train hydra.mode=MULTIRUNN", "Invalid value 'MULTIRUNN', expected one of [RUN, MULTIRUN]"),
        ("train hydra/launcher=jobli", 'hydra/launcher "jobli" is unknown. Did you mean joblib? Known: basic'),
        ("train task=pos,srx", "task=pos,srx asks for several runs: add -m."),
        ("train objectiv=nmt", "Did you mean objective?"),
        ("probe predictr=causal", "Did you mean predictor?"),
        ("probe experimnt=x", "Did you mean experiment?"),
        ("probe colums={label:class}", "Did you mean columns?"),
        ("generate sed=2", "Did you mean seed? Known: capitalise, "),
        ("generate suite=clms", "Did you mean clams? Known: clams, linspector_token, "),
        ("probe predictor.model=x", "an option of predictor=causal, predictor=masked."),
        ("probe encoder.dim=3", 'key "encoder.dim" is unknown. Known: encoder.dotless_i, '),
        ("probe predictor=ngram", "predictor=ngram is not there any more: unigrams"),
        ("train task=dep task.datamodule.upos=predicted", "parsers read gold tags or none."),
        ("analyze of_similarity.measures=[cka,rsa]", "measures=rsa is not there any more: there are cka, lincka"),
        ("train download.retries=3", "download.retries= is not there any more"),
        ("train score=x", "score= is not there any more: train.py counts as the official scorers do"),
    ],
)
def test_a_wrong_override_is_refused_with_the_nearest_or_what_to_do(command, words):
    name, *typed = command.split()
    with pytest.raises(CommandLineError) as refused:
        check_overrides(name, overrides_of(typed), of_hydra(typed))
    assert words in str(refused.value)


def test_a_key_of_another_group_is_no_hint_unless_it_is_much_alike():
    known = {"predictor.run", "predictor.order", "probe.max_epochs", "probe.hidden_size"}
    assert nearest_keys("predictor.epoch", known) == "Known: predictor.order, predictor.run."
    assert nearest_keys("predictor.rum", known).startswith("Did you mean predictor.run?")
    assert nearest_keys("predictor.max_epoch", known).startswith("Did you mean probe.max_epochs?")
    assert nearest_keys("epoch", known).startswith("Did you mean probe.max_epochs?")
    grouped = {*known, "model.hidden_size", "trainer.max_epochs"}
    assert nearest_keys("model.hidden", grouped) == "Did you mean model.hidden_size? Known: model.hidden_size."


def test_a_choice_that_another_one_asks_for_is_taken():
    with composing():
        model = composed("train", ["task=sentence", "objective=nmt", "decoder=attention", "optimizer=infersent"]).model
    assert model.head._target_.endswith(".AttentionDecoder")
    assert (model.optimizer._target_, model.optimizer.lr) == ("torch.optim.SGD", 0.1)


def test_keys_of_the_builder_are_not_among_the_known_ones():
    with pytest.raises(CommandLineError) as refused:
        check_overrides("train", ["task=sentence", "objective=nmt", "model.encoder.poolin=sum"])
    known = "Known: model.encoder.dropout, model.encoder.hidden_size, model.encoder.n_layers."
    assert f" {known} python train.py --help model=bilstm_max lists its options." in str(refused.value)


def test_internal_keys_are_not_among_the_known_ones():
    with pytest.raises(CommandLineError) as refused:
        check_overrides("train", ["xyz=1"])
    assert not re.search("studies|paper_corpus|model_class|monitor|trained_by|task_lang|corpora", str(refused.value))


def test_suites_that_are_made_are_those_of_generation():
    assert {*MADE_SUITES} == {*MAKERS, "clams", "own"}


def test_an_option_of_another_choice_is_answered_by_that_choice():
    with pytest.raises(CommandLineError, match=r"an option of .*encoder=transformer.*, not of encoder=char_ngrams"):
        check_overrides("probe", ["encoder.model=x"])


@pytest.mark.parametrize(("group", "choice"), [("encoder", "checkpoint"), ("predictor", "lstm")])
def test_a_run_may_be_named(tmp_path, group, choice):
    (tmp_path / "runs/train/pos-fi").mkdir(parents=True)
    with composing():
        config = composed("probe", [f"paths.work={tmp_path}", f"{group}={choice}", f"{group}.run=pos-fi"])
    assert plain(config, config.hydra.runtime.choices)[group]["run"] == str(tmp_path / "runs/train/pos-fi")


def test_a_transformer_without_a_model_is_refused_by_its_configuration():
    with composing():
        config = composed("probe", ["encoder=transformer"])
    with pytest.raises(PolyprobeError, match=r"^encoder\.model must be given"):
        plain(config, config.hydra.runtime.choices)


def test_groups_of_groups_of_groups_are_found():
    assert {"task", "objective", "decoder"} <= set(groups("train"))


def test_a_flag_of_hydra_takes_its_value_from_the_next_argument():
    assert with_joined_flags(["seed=2", "-c", "job", "--resolve"]) == ["seed=2", "--cfg=job", "--resolve"]
    assert with_joined_flags(["--cfg=job", "-p", "task"]) == ["--cfg=job", "--package=task"]
    assert with_joined_flags(["lang=fi,tr", "-m", "seed=2"]) == ["-m", "lang=fi,tr", "seed=2"]


@pytest.mark.parametrize(
    ("experiment", "other"), [("mini_agreement", "probe"), ("mini_sentence", "probe"), ("mini_neurons", "train")]
)
def test_an_experiment_is_for_the_command_with_which_its_file_is_typed(experiment, other):
    with pytest.raises(CommandLineError, match=rf"^experiment={experiment} is for \w+\.py, not for {other}\.py\.$"):
        check_group_choice("experiment", experiment, other)
