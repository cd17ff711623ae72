"""Slips of the hand are answered with what was meant: arguments without =, names of languages, models of the hub."""

import pytest

from polyprobe.runs.command.overrides import CommandLineError, check_overrides, check_plugins
from polyprobe.runs.command.slips import meant_by, path_meant


@pytest.mark.parametrize(
    ("typed", "found", "meant"),
    [
        (["--lang", "fi"], "--lang fi", "lang=fi"),
        (["--lang=fi", "suite=own"], "--lang=fi", "lang=fi"),
        (["-lang", "fi"], "-lang fi", "lang=fi"),
        (["--lang", "=", "fi"], "--lang = fi", "lang=fi"),
        (["task=pos", "lang", "=", "fi", "seed=1"], "lang = fi", "lang=fi"),
        (["lang", "=fi"], "lang =fi", "lang=fi"),
        (["lang=", "fi"], "lang= fi", "lang=fi"),
        (["lang", "fi"], "lang fi", "lang=fi"),
        (["--encoder.model", "bert-base-cased"], "--encoder.model bert-base-cased", "encoder.model=bert-base-cased"),
        (["-m", "lang", "seed=1,2"], "lang", "lang=…"),
        (["--list"], "--list", "list=…"),
    ],
)
def test_an_argument_without_an_equals_sign_is_answered_with_one(typed, found, meant):
    assert meant_by(typed) == f'"{found}" is not key=value. Expected {meant}'


@pytest.mark.parametrize(
    ("name", "typed", "meant"),
    [
        ("probe", ["words.tsv"], '"words.tsv" is not key=value. Did you mean data=words.tsv?'),
        ("train", ["task=pos", "/no/such"], '"/no/such" is not key=value. Did you mean data=/no/such?'),
        ("analyze", ["./run"], '"./run" is not key=value. Did you mean report=./run?'),
        ("probe", ["suite.path", "words.tsv"], None),
        ("probe", ["data=words.tsv", "lang"], None),
        ("generate", ["words.tsv"], None),
    ],
)
def test_a_path_alone_is_answered_with_its_key(name, typed, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").touch()
    assert path_meant(name, typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        ["lang=fi", "+probe.x=1", "~logger"],
        ["-m", "lang=fi,tr"],
        ["--multirun", "lang=fi"],
        ["--cfg=job", "lang=fi"],
        ["--config-path", "conf", "--info"],
        ["tests=[a,", "b]"],
        ["+data.corpora.m={train:", "a", "}"],
        ["suite.path="],
    ],
)
def test_what_hydra_takes_and_lists_that_a_shell_has_cut_are_left_to_hydra(typed):
    assert meant_by(typed) is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("finnish", r"Did you mean lang=fi \(Finnish\)\?"),
        ("Finnish", r"Did you mean lang=fi \(Finnish\)\?"),
        ("FI", r"Did you mean lang=fi \(Finnish\)\?"),
        ("Turkisch", r"Did you mean lang=tr \(Turkish\)"),
    ],
)
def test_a_language_by_its_name_or_in_capitals_is_answered_with_its_code(typed, meant):
    with pytest.raises(CommandLineError, match=rf'lang "{typed}" is unknown. {meant}') as raised:
        check_overrides("probe", [f"lang={typed}"])
    assert "--config-dir" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("train", r"\+data\.corpora\.mine=\{reader: …, train: …, dev: …, test: …\}' data\.corpus=mine"),
        ("probe", r"suite=own suite\.path=… suite\.format=…, or suite=pairs"),
        ("generate", r"suite=linspector_type made_from\.unimorph=<table> made_from\.frequency=<list>"),
    ],
)
def test_a_language_without_a_file_is_answered_with_the_ways_of_each_command(name, way):
    with pytest.raises(CommandLineError, match=rf'lang "xno" is .*{way}.*lang/xno\.yaml in a folder passed'):
        check_overrides(name, ["lang=xno"])


def test_minimal_pairs_of_ones_own_are_in_any_language(capsys):
    check_overrides("probe", ["suite=pairs", "suite.path=pairs.csv", "lang=xno"])
    assert "Note: 'xno' is not a built-in language" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("override", "meant"),
    [
        ("model=bert-base-cased", "encoder=transformer encoder.model=bert-base-cased"),
        ("encoder=google/canine-s", "encoder=transformer encoder.model=google/canine-s"),
        ("predictor=xlm-roberta-base", "predictor=causal predictor.model=xlm-roberta-base"),
    ],
)
def test_a_model_of_the_hub_as_a_choice_is_answered_with_its_key(override, meant):
    with pytest.raises(CommandLineError, match=f"is unknown.*A model of the hub, or its folder: {meant}$"):
        check_overrides("probe", ["lang=fi", override])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("hydra/launcher=ray", r'launcher "ray" is unknown\. Known: .*joblib.* pip install hydra-ray-launcher adds it'),
        ("+hydra/launcher=joblibb", "Did you mean joblib"),
        ("hydra/sweeper=optuna", r"Known: basic\. A sweep runs every combination .*: leave it out"),
    ],
)
def test_a_launcher_that_is_not_installed_and_another_sweeper_are_told_in_a_line(typed, words):
    with pytest.raises(CommandLineError, match=words) as raised:
        check_plugins(["lang=fi,tr", typed, "-m"])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "typed",
    [
        "hydra/launcher=joblib",
        "hydra.launcher.n_jobs=2",
        "hydra.launcher={n_jobs:2}",
        "+hydra.sweeper.max_batch_size=9",
    ],
)
def test_what_is_about_a_sweep_is_refused_without_one(typed):
    with pytest.raises(CommandLineError, match=r"^\+?hydra\S+ has no effect without -m: it is about the jobs"):
        check_plugins(["lang=fi", typed])
    for flag in ("-m", "hydra.mode=MULTIRUN", "--cfg=hydra"):
        check_plugins([flag, "lang=fi", typed])


@pytest.mark.parametrize("typed", ["comet", "neptune"])
def test_a_logger_of_another_tool_is_answered_with_where_curves_are(typed):
    with pytest.raises(CommandLineError, match=rf"metrics\.csv of the run.* no writer for {typed}\. .*logger=wandb"):
        check_overrides("train", [f"logger={typed}"])
