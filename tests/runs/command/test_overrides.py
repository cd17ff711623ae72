"""Overrides are read as they were written; what cannot be composed is refused with the nearest name."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.compose import composed, composing, plain
from polyprobe.runs.command.overrides import (
    CommandLineError,
    parsed,
    text_of,
    typed_value,
    with_flags_first,
    with_quoted_texts,
)
from polyprobe.runs.command.sweep_start import jobs_of
from polyprobe.runs.command.unknown_names import check_commands

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
    jobs = jobs_of(with_quoted_texts(["encoder.run=/a/ä,/b (c)"]))
    assert [parsed(job)[0].value() for job in jobs] == ["/a/ä", "/b (c)"]


def test_a_composed_configuration_has_what_was_written():
    with composing():
        config = composed("probe", [f"+data.mine={typed_value(HARD)}"])
    assert plain(config, {})["data"]["mine"] == HARD


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("train sed=1", 'key "sed" is unknown. Did you mean seed'),
        ("train epochs=1", "or trainer.max_epochs?"),
        ("train model.lrr=1", 'key "model.lrr" is unknown. Did you mean model.optimizer.lr?'),
        ("train trainer=gpuu", 'trainer "gpuu" is unknown. Did you mean gpu?'),
        ("train lang=turkisch", "Did you mean lang=tr (Turkish)"),
        ("train lang=FI", "Did you mean lang=fi (Finnish)?"),
        ("train lang=xno", "any code will do."),
        ("train lang=1", "lang must be one of af, "),
        ("probe encoder=google/canine-s", "its folder: encoder=transformer encoder.model=google/canine-s"),
        ("probe encoder.layrs=[1] encoder=transformer", "Did you mean encoder.layers?"),
        ("probe encoder.model=x", "encoder=transformer, encoder=untrained, not of encoder=char_ngrams."),
        ("probe encodr.layers=1", "Did you mean encoder"),
        ("probe encoder=transformers", "python probe.py --help encoder describes each in one line."),
        ("train encoder=own encoder._target_=m.L encoder.x=3", "Prefix keys of your own with +: '+encoder.x=…'"),
        ("analyze lang=fi", "Could not override 'lang'. No match in the defaults list."),
        ("train seed=1,2", "seed=1,2 asks for several runs: -m does them. A list as one value: seed=[1,2]."),
        ("train tests=[x=y]", """names with characters other than letters and digits: 'tests=["a=b",c]'."""),
        ("train fi", '"fi" is not key=value.'),
        ("train README.md", '"README.md" is not key=value. Did you mean data=README.md?'),
        ("train hydra.mode=MULTIRUNN", "Invalid value 'MULTIRUNN', expected one of [RUN, MULTIRUN]"),
        ("train hydra/launcher=jobli", 'hydra/launcher "jobli" is unknown. Did you mean joblib? Known: basic, joblib'),
        ("my_train", "--config-name=my_train: there is no my_train.yaml."),
        ("generate suite=clamz", "Known: clams, linspector_token, linspector_type, own, pseudowords, sentences."),
        ("analyze job=compare run=a", "key \"run\" is unknown. Expected 'runs=[RUN,RUN]'."),
        ("analyze job=confusion runs=[a]", 'key "runs" is unknown. Expected run=RUN.'),
        ("probe colums={label:class}", "Did you mean columns?"),
        ("probe predictor=ngram", "predictor=ngram is not there any more: unigrams"),
        ("train download.retries=3", "download.retries=3 is not there any more"),
    ],
)
def test_a_wrong_override_is_refused_with_the_nearest_or_what_to_do(command, words):
    name, *typed = command.split()
    with composing(), pytest.raises(CommandLineError) as refused:
        composed(name, typed)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("name", "typed", "scripts"),
    [
        ("probe", "encoder=learned", "train.py"),
        ("train", "experiment=linspector_table9", "probe.py"),
        ("train", "experiment=[mini_neurons]", "probe.py"),
    ],
)
def test_a_choice_of_another_command_is_refused_though_it_composes(name, typed, scripts):
    with pytest.raises(CommandLineError, match=rf" is for {scripts}, not for {name}\.py\.$"):
        check_commands(["seed=1", typed], name)


def test_a_choice_that_another_one_asks_for_is_taken():
    with composing():
        model = composed("train", ["task=sentence", "objective=nmt", "decoder=attention", "optimizer=infersent"]).model
    assert model.head._target_.endswith(".AttentionDecoder")
    assert (model.optimizer._target_, model.optimizer.lr) == ("torch.optim.SGD", 0.1)


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


def test_flags_of_hydra_go_first_each_with_its_value():
    assert with_flags_first(["seed=2", "-c", "job", "--resolve"]) == ["--cfg=job", "--resolve", "seed=2"]
    assert with_flags_first(["lang=fi,tr", "-m", "seed=2"]) == ["-m", "lang=fi,tr", "seed=2"]
    assert with_flags_first(["--info", "seed=2"]) == ["--info=all", "seed=2"]
    with pytest.raises(CommandLineError, match="There is no flag -cp"):
        with_flags_first(["-cp", "conf"])
